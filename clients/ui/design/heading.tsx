// The only heading of a page sets the tab title. It takes the focus after navigation, for screen readers and Tab.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { resourcePage, textIn as text } from '../resources/kind.js'

const PROGRAM = 'Annals'

/** The first page leaves the focus where the browser puts it. */
let wasShown = false

export const Heading = ({ children }: { readonly children: string }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (wasShown) heading.current?.focus({ preventScroll: true })
    wasShown = true
  }, [])
  useLayoutEffect(() => {
    document.title = `${children} · ${PROGRAM}`
  }, [children])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

// The path to a page: <Breadcrumbs links={[['/ui/services', 'Services']]} />. An entry without an address is the page itself.
interface Props {
  readonly links: readonly (readonly [address: string | undefined, title: string])[]
}

export const Breadcrumbs = ({ links }: Props) => (
  <nav aria-label="Path" class="crumbs">
    {links.map(([address, title], at) => (
      <span key={address ?? title}>
        {at > 0 && ' / '}
        {address === undefined ? title : <a href={address}>{title}</a>}
      </span>
    ))}
  </nav>
)

/** Links to related resources. @param path segment in the address of their pages @param of objects with ID and Name */
export const linksTo = (path: string, of: unknown) =>
  Array.isArray(of) && of.length > 0
    ? of.map((each: unknown, at) => (
        <span key={text(each, 'ID')}>
          {at > 0 && ', '}
          <a href={resourcePage(path, { key: text(each, 'ID') })}>{text(each, 'Name') || text(each, 'ID')}</a>
        </span>
      ))
    : null
