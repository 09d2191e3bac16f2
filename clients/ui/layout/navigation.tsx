// The navigation by sections; on a phone a button opens it as a menu.
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { sections } from '../sections.js'
import { StartTimeTravel } from '../time-travel/as-of.js'
import { TenancySwitch } from '../session/tenancy-switch.js'
import { CurrentToken } from '../session/current-token.js'
import { withTenancy } from '../session/tenancy.js'
import { showKeys } from './keys-help.js'

/** Matches the page itself and the pages of its resources. */
const isAt = (path: string, place: string): boolean => [place, `${place}/`, `${place}/one`].includes(path)

const skip = (event: Event): void => {
  event.preventDefault()
  document.querySelector('h1')?.focus()
}

export const Navigation = () => {
  const { path } = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => setIsOpen(false), [path])
  const close = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') setIsOpen(false)
  }
  return (
    <div class={isOpen ? 'places open' : 'places'} onKeyDown={close}>
      <header class="brand">
        <a class="skip" href="#page" onClick={skip}>
          Skip to the page
        </a>
        <strong>Annals</strong>
        <button type="button" onClick={showKeys} aria-label="Keys" title="Keys ( ? )">
          ?
        </button>
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="places"
          onClick={() => setIsOpen(!isOpen)}
        >
          Menu
        </button>
      </header>
      <nav id="places" aria-label="Pages">
        <TenancySwitch />
        <div class="areas">
          {sections.map(area => (
            <div key={area.title} role="group" aria-label={area.title}>
              <h2>{area.title}</h2>
              {area.places.map(place => (
                <a
                  href={withTenancy(place.path)}
                  aria-current={isAt(path, place.path.replace(/\/$/, '')) ? 'page' : undefined}
                  title={`g ${place.key}`}
                  key={place.path}
                >
                  {place.title}
                </a>
              ))}
            </div>
          ))}
        </div>
        <div class="who">
          <StartTimeTravel />
          <CurrentToken />
        </div>
      </nav>
    </div>
  )
}
