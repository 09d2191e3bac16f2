// What any request passes before the framework leads it to its route, and what it is refused for there, whatever it asks for.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { plain, type Answer } from '../answer.js'
import type { App } from '../../program/app.js'
import { BrowserGuard } from './browser-guard.js'
import type { OpenConnections } from './open-connections.js'
import { formFault } from './request-form.js'
import type { RequestTurns } from './request-turns.js'
import type { UnsentBytes } from './unsent-bytes.js'
import type { AnswerWriter } from '../writer.js'

/** The parts of a server that a gate asks. */
export interface GateParts {
  readonly connections: OpenConnections
  readonly turns: RequestTurns
  readonly unsent: UnsentBytes
  readonly writer: AnswerWriter
}

export class Gate {
  readonly #app: App
  readonly #parts: GateParts
  readonly #browsers: BrowserGuard

  constructor(app: App, parts: GateParts) {
    this.#app = app
    this.#parts = parts
    this.#browsers = new BrowserGuard(app)
  }

  /** Has every request of a framework come through here, in its turn. */
  guard(fastify: FastifyInstance): void {
    const { connections, turns, writer } = this.#parts
    const browsers = this.#browsers
    fastify.addHook('onRequest', ({ raw }, reply, done) => {
      if (connections.isRefused(raw.socket)) reply.hijack()
      else turns.await(raw, reply.raw, done)
    })
    fastify.addHook('onRequest', ({ raw }, reply, done) => {
      const refusal = this.#refusalOf(raw)
      if (refusal) {
        reply.hijack()
        writer.write(reply.raw, refusal)
      } else if (browsers.isShared(raw.headers)) {
        // What a page asks before its request is answered at once.
        if (raw.method === 'OPTIONS') reply.hijack()
        browsers.share(raw, reply.raw, done)
      } else done()
    })
  }

  /** Whether a request would come to its route, and at once. */
  isOpenFor(request: IncomingMessage): boolean {
    const { connections, turns } = this.#parts
    const { socket } = request
    return !connections.isRefused(socket) && turns.isFree(socket) && this.#refusalOf(request) === undefined
  }

  #refusalOf(request: IncomingMessage): Answer | undefined {
    const fault = formFault(request)
    if (fault !== undefined) return plain(400, fault, ['Connection', 'close'])
    const most = this.#app.settings.limits.http_unsent_bytes_total
    if (this.#parts.unsent.total > most)
      return plain(
        503,
        `Too much waits to be read by others: the limit is ${most} bytes (limits.http_unsent_bytes_total). Try again later`
      )
    return this.#browsers.refusalOf(request)
  }
}
