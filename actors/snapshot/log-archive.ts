import { setImmediate } from 'node:timers/promises'
import type { Commit } from '../../events/envelope.js'
import type { LogReader } from '../../events/log/log.js'
import type { SnapshotReader } from '../../events/log/snapshots/read.js'
import { baseSnapshotOf, type SnapshotStores } from '../../projections/restore-views.js'
import { withFilterKeys } from '../../projections/filter-keys.js'
import { eventOf, type Fact } from '../../projections/projection.js'

const NO_ORIGIN = { AccessorID: '', Address: '', RequestID: '', Command: 'Base' }

/**
 * Reads the commits of a log. The facts of the base snapshot replace pruned commits, in commits with its index.
 * @param stores undefined for a log in memory
 * @throws LogUnusable when the base snapshot is damaged; CommitsPruned when retention moves on before its commits are read
 */
export async function* logArchiveOf(
  log: LogReader,
  stores: SnapshotStores | undefined
): AsyncGenerator<readonly Commit[]> {
  const base = await baseSnapshotOf(log, stores?.bases)
  if (stores && base > 0) yield* factsOf(await stores.bases.open(base), base)
  yield* log.pages(base + 1)
}

async function* factsOf(reader: SnapshotReader, index: number): AsyncGenerator<readonly Commit[]> {
  try {
    for await (const { part, rows } of reader.blocks()) {
      // Parts with further data of read models belong to one server.
      if (part.includes('.')) continue
      const facts: readonly Fact[] = JSON.parse(rows)
      const Events = facts.map(one => withFilterKeys(eventOf(one)))
      yield [{ Index: index, Time: '', By: NO_ORIGIN, Events }]
    }
  } finally {
    await reader.close()
  }
}

/** As `LogReader.pages`, from 1 as `logArchiveOf`, yielding to other work between pages. */
export async function* pacedPages(
  log: LogReader,
  stores: SnapshotStores | undefined,
  from: number
): AsyncGenerator<readonly Commit[]> {
  for await (const page of from === 1 ? logArchiveOf(log, stores) : log.pages(from)) {
    yield page
    await setImmediate()
  }
}
