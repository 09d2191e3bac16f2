// When a stream that was asked for its progress tells how far it is, besides the heartbeats.
import { caughtUp, progress } from '../control-lines.js'

/** After so many commits of which none was selected, the stream tells that they are behind it. */
const PROGRESS_COMMITS = 1000

/** What a stream has told of its place, so that it tells again when that is worth a line. */
export class Progress {
  #told: number
  #isCaughtUp = false

  /** @param start the first index that is sent */
  constructor(start: number) {
    this.#told = start - 1
  }

  /** What was sent tells of everything up to this index. */
  told(lastIndex: number): void {
    this.#told = Math.max(this.#told, lastIndex)
  }

  /**
   * The line that is due when everything up to an index was sent; undefined for none.
   * @param newest the newest durable index
   */
  due(lastIndex: number, newest: number): Buffer | undefined {
    if (!this.#isCaughtUp && lastIndex >= newest) {
      this.#isCaughtUp = true
      this.told(lastIndex)
      return caughtUp(lastIndex)
    }
    if (lastIndex - this.#told < PROGRESS_COMMITS) return undefined
    this.told(lastIndex)
    return progress(lastIndex)
  }
}
