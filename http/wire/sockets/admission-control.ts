// Checks that apply to every request before its route is called.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LiveSettings } from '../../../server/settings/live-settings.js'
import { plain, type RouteResponse } from '../response.js'
import { CLOCK_SKEW } from '../problems.js'
import { REQUEST_ROUTING, type RequestRouting } from '../request-routing.js'
import { ResponseWriter } from '../response-writer.js'
import { BrowserGuard } from './browser-guard.js'
import { OpenConnections } from './open-connections.js'
import { syntaxErrorOf } from './request-syntax.js'
import { ConnectionQueue, OutputBackpressure } from './connection-queue.js'

@scoped(Lifecycle.ContainerScoped)
export class AdmissionControl {
  constructor(
    private readonly settings: LiveSettings,
    private readonly connections: OpenConnections,
    private readonly queue: ConnectionQueue,
    private readonly output: OutputBackpressure,
    private readonly writer: ResponseWriter,
    private readonly browsers: BrowserGuard,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly routing: RequestRouting | undefined
  ) {}

  /** Calls `proceed` in the order of the connection's requests, unless the request is rejected or answered here. */
  pass(request: IncomingMessage, response: ServerResponse, proceed: () => void): void {
    if (this.connections.isRefused(request.socket)) return
    this.queue.await(request, response, () => {
      const refusal = this.#refusalOf(request)
      if (refusal) this.writer.write(response, refusal)
      else if (this.browsers.isShared(request.headers)) this.browsers.share(request, response, proceed)
      else proceed()
    })
  }

  isOpenFor(request: IncomingMessage): boolean {
    const { socket } = request
    return (
      !this.connections.isRefused(socket) &&
      this.queue.isFree(socket) &&
      this.#refusalOf(request) === undefined
    )
  }

  #refusalOf(request: IncomingMessage): RouteResponse | undefined {
    const fault = syntaxErrorOf(request)
    if (fault !== undefined) return plain(400, fault, ['Connection', 'close'])
    const most = this.settings.current.limits.http_unsent_bytes_total
    if (this.output.total > most)
      return plain(
        503,
        `Too much waits to be read by others: the limit is ${most} bytes (limits.http_unsent_bytes_total). Try again later`
      )
    const unproved = this.routing?.senderFault(request)
    if (unproved) return plain(403, unproved.text, unproved.isOfClock ? CLOCK_SKEW : [])
    // The forwarding server has checked the origin already.
    return this.routing?.senderOf(request) ? undefined : this.browsers.refusalOf(request)
  }
}
