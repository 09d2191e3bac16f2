// What is flushed together, and who waits for it.
import type { RecordGroup } from './group.js'
import type { LogFailure } from './log.js'

/** Appends that are flushed together, and share one promise. */
export class Batch {
  readonly group: RecordGroup
  readonly flushed: Promise<void>
  resolve: () => void = () => {}
  reject: (error: LogFailure) => void = () => {}

  constructor(group: RecordGroup) {
    this.group = group
    this.flushed = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}
