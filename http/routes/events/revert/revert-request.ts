// An ordinary request by which a thing becomes again what it was.
import type { RequestContext } from '../../../wire/request-context.js'

/** One request of the API. */
export interface RevertWrite {
  /** Names the route. */
  readonly operationId: string
  /** Parameters of its path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** As JSON, unless it is bytes. */
  readonly body?: object
  /** The ID of what is made. */
  readonly newId?: string
}

/** Of the request for a revert, what its ordinary write depends on. */
export type RevertContext = Pick<RequestContext, 'views' | 'agentNode'>
