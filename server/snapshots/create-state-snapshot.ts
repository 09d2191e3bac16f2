import type { LogReader } from '../../events/log/log.js'
import { blocksOf, restore } from '../../projections/restore-views.js'
import type { SnapshotStores, OnDamagedSnapshot } from '../../projections/restore-views.js'
import { Views } from '../../projections/read-models.js'
import { viewSettings, type Settings } from '../settings/settings.js'

interface MadeSnapshot {
  readonly index: number
  readonly path: string
}

/** Writes a snapshot of the durable state, unless there is one. Holds the whole state in memory. @throws LogUnusable, and file system errors */
export const createStateSnapshot = async (
  settings: Settings,
  log: LogReader,
  beside: SnapshotStores,
  onUnsound: OnDamagedSnapshot
): Promise<MadeSnapshot> => {
  const views = new Views(viewSettings(settings))
  const newest = await restore(views, log, beside, onUnsound)
  const { index } = views
  if (index > newest) await beside.snapshots.write(index, blocksOf(views.saved()))
  return { index, path: beside.snapshots.pathOf(index) }
}
