// Test files of one thread take turns, as they would with a thread for each: the tests of one run all at once, after its serial ones, and
// those of the next when they are over.
import { EventEmitter, once } from 'node:events'
import { setImmediate as othersBegun } from 'node:timers/promises'

/** In the order in which they were loaded. */
const turns: FileTurn[] = []

/** The turn of one file. Ava begins all tests of a thread at once, and each waits here. */
export class FileTurn {
  readonly #over = new EventEmitter().setMaxListeners(0)
  /** Tests that have begun and are not over. */
  #left = 0
  #serial: Promise<void> = Promise.resolve()

  constructor() {
    turns.push(this)
  }

  /** Does what a test does when it is its turn. @throws whatever `run` throws */
  async take(run: () => Promise<void>, isSerial: boolean): Promise<void> {
    this.#left++
    try {
      await othersBegun()
      for (const turn of turns.slice(0, turns.indexOf(this)))
        if (turn.#left > 0) await once(turn.#over, 'over')
      if (!isSerial) {
        await this.#serial
        await run()
        return
      }
      const own = this.#serial.then(run)
      this.#serial = own.catch(() => {})
      await own
    } finally {
      this.#left--
      if (this.#left === 0) this.#over.emit('over')
    }
  }
}
