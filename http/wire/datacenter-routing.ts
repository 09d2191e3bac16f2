// The interface to other datacenters, implemented in `server/cluster/datacenters/`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { InjectionToken } from 'tsyringe'
import type { RequestContext } from './request-context.js'
import type { Route } from './route.js'

/** A client's request that is forwarded to another datacenter. */
export interface DatacenterRequest {
  readonly request: RequestContext
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** The complete body, or the request itself if it is streamed. */
  readonly body: Buffer | Readable | undefined
  /** Called when the other datacenter is ready for a streamed body. */
  readonly sendContinue: () => void
}

/** A WebSocket request that is forwarded to another datacenter. */
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
