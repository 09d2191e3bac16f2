// Which datacenter a request names (spec: auth.md §11.4).
import { Refusal } from '../../actors/refusal.js'
import type { Query } from './query.js'
import type { RequestContext } from './request-context.js'
import type { RouteFacts } from './route.js'

/** Names the datacenter that has sent a request here, which goes to no third one. */
export const DATACENTER_HEADER = 'X-Annals-Datacenter'

/** The datacenter that has sent a request here; undefined for one of a client of this datacenter. */
export const sourceDatacenterOf = ({ incoming }: RequestContext): string | undefined =>
  incoming.header(DATACENTER_HEADER.toLowerCase())

const PARAMETERS = ['dc', 'datacenter']

const namedIn = (query: Query): string | undefined =>
  PARAMETERS.map(name => query.filled(name)).find(name => name !== undefined)

/** What clients of the stream call the one region that there is, unless they are told otherwise. */
const ANY_REGION = 'global'

/** No datacenter of this name is known (400). */
export const unknownDatacenter = (name: string): Refusal =>
  new Refusal('invalid', `No path to datacenter: "${name}" is not known`)

/** The name of a datacenter as a request says it, be there one or not; undefined for none. Names are compared exactly. */
export const datacenterIn = ({ dc }: RouteFacts, { query }: RequestContext): string | undefined => {
  if (query.isEmpty || dc === 'ignored' || dc === 'checked' || !query.isSound) return undefined
  const named = namedIn(query)
  if (named !== undefined || dc !== 'or region') return named
  const region = query.filled('region')
  return region === ANY_REGION ? undefined : region
}

/**
 * Checks the name of a datacenter in a request that is answered in this one.
 * @throws Refusal `invalid` for a name that is not known
 */
export const checkDatacenter = (route: RouteFacts, request: RequestContext): void => {
  const { datacenter, datacenters } = request.settings
  const isOnlyChecked = route.dc === 'checked'
  const name = isOnlyChecked ? namedIn(request.query) : datacenterIn(route, request)
  if (name === undefined || name === datacenter) return
  if (!isOnlyChecked || !Object.hasOwn(datacenters, name)) throw unknownDatacenter(name)
}

/** Path and query with which a request goes to a datacenter: without the name of another one, which is where it has come to. */
export const urlTo = (name: string, { incoming: { url }, query }: RequestContext): string => {
  const named = namedIn(query)
  if (named === undefined || named === name || !query.isSound) return url
  const mark = url.indexOf('?')
  const left = new URLSearchParams(url.slice(mark))
  for (const parameter of PARAMETERS) left.delete(parameter)
  return left.size === 0 ? url.slice(0, mark) : `${url.slice(0, mark)}?${left.toString()}`
}
