// Brings read models to where the log is: from the newest snapshot that holds, and the commits after it.
import { LogUnusable, type EventLog } from '../events/log/log.js'
import type { Retention } from '../events/retention.js'
import type { BaseSnapshots } from '../events/log/snapshots/base-snapshots.js'
import type { Block } from '../events/log/snapshots/format.js'
import type { SnapshotReader } from '../events/log/snapshots/read.js'
import type { Snapshots } from '../events/log/snapshots/snapshots.js'
import type { SavedState } from './saved-state.js'
import type { Views } from './read-models.js'

/** A block is closed when its rows have so many characters. */
const BLOCK_CHARACTERS = 256 * 1024

/** The state as the blocks of a snapshot, made one by one. Nothing may change until the last one is. */
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

/** Told of a snapshot that cannot be used. */
export type OnDamagedSnapshot = (file: string, reason: string) => void

const loadBlocks = async (views: Views, reader: SnapshotReader, index: number): Promise<void> => {
  const state = views.saved()
  for await (const { part, rows } of reader.blocks()) state.load(part, rows)
  state.end(index)
}

/**
 * Loads the snapshot of an index into read models that are empty.
 * @throws Error when it cannot be used; the read models may then hold anything, and have to be reset
 */
export const loadSnapshot = async (views: Views, snapshots: Snapshots, index: number): Promise<void> => {
  const reader = await snapshots.open(index)
  try {
    await loadBlocks(views, reader, index)
  } finally {
    await reader.close()
  }
}

/** Loads a base into read models that are empty. @throws LogUnusable when it is damaged */
export const loadBaseSnapshot = async (views: Views, bases: BaseSnapshots, index: number): Promise<void> => {
  const reader = await bases.open(index)
  try {
    await loadBlocks(views, reader, index)
  } finally {
    await reader.close()
  }
}

/**
 * The base from which a log can be replayed that has let its first commits go, or of which some may be erased in part.
 * @returns its index; 0 when the log is whole
 * @throws LogUnusable when there is none
 */
export const baseSnapshotOf = async (
  log: Pick<EventLog, 'firstIndex' | 'durableIndex'>,
  bases: BaseSnapshots | undefined
): Promise<number> => {
  const index = (await bases?.indexes())?.findLast(base => base >= log.firstIndex - 1)
  if (log.firstIndex === 1) {
    if (!bases || index === undefined || index > log.durableIndex) return 0
    // One of which no commit tells need not be whole.
    return (await bases.isSound(index)) ? index : 0
  }
  if (index === undefined)
    throw new LogUnusable(
      `the log begins with commit ${log.firstIndex}, and there is no base for those before it`
    )
  return index
}

/** What stands beside a log, for starts. */
export interface SnapshotStores {
  readonly snapshots: Snapshots
  readonly bases: BaseSnapshots
  /** Whether the base that a commit tells of may come after it, from the server that has made it: the one before stands in till then. */
  readonly comesLater?: boolean
}

/** Loads the newest snapshot that holds; read models that find none stay empty. */
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
      onUnsound(snapshots.pathOf(index), error instanceof Error ? error.message : String(error))
    }
  }
}

/**
 * @returns paths of copies that are damaged or missing
 * @throws LogUnusable when the base that a commit tells of is not there as it was made
 */
export const checkBaseSnapshot = async (
  { Index, Base }: Retention,
  bases: BaseSnapshots
): Promise<readonly string[]> => {
  const { digest, repaired } = await bases.check(Index, { repair: false })
  if (digest !== Base) throw new LogUnusable(`${bases.pathOf(Index)} is not the base that the log tells of`)
  return repaired
}

/**
 * Looks for the base that a commit tells of. Where no commits were let go it can be made anew.
 * @returns whether there is none, or it is as it was made
 * @throws LogUnusable when it is not there as it was made, and commits were let go
 */
const proveBase = async (
  { retainedLog: { retention } }: Views,
  log: EventLog,
  { bases, comesLater = false }: SnapshotStores,
  { base, onUnsound }: { readonly base: number; readonly onUnsound: OnDamagedSnapshot }
): Promise<boolean> => {
  if (retention)
    try {
      await checkBaseSnapshot(retention, bases)
    } catch (error) {
      if ((log.firstIndex > 1 && !comesLater) || !(error instanceof LogUnusable)) throw error
      onUnsound(bases.pathOf(retention.Index), error.message)
      return comesLater && base !== retention.Index
    }
  else if (log.firstIndex > 1)
    throw new LogUnusable(`the log begins with commit ${log.firstIndex}, and no commit tells of a base`)
  return true
}

const fold = async (views: Views, log: EventLog): Promise<void> => {
  for await (const page of log.pages(views.index + 1)) for (const commit of page) views.apply(commit)
}

/**
 * Makes the read models anew. A snapshot that does not hold costs time only; the base of a log that has let
 * commits go must hold.
 * @returns the index of the snapshot that they were made from; 0 for none
 * @throws LogUnusable LogDamage
 */
export const restore = async (
  views: Views,
  log: EventLog,
  beside?: SnapshotStores,
  onUnsound: OnDamagedSnapshot = () => {}
): Promise<number> => {
  views.reset()
  if (beside) await loadNewest(views, beside.snapshots, onUnsound)
  const from = views.index
  const base = from === 0 ? await baseSnapshotOf(log, beside?.bases) : 0
  if (beside && base > 0) await loadBaseSnapshot(views, beside.bases, base)
  await fold(views, log)
  if (beside && !(await proveBase(views, log, beside, { base, onUnsound })) && base > 0) {
    views.reset()
    await fold(views, log)
  }
  return from
}
