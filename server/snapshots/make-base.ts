// Makes the base that stands in for the oldest commits of a log, and proves that it is what a replay of them makes.
import { LogUnusable, type EventLog } from '../../events/log/log.js'
import { blocksOf, loadBase, type Beside } from '../../projections/restore.js'
import { Views } from '../../projections/views.js'
import { checkpointOf } from './checkpoint.js'
import type { Settings } from '../settings/settings.js'
import { Replay } from './replay.js'

/**
 * Replays the log up to an index, from nothing or from the base before, and writes what that makes.
 * @returns the digest of the base
 * @throws LogUnusable when an event is not possible where it stands, or what was written is not what the replay made
 */
export const makeBase = async (
  settings: Settings,
  log: EventLog,
  beside: Beside,
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
  await loadBase(read, beside.bases, index)
  if (checkpointOf(read).digest !== checkpointOf(views).digest)
    throw new LogUnusable(`${beside.bases.pathOf(index)} does not hold what it was made of`)
  return digest
}
