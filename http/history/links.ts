// Where the other pages of a history are, as the header `Link` tells (RFC 8288).
import type { ApiRequest } from '../wire/request.js'
import { linkTo } from '../wire/reads/link.js'
import type { VersionPage } from './versions.js'

/** `rel="next"` leads to older versions, `rel="prev"` to newer ones; each only where there are some. */
export const linksOf = (
  request: ApiRequest,
  { versions, before, hasNewer }: VersionPage
): readonly string[] => {
  const [newest, oldest] = [versions[0], versions.at(-1)]
  const links = [
    ...(before && oldest ? [`${linkTo(request, { before: String(oldest.commit.Index) })}; rel="next"`] : []),
    ...(hasNewer && newest ? [`${linkTo(request, { after: String(newest.commit.Index) })}; rel="prev"`] : [])
  ]
  return links.length === 0 ? [] : ['Link', links.join(', ')]
}
