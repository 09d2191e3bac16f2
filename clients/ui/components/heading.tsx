// The heading of a page: <Heading>Services</Heading>. It names the tab of the browser too, and who comes from
// another page is led to it: screen readers read it, and Tab goes on from there. Each page has one.
import { useEffect, useRef } from 'preact/hooks'

const PROGRAM = 'Annals'

/** Whether a page was shown before: the first one leaves the focus where the browser puts it. */
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
