import { LiveSettings } from '../settings/settings.js'
import type { RunningServer } from '../running-server.js'
import { LOGGER } from '../settings/ports.js'
import { Reload } from '../settings/reload.js'

/** Stop the server after the requests in flight. */
const ENDING = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const
/** Node.js would open a debugger at SIGUSR1, and end silently at SIGUSR2. */
const IGNORED = ['SIGUSR1', 'SIGUSR2'] as const

/** @param starting earlier signals take effect when the server runs @param onEnding called when the shutdown begins, also during the start */
export const handleSignals = (starting: Promise<RunningServer>, onEnding: () => void): void => {
  const on = (
    signals: readonly NodeJS.Signals[],
    act: (server: RunningServer, signal: string) => void
  ): void => {
    for (const signal of signals)
      process.on(signal, () => {
        starting.then(
          server => act(server, signal),
          () => {}
        )
      })
  }
  // At a file-size limit, the failed write must reach the log instead of ending the process.
  process.on('SIGXFSZ', () => {})
  on(IGNORED, ({ scope }, signal) =>
    scope.resolve(LOGGER).info({ signal }, 'this signal means nothing to the server')
  )
  on(['SIGHUP'], ({ scope }, signal) => {
    const logger = scope.resolve(LOGGER)
    scope
      .resolve(Reload)
      .run()
      .catch(error => logger.error({ signal, err: error }, 'the configuration is unchanged'))
  })
  for (const signal of ENDING) process.on(signal, onEnding)
  let ending = false
  on(ENDING, (server, signal) => {
    if (!ending) end(server, signal)
    ending = true
  })
}

const end = ({ scope, close }: RunningServer, signal: string): void => {
  const logger = scope.resolve(LOGGER)
  const { limits } = scope.resolve(LiveSettings).current
  logger.info({ signal }, 'ending')
  setTimeout(() => process.exit(1), limits.shutdown_timeout).unref()
  close().then(
    () => process.exit(0),
    error => {
      logger.error({ err: error }, 'the server did not end cleanly')
      process.exit(1)
    }
  )
}
