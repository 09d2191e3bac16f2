// Who answers a request, where that need not be the process that was asked: in a cluster (`server/cluster/members/`) another server may lead, and a
// server with workers (`server/cluster/workers/`) has a main process. The leader is the one that decides: for a worker, its main process.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { InjectionToken } from 'tsyringe'
import { CONTACTS, type Contacts, type SenderFault } from './contact.js'
import type { RequestContext } from './request-context.js'
import type { Route } from './route.js'

/**
 * Where a request is answered. `leader`: it is sent there. `here`: what this process shows is new enough. `leased`: that is so while
 * this process leads for certain.
 */
export type AnswerLocation = 'leader' | 'here' | 'leased'

/** A request of a client that goes to the leader. */
export interface LeaderRequest {
  readonly request: RequestContext
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** Its body: whole, or the request itself where it is sent on as it comes. */
  readonly body: Buffer | Readable | undefined
  /** Called when the leader asks for a body that is sent on as it comes. */
  readonly sendContinue: () => void
  /** Whether one that should lead, perhaps this one, has just refused it. */
  readonly isRefused: boolean
  /** A time of `Clock.elapsed` until which a leader is waited for. */
  readonly until: number
}

/** A request for a WebSocket that the leader is to open. */
export interface LeaderSocketRequest extends Omit<LeaderRequest, 'response' | 'body' | 'sendContinue'> {
  readonly socket: Duplex
  /** What has arrived behind its headers. */
  readonly head: Buffer
}

export interface RequestRouting extends Contacts {
  /** A time of `Clock.elapsed` until which a request that comes now waits for a leader. */
  readonly deadline: number

  /** What is wrong with a request that says that another server or process has sent it, and does not prove it; undefined for all others. */
  senderFault(request: IncomingMessage): SenderFault | undefined

  /** @throws Refusal `not-leader`, `unavailable` when nobody can say what is the newest */
  locationOf(route: Route, request: RequestContext): AnswerLocation | Promise<AnswerLocation>

  /** Whether this process leads for certain at this moment; of a worker, whether it shows the newest. */
  isLeading(): boolean

  /** Resolves when this process shows all that was acknowledged anywhere before. @throws Refusal `unavailable` */
  untilNewest(): Promise<void>

  /**
   * Has the leader answer. What was sent, and is neither a read nor has an idempotency key, is never sent again.
   * @returns the status of the answer, which is written; or `here` when this process leads by now
   * @throws Refusal `unavailable` when nobody leads in time; `unknown` when the connection broke off in between
   */
  forward(asked: LeaderRequest): Promise<number | 'here'>

  /**
   * Has the leader open a WebSocket, and joins it to the connection of the client; or has it refused as the leader refuses it.
   * @returns the status; or `here` when this process leads by now
   * @throws Refusal as `forward`
   */
  tunnel(asked: LeaderSocketRequest): Promise<number | 'here'>

  /** Whether another process of this server counts a request in its metrics, which it has sent here. */
  isCountedBySender(request: IncomingMessage): boolean

  /** Resolves when what is shown is new enough for DNS; undefined when it is already. */
  forDns(): Promise<void> | undefined
}

/** Registered for servers of a cluster, and for the processes of a server with workers; not for a server that is one process. */
export const REQUEST_ROUTING: InjectionToken<RequestRouting> = CONTACTS
