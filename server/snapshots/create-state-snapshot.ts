// Makes a snapshot of the read models from a log that is read beside its writer.
import type { EventLog } from '../../events/log/log.js'
import { blocksOf, restore } from '../../projections/restore-views.js'
import type { SnapshotStores, OnDamagedSnapshot } from '../../projections/restore-views.js'
import { Views } from '../../projections/read-models.js'
import { viewSettings } from '../settings/settings.js'
import type { Settings } from '../settings/settings.js'

interface MadeSnapshot {
  /** The newest commit that is in it. */
  readonly index: number
  readonly path: string
}

/**
 * Makes a snapshot of all that is durable now, unless there is one. The whole state is held in memory for it.
 * @throws LogUnusable, and what the file system reports
 */
export const createStateSnapshot = async (
  settings: Settings,
  log: EventLog,
  beside: SnapshotStores,
  onUnsound: OnDamagedSnapshot
): Promise<MadeSnapshot> => {
  const views = new Views(viewSettings(settings))
  const newest = await restore(views, log, beside, onUnsound)
  const { index } = views
  if (index > newest) await beside.snapshots.write(index, blocksOf(views.saved()))
  return { index, path: beside.snapshots.pathOf(index) }
}
