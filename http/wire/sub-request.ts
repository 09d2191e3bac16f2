import type { Cause, Commit, Event } from '../../events/envelope.js'
import type { RouteResponse } from './response.js'

export interface SubRequestInput {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

export interface SubRequestWrites {
  readonly cause: Cause
  /** The ID of a created resource; default: a random one. */
  readonly newId?: string | undefined
  /** True to decide without a commit. */
  readonly isTrial: boolean
  /** Returns the response in place of that of the route. @param commit undefined for a dry run, or if nothing changed */
  answer(events: readonly Event[], commit: Commit | undefined): RouteResponse
}
