import { snapshotStoresIn } from '../../projections/snapshot-stores.js'
import { createStateSnapshot } from '../snapshots/create-state-snapshot.js'
import type { Settings } from '../settings/settings.js'
import type { Console } from '../../clients/cli/console.js'
import { withLog } from './open-log.js'

/** Creates a snapshot of the durable state, unless there is one. @throws LogUnusable */
export const logSnapshot = (settings: Settings, { out, err }: Console): Promise<void> =>
  withLog(settings, { withSecrets: true }, async log => {
    const beside = snapshotStoresIn(log, settings.cluster.enabled)
    const { index, path } = await createStateSnapshot(settings, log, beside, (file, reason) =>
      err.write(`passed over ${file}: ${reason}\n`)
    )
    out.write(`commits 1 to ${index}: ${path}\n`)
  })
