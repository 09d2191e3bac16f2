import type { IncomingMessage, ServerResponse } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { REQUEST_ID, requestIdFault } from '../../../server/telemetry/request-id.js'
import { type RouteResponse, refusedWith, CLOCK_SKEW } from '../response.js'
import { REQUEST_ROUTING, type RequestRouting } from '../request-routing.js'
import { BATCH_PATH } from '../batches/frames.js'
import { serveBatch } from '../batches/batched-requests.js'
import { RequestLog } from '../request-log.js'
import { RouteTable } from '../route-table.js'
import { ResponseWriter } from '../response-writer.js'
import { BrowserGuard } from './browser-guard.js'
import { OpenConnections } from './open-connections.js'
import { ConnectionQueue } from './connection-queue.js'

const HOST = 'host'

const syntaxErrorOf = ({
  httpVersionMajor,
  httpVersion,
  rawHeaders,
  headers
}: IncomingMessage): string | undefined => {
  if (httpVersionMajor !== 1)
    return 'Bad request: the request line must end with a version, HTTP/1.1 or HTTP/1.0'
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts++
  }
  // RFC 9112 §3.2
  if (hosts > 1) return 'Bad request: a request must have at most one Host header'
  if (hosts === 0 && httpVersion === '1.1')
    return 'Bad request: a request of HTTP/1.1 must have a Host header'
  return headers[REQUEST_ID] === undefined ? undefined : requestIdFault(headers)
}

@scoped(Lifecycle.ContainerScoped)
export class AdmissionControl {
  constructor(
    private readonly connections: OpenConnections,
    private readonly queue: ConnectionQueue,
    private readonly writer: ResponseWriter,
    private readonly browsers: BrowserGuard,
    private readonly routes: RouteTable,
    private readonly log: RequestLog,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly routing: RequestRouting | undefined
  ) {}

  /** Routes a request in the order of its connection's requests, unless it is rejected or answered here. */
  readonly pass = (request: IncomingMessage, response: ServerResponse): void => {
    // The requests of a batch are observed one by one.
    if (request.url !== BATCH_PATH) this.log.follow(request, response)
    if (!this.connections.refused.has(request.socket)) this.queue.await(request, response, this.#begin)
  }

  readonly #begin = (request: IncomingMessage, response: ServerResponse): void => {
    const refusal = this.#refusalOf(request)
    if (request.url === BATCH_PATH) {
      if (!refusal && this.routing?.senderOf(request)) return this.#serveBatch(request, response)
      this.log.follow(request, response)
    }
    if (refusal) this.writer.write(response, refusal)
    else if (request.headers.origin !== undefined && this.browsers.isShared(request.headers))
      this.browsers.share(request, response, () => this.routes.handle(request, response))
    else this.routes.handle(request, response)
  }

  #serveBatch(carrier: IncomingMessage, response: ServerResponse): void {
    // Its requests do not pause the connection, on which the others arrive.
    this.queue.listen(carrier)
    serveBatch(carrier, response, (request, itsResponse) => {
      this.log.follow(request, itsResponse)
      const unproved = this.#senderRefusal(request)
      if (unproved) this.writer.write(itsResponse, unproved)
      // No client takes part in a batch.
      else if (!this.routing?.senderOf(request)) response.destroy()
      else this.routes.handle(request, itsResponse)
    })
  }

  isOpenFor(request: IncomingMessage): boolean {
    const { socket } = request
    return (
      !this.connections.refused.has(socket) &&
      this.queue.isFree(socket) &&
      this.#refusalOf(request) === undefined
    )
  }

  #refusalOf(request: IncomingMessage): RouteResponse | undefined {
    const fault = syntaxErrorOf(request)
    if (fault !== undefined) return refusedWith('request.invalid', fault, ['Connection', 'close'])
    const crowded = this.queue.outputRefusal
    if (crowded !== undefined) return refusedWith('request.unavailable', crowded)
    const unproved = this.routing && this.#senderRefusal(request)
    if (unproved) return unproved
    // The forwarding server has checked the origin already.
    return this.routing?.senderOf(request) ? undefined : this.browsers.refusalOf(request)
  }

  #senderRefusal(request: IncomingMessage): RouteResponse | undefined {
    const fault = this.routing?.senderFault(request)
    return fault && refusedWith('request.sender-unproved', fault.text, fault.isOfClock ? CLOCK_SKEW : [])
  }
}
