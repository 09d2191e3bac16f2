// What is flushed together, and who waits for it.
import type { RecordGroup } from './record-group.js'
import type { LogFailure } from './log.js'

/** Appends that are flushed together, and share one promise. */
export class Batch {
  readonly flushed: Promise<void>
  resolve: () => void = () => {}
  reject: (error: LogFailure) => void = () => {}

  constructor(readonly group: RecordGroup) {
    this.flushed = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}
