// An ordinary request by which a thing becomes again what it was.
import type { ApiRequest } from '../../../wire/request.js'

/** One request of the API. */
export interface OrdinaryWrite {
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
export type Asking = Pick<ApiRequest, 'views' | 'agentNode'>
