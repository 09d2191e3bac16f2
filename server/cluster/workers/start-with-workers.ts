import type { ClusterLogOptions } from '../members/clustered-log.js'
import { openLog } from '../../open-log.js'
import { startServer, type RunningServer } from '../../running-server.js'
import type { LiveSettings } from '../../settings/settings.js'
import { Workers } from './workers.js'

/** Resolves when the main process listens. Workers follow later. @throws ListenError LogUnusable; SharedUnreachable */
export const startWithWorkers = async (
  live: LiveSettings,
  options: ClusterLogOptions
): Promise<RunningServer> => {
  const workers = new Workers(live.current)
  if (live.current.cluster.enabled) {
    const { startClusteredServer } = await import('../members/clustered-server.js')
    return startClusteredServer(live, { ...options, workers })
  }
  const log = await openLog(live.current, { ...options, feed: workers.logFeed })
  workers.use(log)
  return startServer(live, log, undefined, workers)
}
