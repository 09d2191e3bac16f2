// Servers that say nothing any more, as behind a link that was cut: what they were asked is given up, which else would wait for as long
// as the system keeps the connection. While a server has something to answer it is asked again and again whether it is there.
import type { Timers } from '../../../actors/timers.js'
import { INTERNAL_DATACENTER } from '../../../http/routes/internal/datacenter.js'
import type { ServerConnections } from '../transport/server-connections.js'

/** Between two questions whether a server is there, and before the first. */
const BETWEEN_MS = 1000
/** Within which it must answer. */
const ANSWER_MS = 2000
/** A server that has not answered so many questions in turn is silent. */
const MOST_MISSED = 2

/** A request that a server has not answered, or not to its end. */
export interface Pending {
  /** Aborts when the server is found silent. */
  readonly signal: AbortSignal
  /** To be called when it is over. */
  readonly close: () => void
}

interface Watched {
  readonly pending: Set<AbortController>
  missed: number
}

export class SilentServers {
  /** By address, those that have something to answer. */
  readonly #watched = new Map<string, Watched>()

  /** @param headers of the questions, names and values in turn */
  constructor(private readonly connections: ServerConnections, private readonly timers: Timers, private readonly headers: readonly string[]) {
  }

  /** To be called for each request that is sent. */
  open(address: string): Pending {
    const controller = new AbortController()
    let watched = this.#watched.get(address)
    if (!watched) {
      watched = { pending: new Set(), missed: 0 }
      this.#watched.set(address, watched)
      this.#askLater(address, watched)
    }
    const { pending } = watched
    pending.add(controller)
    return { signal: controller.signal, close: () => void pending.delete(controller) }
  }

  #askLater(address: string, watched: Watched): void {
    this.timers.setTimeout(() => {
      if (watched.pending.size === 0) this.#watched.delete(address)
      else void this.#ask(address, watched)
    }, BETWEEN_MS)
  }

  /** Never rejects. */
  async #ask(address: string, watched: Watched): Promise<void> {
    const late = new AbortController()
    const timer = this.timers.setTimeout(() => late.abort(), ANSWER_MS)
    const question = { method: 'GET', url: INTERNAL_DATACENTER, headers: this.headers, isLong: true }
    const attempt = await this.connections.send(address, { ...question, onAsked: () => {} }, late.signal)
    this.timers.clearTimeout(timer)
    // Any answer shows that it is there.
    if (attempt.kind === 'answered') attempt.answer.resume()
    watched.missed = attempt.kind === 'answered' ? 0 : watched.missed + 1
    if (watched.missed < MOST_MISSED) return this.#askLater(address, watched)
    this.#watched.delete(address)
    for (const controller of watched.pending) controller.abort()
  }
}
