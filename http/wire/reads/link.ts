// The header `Link` (RFC 8288).
import type { RequestContext } from '../request-context.js'

/** Parameters that select a page, or are specific to one request. Secrets must not appear in links. */
const OWN = ['before', 'after', 'index', 'wait', 'token'] as const

/** Returns a link to another page of the requested list. */
export const linkTo = (
  { incoming }: RequestContext,
  page: Readonly<Partial<Record<'before' | 'after', string>>>
): string => {
  const url = new URL(incoming.url, 'http://any')
  for (const other of OWN) url.searchParams.delete(other)
  for (const [name, value] of Object.entries(page)) url.searchParams.set(name, value)
  return `<${url.pathname}${url.search}>`
}
