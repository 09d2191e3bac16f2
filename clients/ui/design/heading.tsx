// The only heading of a page sets the tab title. It takes the focus after navigation, for screen readers and Tab.
import { useEffect, useRef } from 'preact/hooks'

const PROGRAM = 'Annals'

/** The first page leaves the focus where the browser puts it. */
let wasShown = false

export const Heading = ({ children }: { readonly children: string }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (wasShown) heading.current?.focus({ preventScroll: true })
    wasShown = true
  }, [])
  useEffect(() => {
    document.title = `${children} · ${PROGRAM}`
  }, [children])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
