// The interface to other datacenters, implemented in `server/cluster/datacenters/`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { InjectionToken } from 'tsyringe'
import type { RequestContext } from './request-context.js'
import type { Route, RouteFacts } from './route.js'
import { invalid, Refusal } from '../../actors/refusal.js'
import type { Query } from './query.js'

/** Names the datacenter that forwarded a request, which must not be forwarded again. */
export const DATACENTER_HEADER = 'X-Annals-Datacenter'
const RECEIVED = DATACENTER_HEADER.toLowerCase()

export const sourceDatacenterOf = (request: RequestContext): string | undefined => request.header(RECEIVED)

const PARAMETERS = ['dc', 'datacenter']

const namedIn = (query: Query): string | undefined =>
  PARAMETERS.map(name => query.filled(name)).find(name => name !== undefined)

/** The default region of clients of the stream, which means this datacenter. */
const ANY_REGION = 'global'

export const unknownDatacenter = (name: string): Refusal =>
  new Refusal('datacenter.unknown', `No path to datacenter: "${name}" is not known`)

/** Checks the datacenter in the body of a request that is answered here. @throws Refusal `invalid` */
export const requireOwnDatacenter = ({ settings }: RequestContext, named: string | undefined): void => {
  if (named && named !== settings.datacenter)
    throw invalid('datacenter.unknown', `No path to datacenter: field "Datacenter" is "${named}"`)
}

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
export const urlTo = (name: string, { url, query }: RequestContext): string => {
  const named = namedIn(query)
  if (named === undefined || named === name || !query.isSound) return url
  const mark = url.indexOf('?')
  const left = new URLSearchParams(url.slice(mark))
  for (const parameter of PARAMETERS) left.delete(parameter)
  return left.size === 0 ? url.slice(0, mark) : `${url.slice(0, mark)}?${left.toString()}`
}

export interface DatacenterRequest {
  readonly request: RequestContext
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** The complete body, or the request itself if it is streamed. */
  readonly body: Buffer | Readable | undefined
  readonly sendContinue: () => void
}

export interface DatacenterSocketRequest extends Pick<DatacenterRequest, 'request' | 'message'> {
  readonly socket: Duplex
  /** The bytes received after its headers. */
  readonly head: Buffer
}

export interface DatacenterRouting {
  /**
   * Returns the other datacenter that a request names; undefined if it names none or this one, or the route ignores it.
   * @throws Refusal `invalid` for an unknown name, and if another datacenter forwarded the request
   */
  requestedDatacenterOf(route: Route, request: RequestContext): string | undefined

  /**
   * Returns the other datacenter that owns the written resource, such as the primary; undefined for this one.
   * @throws Refusal `invalid` if another datacenter forwarded the request, and for a malformed body
   */
  owningDatacenterOf(route: Route, request: RequestContext): string | undefined

  /**
   * Forwards a request. Only reads and requests with an idempotency key are retried.
   * @returns the status of the response, which has been written
   * @throws Refusal `unreachable`, `unknown`, `unavailable`
   */
  forward(datacenter: string, asked: DatacenterRequest): Promise<number>

  /**
   * Has a datacenter open a WebSocket and connects it to the client, or returns its rejection to the client.
   * @returns the status
   * @throws Refusal as `forward`
   */
  tunnel(datacenter: string, asked: DatacenterSocketRequest): Promise<number>
}

/** Registered only if the settings name other datacenters. */
export const DATACENTER_ROUTING: InjectionToken<DatacenterRouting> = Symbol('InDatacenters')
