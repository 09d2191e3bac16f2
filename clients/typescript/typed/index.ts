// `annals/client`: the client with the types of this server's API.
import { AnnalsClient as Client } from '../annals-client.js'
import type { components, paths } from '../../../api/paths.js'

export { Answer } from '../answer.js'
export { blocking, type BlockingOptions, type BlockingResult as Shown } from '../blocking.js'
export {
  Connection,
  type ConnectionOptions,
  type Query,
  type QueryValue,
  type Sending
} from '../connection.js'
export { EventStream, type EventMessage, type EventsOptions } from '../events.js'
export { RequestRefused, Unreachable, type Explanation } from '../failures.js'
export { Lock, LOCK_FLAGS, LockLost, NotALock, type LockOptions } from '../locks.js'
export { Session, SessionLost, type SessionOptions } from '../sessions.js'
export type { CommitOrigin, StreamedEvent } from '../stream-line.js'
export type { WebSocketClass } from '../wires/web-socket.js'

/** Schemas of the API by name, such as `Schemas['Token']`. */
export type Schemas = components['schemas']

/** A server, whose `api` knows every endpoint. */
export class AnnalsClient extends Client<paths> {}
