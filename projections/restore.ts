// Brings read models to where the log is: from the newest snapshot that holds, and the commits after it.
import type { EventLog } from '../events/log/log.js'
import type { Block } from '../events/log/snapshots/format.js'
import type { Snapshots } from '../events/log/snapshots/snapshots.js'
import type { SavedState } from './saved-state.js'
import type { Views } from './views.js'

/** A block is closed when its rows have so many characters. */
const BLOCK_CHARACTERS = 256 * 1024

/** The state as the blocks of a snapshot, each made when it is asked for. Nothing may change until the last one is. */
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
export type OnUnsound = (file: string, reason: string) => void

/**
 * Loads the snapshot of an index into read models that are empty.
 * @throws Error when it cannot be used; the read models may then hold anything, and have to be reset
 */
export const loadSnapshot = async (views: Views, snapshots: Snapshots, index: number): Promise<void> => {
  const reader = await snapshots.open(index)
  try {
    const state = views.saved()
    for await (const { part, rows } of reader.blocks()) state.load(part, rows)
    state.end(index)
  } finally {
    await reader.close()
  }
}

/** Loads the newest snapshot that holds; read models that find none stay empty. */
const loadNewest = async (views: Views, snapshots: Snapshots, onUnsound: OnUnsound): Promise<void> => {
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
 * Makes the read models anew. A snapshot that does not hold costs time only.
 * @returns the index of the snapshot that they were made from; 0 for none
 */
export const restore = async (
  views: Views,
  log: EventLog,
  snapshots?: Snapshots,
  onUnsound: OnUnsound = () => {}
): Promise<number> => {
  views.reset()
  if (snapshots) await loadNewest(views, snapshots, onUnsound)
  const from = views.index
  for await (const page of log.pages(from + 1)) for (const commit of page) views.apply(commit)
  return from
}
