// The program that writes one snapshot or base snapshot. The server sends the order and receives the result over the IPC channel.
import 'reflect-metadata'
import { constants, setPriority } from 'node:os'
import { snapshotStoresIn } from '../../projections/snapshot-stores.js'
import { openLog } from '../compose.js'
import type { FromChild, ToChild } from './child-process.js'
import { createStateSnapshot } from './create-state-snapshot.js'
import { messageOf } from '../../events/errors.js'
import { LogUnusable, type LogReader } from '../../events/log/log.js'
import { blocksOf, loadSnapshot, type SnapshotStores } from '../../projections/restore-views.js'
import { Views } from '../../projections/read-models.js'
import { stateDigestOf } from './state-digest.js'
import type { Settings } from '../settings/settings.js'
import { Replay } from './replay.js'

/**
 * Replays the log up to an index, from the start or the previous base snapshot, and writes the state.
 * @returns the digest of the base snapshot
 * @throws LogUnusable for an impossible event, or a written file that differs from the replay
 */
const createBaseSnapshot = async (
  settings: Settings,
  log: LogReader,
  beside: SnapshotStores,
  index: number
): Promise<string> => {
  const replay = new Replay(settings)
  const first = await replay.begin(log, beside)
  for await (const commit of log.read(first)) {
    if (commit.Index > index) break
    replay.fold(commit)
  }
  const { views } = replay
  if (views.index !== index) throw new LogUnusable(`the log ends at commit ${views.index}, before ${index}`)
  const digest = await beside.bases.write(index, blocksOf(views.saved()))
  const read = new Views(views.settings)
  await loadSnapshot(read, beside.bases, index)
  if (stateDigestOf(read).digest !== stateDigestOf(views).digest)
    throw new LogUnusable(`${beside.bases.pathOf(index)} does not hold what it was made of`)
  return digest
}

const tell = (message: FromChild): Promise<void> =>
  new Promise(resolve => process.send?.(message, () => resolve()))

const make = async ({ settings, base }: ToChild): Promise<FromChild> => {
  const unsound: string[] = []
  const log = await openLog(settings, { readOnly: true })
  try {
    const beside = { ...snapshotStoresIn(log), comesLater: settings.cluster.enabled }
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

const run = async (message: ToChild): Promise<void> => {
  try {
    await tell(await make(message))
  } catch (error) {
    await tell({ failure: messageOf(error) })
  }
  process.disconnect()
}

// The server has ended, for any reason.
process.on('disconnect', () => process.exit())
setPriority(constants.priority.PRIORITY_LOW)
process.once('message', (message: ToChild) => void run(message))
