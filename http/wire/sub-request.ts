// A request that is asked for as a part of another one, by the same caller: the ordinary write by which something else is done.
import type { Cause, Commit, Event } from '../../events/envelope.js'
import type { RouteResponse } from './response.js'

/** What the part asks for. */
export interface SubRequestInput {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

/** What is different about its writes. */
export interface SubRequestWrites {
  /** What led to them. */
  readonly cause: Cause
  /** The ID of what is made, in place of a new one. */
  readonly newId?: string | undefined
  /** Whether they are decided only: nothing is committed. */
  readonly isTrial: boolean
  /** The answer, in place of that of the route. @param commit undefined for a trial, or when there was nothing to change */
  answer(events: readonly Event[], commit: Commit | undefined): RouteResponse
}
