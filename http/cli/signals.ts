// What the signals that a process gets mean to a server, from the first moment of its start.
import { LiveSettings } from '../settings/live-settings.js'
import type { RunningServer } from '../running-server.js'
import { LOGGER } from '../program/ports.js'
import { Reload } from '../program/reload.js'

/** These end it after what is in flight. */
const ENDING = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const
/** Node would open a debugger at SIGUSR1 and end without a word at SIGUSR2. */
const MEANINGLESS = ['SIGUSR1', 'SIGUSR2'] as const

/** @param starting a signal that comes before the server runs is heeded as soon as it does, and not at all if it never does */
export const heedSignals = (starting: Promise<RunningServer>): void => {
  const heed = (
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
  // A file-size limit must fail the write, which the log answers for, and not end the process.
  process.on('SIGXFSZ', () => {})
  heed(MEANINGLESS, ({ scope }, signal) =>
    scope.resolve(LOGGER).info({ signal }, 'this signal means nothing to the server')
  )
  heed(['SIGHUP'], ({ scope }, signal) => {
    const logger = scope.resolve(LOGGER)
    scope
      .resolve(Reload)
      .run()
      .catch(error => logger.error({ signal, err: error }, 'the configuration stays as it was'))
  })
  let ending = false
  heed(ENDING, (server, signal) => {
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
