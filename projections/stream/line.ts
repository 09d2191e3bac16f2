// What selects and frames commits knows of one: the recent ones in memory and those that the log keeps alike.
import type { Event } from '../../events/envelope.js'
import type { CommitOrigin, LineForm } from './meta.js'

/** Gives memory of so many bytes. */
export type Room = (bytes: number) => Buffer

/** A commit that becomes a line of the stream. */
export interface Line<E extends Event = Event> {
  readonly index: number
  readonly events: readonly E[]
  readonly origin: CommitOrigin
  /**
   * The line with some of its events, in their order; undefined for none.
   * @param room gives memory of so many bytes, where a new line is best written
   */
  part(events: readonly E[], form: LineForm, room?: Room): Buffer | undefined
}
