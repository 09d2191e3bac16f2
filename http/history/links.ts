// Where the other pages of a history are, as the header `Link` tells (RFC 8288).
import type { ApiRequest } from '../wire/request.js'
import type { VersionPage } from './versions.js'

/** The path and query of a request with a page named in place of the one that it asked for. */
const pageOf = ({ incoming }: ApiRequest, name: 'before' | 'after', index: number): string => {
  const url = new URL(incoming.url, 'http://any')
  for (const other of ['before', 'after', 'index', 'wait', 'token']) url.searchParams.delete(other)
  url.searchParams.set(name, String(index))
  return `<${url.pathname}${url.search}>`
}

/** `rel="next"` leads to older versions, `rel="prev"` to newer ones; each only where there are some. */
export const linksOf = (
  request: ApiRequest,
  { versions, before, hasNewer }: VersionPage
): readonly string[] => {
  const [newest, oldest] = [versions[0], versions.at(-1)]
  const links = [
    ...(before && oldest ? [`${pageOf(request, 'before', oldest.commit.Index)}; rel="next"`] : []),
    ...(hasNewer && newest ? [`${pageOf(request, 'after', newest.commit.Index)}; rel="prev"`] : [])
  ]
  return links.length === 0 ? [] : ['Link', links.join(', ')]
}
