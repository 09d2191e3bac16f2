// All that a log tells, also one that has let its oldest commits go.
import { setImmediate } from 'node:timers/promises'
import type { Commit } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import { baseSnapshotOf, type SnapshotStores } from '../../projections/restore-views.js'
import { withFilterKeys } from '../../projections/filter-keys.js'
import { eventOf, type Fact } from '../../projections/saved-form.js'

const NOBODY = { AccessorID: '', Address: '', RequestID: '', Command: 'Base' }

/**
 * The commits of a log. Where the oldest ones are gone, the facts of their base come first, in commits that
 * have its index.
 * @param beside what stands beside the log; undefined where it is kept nowhere
 * @throws LogUnusable when the base is damaged
 */
export async function* logArchiveOf(
  log: EventLog,
  beside: SnapshotStores | undefined
): AsyncGenerator<readonly Commit[]> {
  const base = await baseSnapshotOf(log, beside?.bases)
  if (beside && base > 0) yield* factsOf(beside, base)
  yield* log.pages(base + 1)
}

async function* factsOf({ bases }: SnapshotStores, index: number): AsyncGenerator<readonly Commit[]> {
  const reader = await bases.open(index)
  try {
    for await (const { part, rows } of reader.blocks()) {
      // What read models remember beside their facts is each server's own.
      if (part.includes('.')) continue
      const facts: readonly Fact[] = JSON.parse(rows)
      const Events = facts.map(one => withFilterKeys(eventOf(one)))
      yield [{ Index: index, Time: '', By: NOBODY, Events }]
    }
  } finally {
    await reader.close()
  }
}

// Reads a log from end to end while others are served.

/** As `EventLog.pages`, and from 1 all that the log tells; whatever has arrived comes between two pages. */
export async function* pacedPages(
  log: EventLog,
  beside: SnapshotStores | undefined,
  from: number
): AsyncGenerator<readonly Commit[]> {
  for await (const page of from === 1 ? logArchiveOf(log, beside) : log.pages(from)) {
    yield page
    await setImmediate()
  }
}
