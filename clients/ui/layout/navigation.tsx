// The navigation by sections; on a phone a button opens it as a menu.
import { Badge, Button, Icon, Refusal } from '../design/index.js'
import { CircleHelp, type IconNode, LogOut } from 'lucide'
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { type SectionPage, type UiSection, sections } from '../sections.js'
import { StartTimeTravel } from '../time-travel/as-of.js'
import { TenancySwitch } from '../session/tenancy-switch.js'
import { withTenancy } from '../session/tenancy.js'
import { showKeys } from './dialogs.js'
import type { Schemas } from '../../typescript/typed/index.js'
import { logOutToken } from '../session/provider-sign-in.js'
import { isSignedIn, signOut } from '../session/session.js'
import { useResponse } from '../session/use-response.js'
import { useAction } from '../session/use-action.js'
import { resourcePage } from '../resources/kind.js'

const SignedIn = () => {
  const { value, failure } = useResponse<Schemas['Token']>('/v1/acl/token/self')
  const { failure: logoutFailure, run } = useAction()
  const { AccessorID = '', Description = '', ExpirationTime, AuthMethod } = value ?? {}
  return (
    <>
      <Refusal text={failure ?? logoutFailure} />
      {failure === undefined && (
        <p class="whose">
          {value && (
            <a
              href={resourcePage('tokens', { key: AccessorID })}
              title={Description ? `${Description} (${AccessorID})` : AccessorID}
            >
              {Description || AccessorID.slice(0, 8)}
            </a>
          )}
          {AuthMethod && <span class="index">by {AuthMethod}</span>}
          {ExpirationTime && (
            <span class="index">
              until <time dateTime={ExpirationTime}>{new Date(ExpirationTime).toLocaleString()}</time>
            </span>
          )}
        </p>
      )}
      <Button
        label="Sign out"
        icon={LogOut}
        act={() => (AuthMethod ? run(logOutToken) : signOut())}
        title={AuthMethod ? 'Deletes the token of this login' : 'Forgets the token in this tab'}
      />
    </>
  )
}

const CurrentToken = () => (isSignedIn.value ? <SignedIn /> : <a href="/ui/sign-in">Sign in</a>)

/** Matches the page itself and the pages below it. */
const isAt = (path: string, { path: place, further = [] }: SectionPage): boolean => {
  const base = place.replace(/\/$/, '')
  return [base, `${base}/`, `${base}/one`, ...further.map(page => page.path)].includes(path)
}

const skip = (event: Event): void => {
  event.preventDefault()
  document.querySelector('h1')?.focus()
}

/** The number of resources that need attention. Renders nothing for none. */
const Count = ({ of, what }: NonNullable<SectionPage['count']>) => {
  const { path } = useLocation()
  const turn = useMemo(() => ({ at: 0 }), [])
  const attempt = useMemo(() => ++turn.at, [path])
  const { value } = useResponse<readonly unknown[]>(of, { ns: '*' }, attempt)
  if (!value || value.length === 0) return null
  return (
    <span class="end" title={`${value.length} ${what}`}>
      <Badge tone="bad">{value.length}</Badge>
    </span>
  )
}

interface LinksProps {
  readonly places: readonly SectionPage[]
  readonly path: string
  readonly icon?: IconNode
}

const Links = ({ places, path, icon }: LinksProps) => (
  <>
    {places.map(place => (
      <a
        href={withTenancy(place.path)}
        aria-current={isAt(path, place) ? 'page' : undefined}
        title={`g ${place.key}`}
        key={place.path}
      >
        {icon && <Icon of={icon} />}
        {place.title}
        {place.count && <Count {...place.count} />}
      </a>
    ))}
  </>
)

/** A collapsed group shows only the current page. */
const Group = ({
  section: { title, icon, places },
  path
}: {
  readonly section: UiSection
  readonly path: string
}) => {
  const isHere = places.some(place => isAt(path, place))
  const [isOpen, setIsOpen] = useState(isHere)
  useEffect(() => {
    if (isHere) setIsOpen(true)
  }, [isHere])
  const id = useId()
  const shown = isOpen ? places : places.filter(place => isAt(path, place))
  return (
    <div role="group" aria-label={title}>
      <Button
        label={title}
        icon={icon}
        act={() => setIsOpen(!isOpen)}
        aria-expanded={isOpen}
        aria-controls={id}
      />
      <div id={id}>
        <Links places={shown} path={path} />
      </div>
    </div>
  )
}

export const Navigation = () => {
  const { path, query } = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => setIsOpen(false), [path, query['at']])
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
        <Button
          label="Keyboard shortcuts"
          icon={CircleHelp}
          isIcon
          act={showKeys}
          title="Keyboard shortcuts ( ? )"
        />
        <Button
          label="Menu"
          act={() => setIsOpen(!isOpen)}
          class="menu"
          aria-expanded={isOpen}
          aria-controls="places"
        />
      </header>
      <nav id="places" aria-label="Pages">
        <StartTimeTravel />
        <TenancySwitch />
        <div class="areas">
          {sections.map(section =>
            section.places.length === 1 ? (
              <Links key={section.title} places={section.places} path={path} icon={section.icon} />
            ) : (
              <Group key={section.title} section={section} path={path} />
            )
          )}
        </div>
        <div class="who">
          <CurrentToken />
        </div>
      </nav>
    </div>
  )
}
