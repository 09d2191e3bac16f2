// Starts a server with workers.
import type { SegmentLogOptions } from '../../events/log/segments/log.js'
import { openLog } from '../compose.js'
import { startServer, type RunningServer } from '../running-server.js'
import type { LiveSettings } from '../settings/live-settings.js'
import { Workers } from './workers.js'

/** Resolves when its main process listens; the workers come when they are ready. @throws ListenError LogUnusable */
export const startWithWorkers = async (
  live: LiveSettings,
  options: Pick<SegmentLogOptions, 'report' | 'fatal'>
): Promise<RunningServer> => {
  const workers = new Workers(live.current)
  const log = await openLog(live.current, { ...options, over: workers.over })
  workers.use(log)
  return startServer(live, log, () => {}, { companion: workers })
}
