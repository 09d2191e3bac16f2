// What selects and frames commits knows of one: the recent ones in memory and those that the log keeps alike.
import type { Event } from '../../events/envelope.js'
import type { CommitOrigin, LineFormat } from './meta.js'

/** Gives memory of so many bytes. */
export type BufferAllocator = (bytes: number) => Buffer

/** A commit that becomes a line of the stream. */
export interface StreamCommit {
  readonly index: number
  readonly events: readonly Event[]
  readonly origin: CommitOrigin
  /**
   * The line with some of its events, in their order; undefined for none. An event may be redacted, and then is not one of `events`.
   * @param room gives memory of so many bytes, where a new line is best written
   */
  part(events: readonly Event[], form: LineFormat, room?: BufferAllocator): Buffer | undefined
}
