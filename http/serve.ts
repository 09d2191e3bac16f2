// `annals serve`: a server from start to signal.
import { openLog } from './compose.js'
import { startServer } from './running-server.js'
import type { Settings } from './settings.js'

/** Runs a server until SIGTERM or SIGINT, then ends what is in flight and the process with 0. @throws LogUnusable */
export const serve = async (settings: Settings): Promise<void> => {
  const log = await openLog(settings)
  const { app, port, close } = await startServer(settings, log)
  const { logger, committer } = app
  logger.info({ port, data_dir: settings.data_dir, index: app.views.index }, 'annals is listening')
  let ending = false
  const end = (signal: string): void => {
    if (ending) return
    ending = true
    logger.info({ signal }, 'ending')
    setTimeout(() => process.exit(1), settings.limits.shutdown_timeout).unref()
    close().then(
      () => process.exit(0),
      error => {
        logger.error({ err: error }, 'the server did not end cleanly')
        process.exit(1)
      }
    )
  }
  // A file-size limit must fail the write, which the log answers for, and not end the process.
  process.on('SIGXFSZ', () => {})
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  committer.signals.on('broken', error => {
    logger.fatal({ err: error }, 'the log cannot be read: the server ends rather than guess')
    process.exit(1)
  })
}
