// Reads a log from end to end while others are served.
import { setImmediate } from 'node:timers/promises'
import type { Commit } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'

/** As `EventLog.pages`; whatever has arrived comes between two pages. */
export async function* pacedPages(log: EventLog, from: number): AsyncGenerator<readonly Commit[]> {
  for await (const page of log.pages(from)) {
    yield page
    await setImmediate()
  }
}
