// Reads a log from end to end while others are served.
import { setImmediate } from 'node:timers/promises'
import type { Commit } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import type { Beside } from '../../projections/restore.js'
import { wholeLog } from './whole-log.js'

/** As `EventLog.pages`, and from 1 all that the log tells; whatever has arrived comes between two pages. */
export async function* pacedPages(
  log: EventLog,
  beside: Beside | undefined,
  from: number
): AsyncGenerator<readonly Commit[]> {
  for await (const page of from === 1 ? wholeLog(log, beside) : log.pages(from)) {
    yield page
    await setImmediate()
  }
}
