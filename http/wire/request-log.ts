// A line of log for each request: what was asked, how it was answered, and how long that took.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LOGGER } from '../../server/settings/ports.js'
import { LiveSettings } from '../../server/settings/live-settings.js'
import { TRACING, type Tracing } from '../../server/telemetry/tracing/tracing.js'
import { requestIdIn } from '../../server/telemetry/request-id.js'
import { ClientAddresses } from './sockets/client-addresses.js'
import { REQUEST_ROUTING, type RequestRouting } from './request-routing.js'

/** Microseconds; more digits tell nothing. */
const PRECISION = 1000

/** Logs requests at level `debug`, and with `log.requests` at level `info`. */
@scoped(Lifecycle.ContainerScoped)
export class RequestLog {
  constructor(
    private readonly live: LiveSettings,
    @inject(LOGGER) private readonly logger: Logger,
    private readonly addresses: ClientAddresses,
    @inject(TRACING, { isOptional: true }) private readonly tracing: Tracing | undefined,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly whoAnswers: RequestRouting | undefined
  ) {}

  /** Logs a request that has just arrived once it is over, as long as such lines are logged. */
  follow(request: IncomingMessage, response: ServerResponse): void {
    if (!this.logger.isLevelEnabled(this.#levelOf(request))) return
    // Whoever has gone has no address any more.
    const ip = this.addresses.of(request)
    const started = performance.now()
    let outcome = 'request broken off'
    response.once('finish', () => (outcome = 'request'))
    response.once('close', () => {
      const ms = Math.round((performance.now() - started) * PRECISION) / PRECISION
      this.#write(request, ip, { res: response, ms }, outcome)
    })
  }

  /** Logs a request that has become a WebSocket, or was refused to. */
  noteUpgrade(request: IncomingMessage, statusCode: number): void {
    if (this.logger.isLevelEnabled(this.#levelOf(request)))
      this.#write(request, this.addresses.of(request), { res: { statusCode } }, 'request')
  }

  /** Requests that a worker has sent on are its lines. */
  #levelOf(request: IncomingMessage): 'info' | 'debug' {
    const isWanted = this.live.current.log.requests && !this.whoAnswers?.isCountedBySender(request)
    return isWanted ? 'info' : 'debug'
  }

  #write(request: IncomingMessage, ip: string, how: object, outcome: string): void {
    const { method, url, headers } = request
    const req = { id: requestIdIn(headers), method, url, ip }
    this.logger[this.#levelOf(request)]({ req, ...how, ...this.tracing?.spanOf(request).ids }, outcome)
  }
}
