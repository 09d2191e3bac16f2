import { messageOf } from '../events/errors.js'
import { CommitsPruned, LogUnusable, type LogReader } from '../events/log/log.js'
import type { Retention } from '../events/retention.js'
import type { BaseSnapshots } from '../events/log/snapshots/base-snapshots.js'
import type { Block } from '../events/log/snapshots/format.js'
import type { Snapshots } from '../events/log/snapshots/snapshots.js'
import type { SavedState } from './saved-state.js'
import type { Views } from './read-models.js'

/** The minimum number of characters of a full block. */
const BLOCK_CHARACTERS = 256 * 1024

/** The state as the blocks of a snapshot, created lazily. The state must not change meanwhile. */
export function* blocksOf(state: SavedState): Iterable<Block> {
  for (const [part, rows] of state.parts()) {
    let text = ''
    for (const row of rows) {
      text += `${text === '' ? '[' : ','}${JSON.stringify(row)}`
      if (text.length < BLOCK_CHARACTERS) continue
      yield { part, rows: `${text}]` }
      text = ''
    }
    if (text !== '') yield { part, rows: `${text}]` }
  }
}

export type OnDamagedSnapshot = (file: string, reason: string) => void

/** Loads a snapshot into empty read models. @throws Error if it is unusable, LogUnusable for a base snapshot; the read models must then be reset */
export const loadSnapshot = async (
  views: Views,
  snapshots: Pick<Snapshots | BaseSnapshots, 'open'>,
  index: number
): Promise<void> => {
  const reader = await snapshots.open(index)
  try {
    const state = views.saved()
    for await (const { part, rows } of reader.blocks()) state.load(part, rows)
    state.end(index)
  } finally {
    await reader.close()
  }
}

/** The base snapshot to replay a pruned or partly erased log. @returns its index; 0 for a complete log. @throws LogUnusable if there is none */
export const baseSnapshotOf = async (
  log: Pick<LogReader, 'firstIndex' | 'durableIndex'>,
  bases: BaseSnapshots | undefined
): Promise<number> => {
  const index = (await bases?.indexes())?.findLast(base => base >= log.firstIndex - 1)
  if (log.firstIndex === 1) {
    if (!bases || index === undefined || index > log.durableIndex) return 0
    // A base snapshot without a commit may be incomplete.
    return (await bases.isSound(index)) ? index : 0
  }
  if (index === undefined)
    throw new LogUnusable(
      `the log begins with commit ${log.firstIndex}, and there is no base for those before it`
    )
  return index
}

export interface SnapshotStores {
  readonly snapshots: Snapshots
  readonly bases: BaseSnapshots
  /** True if another server creates the base snapshot, which may arrive after its commit; the previous one is used until then. */
  readonly comesLater?: boolean
}

/** Loads the newest usable snapshot; without one the read models stay empty. */
const loadNewest = async (
  views: Views,
  snapshots: Snapshots,
  onUnsound: OnDamagedSnapshot
): Promise<void> => {
  for (const index of await snapshots.indexes()) {
    try {
      return await loadSnapshot(views, snapshots, index)
    } catch (error) {
      views.reset()
      onUnsound(snapshots.pathOf(index), messageOf(error))
    }
  }
}

/** @returns paths of damaged or missing copies. @throws LogUnusable if the base snapshot differs from the one in the commit */
export const checkBaseSnapshot = async (
  { Index, Base }: Retention,
  bases: BaseSnapshots
): Promise<readonly string[]> => {
  const { digest, repaired } = await bases.check(Index, { repair: false })
  if (digest !== Base) throw new LogUnusable(`${bases.pathOf(Index)} is not the base that the log tells of`)
  return repaired
}

/**
 * Verifies the base snapshot that a commit names. A log with all commits can recreate it. No commit names a received one.
 * @returns true if there is none, or it is unchanged
 * @throws LogUnusable if it is missing or changed, and commits were pruned
 */
const proveBase = async (
  { retainedLog: { retention } }: Views,
  log: LogReader,
  { bases, comesLater = false }: SnapshotStores,
  { base, onUnsound }: { readonly base: number; readonly onUnsound: OnDamagedSnapshot }
): Promise<boolean> => {
  if (await bases.isReceived()) await bases.check(await baseSnapshotOf(log, bases), { repair: false })
  else if (retention)
    try {
      await checkBaseSnapshot(retention, bases)
    } catch (error) {
      const isComplete = log.firstIndex === 1
      if (!(isComplete || comesLater) || !(error instanceof LogUnusable)) throw error
      // A replica never has one.
      if (!isComplete) onUnsound(bases.pathOf(retention.Index), error.message)
      return comesLater && base !== retention.Index
    }
  else if (log.firstIndex > 1)
    throw new LogUnusable(`the log begins with commit ${log.firstIndex}, and no commit tells of a base`)
  return true
}

const fold = async (views: Views, log: LogReader): Promise<void> => {
  for await (const page of log.pages(views.index + 1)) for (const commit of page) views.apply(commit)
}

/** See `restore`. @throws CommitsPruned too */
const restoreOnce = async (
  views: Views,
  log: LogReader,
  beside?: SnapshotStores,
  onUnsound: OnDamagedSnapshot = () => {}
): Promise<number> => {
  views.reset()
  if (beside) await loadNewest(views, beside.snapshots, onUnsound)
  const from = views.index
  const base = from === 0 ? await baseSnapshotOf(log, beside?.bases) : 0
  if (beside && base > 0) await loadSnapshot(views, beside.bases, base)
  await fold(views, log)
  if (beside && !(await proveBase(views, log, beside, { base, onUnsound })) && base > 0) {
    views.reset()
    await fold(views, log)
  }
  return from
}

/**
 * Rebuilds the read models; again if what it reads is pruned meanwhile, or a base snapshot replaced. An unusable snapshot only costs time; the base
 * snapshot of a pruned log must be sound.
 * @returns the index of the snapshot that was used; 0 for none
 * @throws LogUnusable LogDamage
 */
export const restore = async (...sources: Parameters<typeof restoreOnce>): Promise<number> => {
  for (;;)
    try {
      return await restoreOnce(...sources)
    } catch (error) {
      if (!(error instanceof CommitsPruned)) throw error
    }
}
