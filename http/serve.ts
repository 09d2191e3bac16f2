// `annals serve`: a server from start to signal.
import { openLog } from './compose.js'
import { startServer, type RunningServer } from './running-server.js'
import type { LiveSettings } from './settings/live-settings.js'
import { heedSignals } from './signals.js'

const start = async (live: LiveSettings): Promise<RunningServer> =>
  startServer(live, await openLog(live.current))

/**
 * Runs a server until a signal ends it, and the process with 0 (see `signals.ts`).
 * @throws LogUnusable, or ListenError
 */
export const serve = async (live: LiveSettings): Promise<void> => {
  const starting = start(live)
  heedSignals(starting)
  const { app, port, httpsPort } = await starting
  const { logger, committer, views } = app
  committer.signals.on('broken', error => {
    logger.fatal({ err: error }, 'the log cannot be read: the server ends rather than guess')
    process.exit(1)
  })
  logger.info({ port, httpsPort, data_dir: live.current.data_dir, index: views.index }, 'annals is listening')
}
