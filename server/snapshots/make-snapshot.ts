// Writes one snapshot or base snapshot.
import { type EventLog, LogUnusable } from '../../events/log/log.js'
import { blocksOf, loadSnapshot, restore, type SnapshotStores } from '../../projections/restore-views.js'
import { Views } from '../../projections/read-models.js'
import { snapshotStoresIn } from '../../projections/snapshot-stores.js'
import { openLog } from '../open-log.js'
import { viewSettings, type Settings } from '../settings/settings.js'
import type { MadeSnapshot, ToChild } from './child-process.js'
import { createStateSnapshot } from './create-state-snapshot.js'
import { Replay } from './replay.js'
import { stateDigestOf } from './state-digest.js'

/**
 * Replays the log up to an index, from the start or the previous base snapshot, and writes the state. Waits for the commit with that index,
 * which the server may have flushed a moment ago: other processes see it some ms later.
 * @returns the digest of the base snapshot
 * @throws LogUnusable for an impossible event, or a written file that differs from the replay
 */
const createBaseSnapshot = async (
  settings: Settings,
  log: EventLog,
  beside: SnapshotStores,
  index: number
): Promise<string> => {
  const replay = new Replay(settings)
  const { views } = replay
  const first = await replay.begin(log, beside)
  if (first <= index)
    for await (const commit of log.tail(first, new AbortController().signal)) {
      replay.fold(commit)
      if (commit.Index >= index) break
    }
  if (views.index !== index) throw new LogUnusable(`the log ends at commit ${views.index}, before ${index}`)
  const digest = await beside.bases.write(index, blocksOf(views.saved()))
  const read = new Views(views.settings)
  await loadSnapshot(read, beside.bases, index)
  if (stateDigestOf(read).digest !== stateDigestOf(views).digest)
    throw new LogUnusable(`${beside.bases.pathOf(index)} does not hold what it was made of`)
  return digest
}

/**
 * Writes the durable state of a replica. Commits are not checked: versions that its source has erased are missing.
 * @returns as `makeSnapshot`
 */
const replaceReceivedBase = async (
  settings: Settings,
  log: EventLog,
  beside: SnapshotStores
): Promise<MadeSnapshot> => {
  const views = new Views(viewSettings(settings))
  await restore(views, log, beside)
  const { index } = views
  return { index, digest: await beside.bases.write(index, blocksOf(views.saved())), unsound: [] }
}

/** Executes an order of a server on the files of its log. @throws LogUnusable, and file system errors */
export const makeSnapshot = async ({ settings, base }: ToChild): Promise<MadeSnapshot> => {
  const unsound: string[] = []
  const log = await openLog(settings, { readOnly: true })
  try {
    const beside = snapshotStoresIn(log, settings.cluster.enabled)
    if (base !== undefined && (await beside.bases.isReceived()))
      return await replaceReceivedBase(settings, log, beside)
    if (base !== undefined)
      return { index: base, digest: await createBaseSnapshot(settings, log, beside, base), unsound }
    const { index } = await createStateSnapshot(settings, log, beside, (file, reason) => {
      unsound.push(`${file}: ${reason}`)
    })
    return { index, unsound }
  } finally {
    await log.close()
  }
}
