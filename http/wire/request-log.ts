// A line of log for each request, at level `debug`: what was asked, how it was answered, and how long that took.
import type { Server } from 'node:http'
import type { Logger } from '../logging/logger.js'

/** Microseconds; more digits tell nothing. */
const PRECISION = 1000

/** Logs the requests of a server from now on, as long as `debug` is logged. */
export const logRequests = (server: Server, logger: Logger): void => {
  server.on('request', (request, response) => {
    if (!logger.isLevelEnabled('debug')) return
    const { method, url, socket } = request
    const ip = socket.remoteAddress
    const started = performance.now()
    let outcome = 'request broken off'
    response.once('finish', () => (outcome = 'request'))
    response.once('close', () => {
      const ms = Math.round((performance.now() - started) * PRECISION) / PRECISION
      logger.debug({ req: { method, url, ip }, res: response, ms }, outcome)
    })
  })
}
