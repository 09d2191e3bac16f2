// Links of an answer to others of its kind, as the header `Link` tells them (RFC 8288).
import type { RequestContext } from '../request-context.js'

/** What says which page is meant, or is of one request alone: a secret never stands in a link. */
const OWN = ['before', 'after', 'index', 'wait', 'token'] as const

/** The path and query of a request with a page named in place of the one that it asked for. */
export const linkTo = (
  { incoming }: RequestContext,
  page: Readonly<Partial<Record<'before' | 'after', string>>>
): string => {
  const url = new URL(incoming.url, 'http://any')
  for (const other of OWN) url.searchParams.delete(other)
  for (const [name, value] of Object.entries(page)) url.searchParams.set(name, value)
  return `<${url.pathname}${url.search}>`
}
