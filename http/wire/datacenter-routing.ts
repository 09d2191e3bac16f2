// What the wire asks of the other datacenters that a server knows (`server/cluster/datacenters/`). A server whose settings name none has none.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { InjectionToken } from 'tsyringe'
import type { RequestContext } from './request-context.js'
import type { Route } from './route.js'

/** A request of a client that goes to another datacenter. */
export interface DatacenterRequest {
  readonly request: RequestContext
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** Its body: whole, or the request itself where it is sent on as it comes. */
  readonly body: Buffer | Readable | undefined
  /** Called when the other datacenter asks for a body that is sent on as it comes. */
  readonly sendContinue: () => void
}

/** A request for a WebSocket that another datacenter is to open. */
export interface DatacenterSocketRequest extends Pick<DatacenterRequest, 'request' | 'message'> {
  readonly socket: Duplex
  /** What has arrived behind its headers. */
  readonly head: Buffer
}

export interface DatacenterRouting {
  /**
   * The other datacenter that a request names; undefined when it names none, or this one, or the route does not look at that.
   * @throws Refusal `invalid` for a name that is not known, and where another datacenter has sent the request here
   */
  requestedDatacenterOf(route: Route, request: RequestContext): string | undefined

  /**
   * Returns the other datacenter that decides about a request, such as the primary; undefined where this one does.
   * @throws Refusal `invalid` where another datacenter has sent the request here, and for a body that cannot be read
   */
  owningDatacenterOf(route: Route, request: RequestContext): string | undefined

  /**
   * Has a datacenter answer: once, unless it is a read or has an idempotency key.
   * @returns the status of the answer, which is written
   * @throws Refusal `unreachable`, `unknown`, `unavailable`
   */
  forward(datacenter: string, asked: DatacenterRequest): Promise<number>

  /**
   * Has a datacenter open a WebSocket, and joins it to the connection of the client; or has it refused as that refuses it.
   * @returns the status
   * @throws Refusal as `forward`
   */
  tunnel(datacenter: string, asked: DatacenterSocketRequest): Promise<number>
}

/** Registered only for a server that knows other datacenters. */
export const DATACENTER_ROUTING: InjectionToken<DatacenterRouting> = Symbol('InDatacenters')
