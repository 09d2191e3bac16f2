// Progress reports of a stream, in addition to heartbeats.
import { caughtUp, progress } from '../control-lines.js'

/** The number of commits without a selected event after which progress is reported. */
const PROGRESS_COMMITS = 1000

/** The progress that a stream has reported. */
export class Progress {
  #reported: number
  #isCaughtUp = false

  /** @param start the first index of the stream */
  constructor(start: number) {
    this.#reported = start - 1
  }

  /** Notes that everything up to an index has been reported. */
  note(lastIndex: number): void {
    this.#reported = Math.max(this.#reported, lastIndex)
  }

  /**
   * Returns the report that is due after everything up to an index was sent; undefined for none.
   * @param newest the newest durable index
   */
  due(lastIndex: number, newest: number): Buffer | undefined {
    if (!this.#isCaughtUp && lastIndex >= newest) {
      this.#isCaughtUp = true
      this.note(lastIndex)
      return caughtUp(lastIndex)
    }
    if (lastIndex - this.#reported < PROGRESS_COMMITS) return undefined
    this.note(lastIndex)
    return progress(lastIndex)
  }
}
