import { LogUnusable } from '../../events/log/log.js'
import type { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import type { Snapshots } from '../../events/log/snapshots/snapshots.js'
import { loadSnapshot } from '../../projections/restore-views.js'
import { SNAPSHOT_VERSION } from '../../projections/projection.js'
import { Views } from '../../projections/read-models.js'
import { stateDigestOf, readStateDigest, type StateDigest } from '../snapshots/state-digest.js'
import { snapshotStoresIn } from '../../projections/snapshot-stores.js'
import type { Settings } from '../settings/settings.js'
import { Replay } from '../snapshots/replay.js'
import { programVersion } from '../../events/version.js'
import { messageOf } from '../../events/errors.js'

/** Returns the state digest to compare with, or why there is none. */
const comparable = (found: StateDigest | 'unreadable' | undefined): StateDigest | string => {
  if (found === undefined) return 'no server has left a checkpoint to compare with'
  if (found === 'unreadable') return 'checkpoint.json holds no checkpoint to compare with'
  if (found.version !== programVersion())
    return `the checkpoint is of version ${found.version}, whose read models may differ`
  if (found.form !== SNAPSHOT_VERSION) return 'the checkpoint is of an older form of the read models'
  return found
}

const checkpointed = (expected: StateDigest | string): number =>
  typeof expected === 'string' ? 0 : expected.index

const compare = (views: Views, expected: StateDigest): void => {
  if (views.index !== expected.index) return
  if (stateDigestOf(views).digest !== expected.digest)
    throw new LogUnusable(
      `replay(log) differs from the state that the server recorded at commit ${expected.index}`
    )
}

/** Compares a snapshot with the replayed state. @throws LogUnusable if they differ */
const compareSnapshot = async (replayed: Views, snapshots: Snapshots): Promise<string> => {
  const { index } = replayed
  const views = new Views(replayed.settings)
  try {
    await loadSnapshot(views, snapshots, index)
  } catch (error) {
    const reason = messageOf(error)
    return `${snapshots.pathOf(index)} would be passed over: ${reason}`
  }
  if (stateDigestOf(views).digest !== stateDigestOf(replayed).digest)
    throw new LogUnusable(`replay(log) differs from ${snapshots.pathOf(index)}: delete that file`)
  return `the replay equals the snapshot of commit ${index}`
}

/**
 * Replays the whole log, and compares the state with the snapshots and the state digest.
 * @returns lines to print
 * @throws LogUnusable for an impossible event, a different state, or a log that ends before the state digest
 */

export const verifyReplay = async (log: SegmentEventLog, settings: Settings): Promise<readonly string[]> => {
  const expected = comparable(await readStateDigest(settings.data_dir))
  const beside = snapshotStoresIn(log)
  const { snapshots } = beside
  const saved = new Set(await snapshots.indexes())
  const replay = new Replay(settings)
  const lines: string[] = []
  const check = async (): Promise<void> => {
    if (typeof expected !== 'string') compare(replay.views, expected)
    if (saved.has(replay.views.index)) lines.push(await compareSnapshot(replay.views, snapshots))
  }
  const first = await replay.begin(log, beside)
  await check()
  for await (const commit of log.read(first)) {
    replay.fold(commit)
    if (saved.has(commit.Index) || commit.Index === checkpointed(expected)) await check()
  }
  const { index } = replay.views
  const sound = [
    ...lines,
    `the replay is sound: every event of ${index} commits was possible where it stands`
  ]
  if (typeof expected === 'string') return [...sound, expected]
  if (expected.index > index)
    throw new LogUnusable(
      `the log ends at commit ${index}, but a server has recorded its state at commit ${expected.index}: the end is missing`
    )
  return [
    ...sound,
    `replay(log) = state: the replay equals what the server recorded at commit ${expected.index}`
  ]
}
