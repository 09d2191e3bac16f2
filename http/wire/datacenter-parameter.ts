// The datacenter that a request names (spec: auth.md §11.4).
import { Refusal } from '../../actors/refusal.js'
import type { Query } from './query.js'
import type { RequestContext } from './request-context.js'
import type { RouteFacts } from './route.js'

/** Names the datacenter that forwarded a request, which must not be forwarded again. */
export const DATACENTER_HEADER = 'X-Annals-Datacenter'

/** Returns the datacenter that forwarded a request; undefined for clients. */
export const sourceDatacenterOf = ({ incoming }: RequestContext): string | undefined =>
  incoming.header(DATACENTER_HEADER.toLowerCase())

const PARAMETERS = ['dc', 'datacenter']

const namedIn = (query: Query): string | undefined =>
  PARAMETERS.map(name => query.filled(name)).find(name => name !== undefined)

/** The default region of clients of the stream, which means this datacenter. */
const ANY_REGION = 'global'

export const unknownDatacenter = (name: string): Refusal =>
  new Refusal('invalid', `No path to datacenter: "${name}" is not known`)

/** Returns the datacenter named in a request, existing or not; undefined for none. Names are compared exactly. */
export const datacenterIn = ({ dc }: RouteFacts, { query }: RequestContext): string | undefined => {
  if (query.isEmpty || dc === 'ignored' || dc === 'checked' || !query.isSound) return undefined
  const named = namedIn(query)
  if (named !== undefined || dc !== 'or region') return named
  const region = query.filled('region')
  return region === ANY_REGION ? undefined : region
}

/** @throws Refusal `invalid` if a request that is answered here names an unknown datacenter */
export const checkDatacenter = (route: RouteFacts, request: RequestContext): void => {
  const { datacenter, datacenters } = request.settings
  const isOnlyChecked = route.dc === 'checked'
  const name = isOnlyChecked ? namedIn(request.query) : datacenterIn(route, request)
  if (name === undefined || name === datacenter) return
  if (!isOnlyChecked || !Object.hasOwn(datacenters, name)) throw unknownDatacenter(name)
}

/** Returns the path and query of a request for another datacenter, without any other datacenter's name. */
export const urlTo = (name: string, { incoming: { url }, query }: RequestContext): string => {
  const named = namedIn(query)
  if (named === undefined || named === name || !query.isSound) return url
  const mark = url.indexOf('?')
  const left = new URLSearchParams(url.slice(mark))
  for (const parameter of PARAMETERS) left.delete(parameter)
  return left.size === 0 ? url.slice(0, mark) : `${url.slice(0, mark)}?${left.toString()}`
}
