import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LOGGER } from '../../server/settings/ports.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { TRACING, type Tracing } from '../../server/telemetry/tracing/tracing.js'
import { REQUEST_ID, requestIdIn, returnRequestId } from '../../server/telemetry/request-id.js'
import { ClientAddresses } from './bodies/incoming-request.js'
import { REQUEST_ROUTING, type RequestRouting } from './request-routing.js'

const PRECISION = 1000

/** Logs each request at level `debug`, and with `log.requests` at level `info`. */
@scoped(Lifecycle.ContainerScoped)
export class RequestLog {
  constructor(
    private readonly live: LiveSettings,
    @inject(LOGGER) private readonly logger: Logger,
    private readonly addresses: ClientAddresses,
    @inject(TRACING, { isOptional: true }) private readonly tracing: Tracing | undefined,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly routing: RequestRouting | undefined
  ) {}

  /** Observes a request from its arrival to the end of its response, which returns its ID. */
  follow(request: IncomingMessage, response: ServerResponse): void {
    this.tracing?.spanOf(request).endWith(response)
    if (request.headers[REQUEST_ID] !== undefined) returnRequestId(request, response)
    const { requests } = this.live.current.log
    if (!this.logger.isLevelEnabled(requests ? this.#levelOf(request) : 'debug')) return
    // The address is not available after a disconnect.
    const ip = this.addresses.of(request)
    const started = performance.now()
    let outcome = 'request broken off'
    response.once('finish', () => (outcome = 'request'))
    response.once('close', () => {
      const ms = Math.round((performance.now() - started) * PRECISION) / PRECISION
      this.#write(request, ip, { res: response, ms }, outcome)
    })
  }

  noteUpgrade(request: IncomingMessage, statusCode: number): void {
    if (this.logger.isLevelEnabled(this.#levelOf(request)))
      this.#write(request, this.addresses.of(request), { res: { statusCode } }, 'request')
  }

  /** Requests forwarded by a worker are logged there. */
  #levelOf(request: IncomingMessage): 'info' | 'debug' {
    const isInfo = this.live.current.log.requests && !this.routing?.isCountedBySender(request)
    return isInfo ? 'info' : 'debug'
  }

  #write(request: IncomingMessage, ip: string, how: object, outcome: string): void {
    const { method, url, headers } = request
    const req = { id: requestIdIn(headers), method, url, ip }
    this.logger[this.#levelOf(request)]({ req, ...how, ...this.tracing?.spanOf(request).ids }, outcome)
  }
}
