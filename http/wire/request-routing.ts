// The choice of the process that answers a request: another server of the cluster (`server/cluster/members/`), or the main process of a server
// with workers (`server/cluster/workers/`). For a worker, "leader" means its main process.
import type { IncomingMessage } from 'node:http'
import type { InjectionToken } from 'tsyringe'
import { CONTACTS, type Contacts, type SenderFault } from './contact.js'
import type { DatacenterRequest, DatacenterSocketRequest } from './datacenter-routing.js'
import type { RequestContext } from './request-context.js'
import type { Route } from './route.js'

/**
 * Where a request is answered. `leader`: it is forwarded to the leader. `here`: this process is up to date enough. `leased`: this process
 * is up to date while it certainly leads.
 */
export type AnswerLocation = 'leader' | 'here' | 'leased'

interface LeaderAttempt {
  /** True if a presumed leader, possibly this server, has just rejected it. */
  readonly isRefused: boolean
  /** The deadline for finding a leader, a time of `Clock.elapsed`. */
  readonly until: number
}

export type LeaderRequest = DatacenterRequest & LeaderAttempt
export type LeaderSocketRequest = DatacenterSocketRequest & LeaderAttempt

export interface RequestRouting extends Contacts {
  readonly deadline: number

  /** Returns why the claimed sender of a request is rejected; undefined if it is proven, or there is no claim. */
  senderFault(request: IncomingMessage): SenderFault | undefined

  /** @throws Refusal `not-leader`, `unavailable` when the newest state cannot be determined */
  locationOf(route: Route, request: RequestContext): AnswerLocation | Promise<AnswerLocation>

  /** Returns true if this process certainly leads at this moment; for a worker, if it is up to date. */
  isLeading(): boolean

  /** Resolves when this process shows every write acknowledged before the call. @throws Refusal `unavailable` */
  untilNewest(): Promise<unknown>

  /**
   * Forwards a request to the leader. Only reads and requests with an idempotency key are retried after they were sent.
   * @returns the status of the response, which has been written; or `here` if this process leads now
   * @throws Refusal `unavailable` when there is no leader in time; `unknown` when the connection broke off after sending
   */
  forward(asked: LeaderRequest): Promise<number | 'here'>

  /**
   * Has the leader open a WebSocket and connects it to the client, or returns its rejection to the client.
   * @returns the status; or `here` if this process leads now
   * @throws Refusal as `forward`
   */
  tunnel(asked: LeaderSocketRequest): Promise<number | 'here'>

  /** Returns true if another process of this server forwarded a request and counts it in its metrics. */
  isCountedBySender(request: IncomingMessage): boolean

  /** Resolves when this process is up to date enough for DNS; undefined if it is already. */
  forDns(): Promise<unknown> | undefined
}

/** Registered for servers of a cluster and for servers with workers; not for single-process servers. */
export const REQUEST_ROUTING: InjectionToken<RequestRouting> = CONTACTS
