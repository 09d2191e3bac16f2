import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import {
  exceedsContentLength,
  bodySizeLimitOf,
  collectBody,
  hasBody,
  sendContinue,
  tooLarge
} from './bodies/request-body.js'
import type { RequestHandlerServices } from './request-handler-services.js'
import { problem } from './problems.js'
import { readError } from './read-errors.js'
import type { RequestContext } from './request-context.js'
import type { ServedRoute } from './served-routes.js'

/** Forwards one request to another datacenter. The response does not depend on this server's state, so it waits for nothing here. */
export class ForwardedRequestHandler {
  readonly #started = performance.now()

  constructor(
    private readonly services: RequestHandlerServices,
    private readonly served: ServedRoute,
    private readonly message: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly request: RequestContext
  ) {}

  /** Forwards the request if it names another datacenter, known or not. Returns true if it does. */
  run(): boolean {
    const { route } = this.served
    try {
      const name = this.services.datacenters?.requestedDatacenterOf(route, this.request)
      if (name === undefined) return false
      if (route.admit) void this.send(name, this.message)
      else if (hasBody(this.message)) this.#collect(name)
      else void this.send(name, undefined)
    } catch (error) {
      this.#fail(error)
    }
    return true
  }

  /**
   * Forwards the request. Resolves when it is answered, possibly with an error of this server.
   * @param body complete, or the message itself to stream it
   */
  async send(name: string, body: Buffer | Readable | undefined): Promise<void> {
    const [message, response, request] = [this.message, this.response, this.request]
    const { datacenters, arrivals } = this.services
    if (this.served.route.method === 'GET') arrivals.queue.listen(message)
    else if (body !== message) arrivals.queue.hold(message)
    try {
      const asked = { request, message, response, body, sendContinue: () => sendContinue(message, response) }
      const status = await datacenters?.forward(name, asked)
      if (status !== undefined) this.#observe(status)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The token is not validated, since only the other datacenter may know it. */
  #collect(name: string): void {
    const [message, response] = [this.message, this.response]
    const bound = bodySizeLimitOf(this.request.settings.limits, this.served.route.bodyLimit)
    if (exceedsContentLength(message, bound)) throw tooLarge(message, bound)
    sendContinue(message, response)
    collectBody(message, bound, this.services.bodyBudget, {
      take: (body, release) => void this.send(name, body).finally(release),
      refuse: reason => this.#fail(reason)
    })
  }

  #fail(error: unknown): void {
    const { writer, logger } = this.services
    const answer = readError(this.served.route, problem(error, logger))
    if (!this.response.headersSent) writer.write(this.response, answer, this.request)
    this.#observe(answer.status)
  }

  #observe(status: number): void {
    if (!this.services.routing?.isCountedBySender(this.message))
      this.served.meter.observe(status, (performance.now() - this.#started) / 1000)
  }
}
