// Sends POST requests to configured URLs, only to allowed addresses and without redirects.
import type { Agent, Dispatcher } from 'undici'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { TRACE_HEADERS, type TraceHeaders } from '../ports.js'
import { Timers } from '../clock.js'
import { Destinations, type Initiator, guardOf, OutgoingTls, type TlsMaterial } from './destinations.js'
import type { guardedAgent } from './guarded-agent.js'

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Milliseconds, response included. */
  readonly timeout: number
}

interface Pool {
  readonly agent: Agent
  readonly material: TlsMaterial
}

@scoped(Lifecycle.ContainerScoped)
export class GuardedClient {
  readonly #pools = new Map<Initiator, Pool>()

  constructor(
    private readonly timers: Timers,
    private readonly destinations: Destinations,
    private readonly tls: OutgoingTls,
    @inject(TRACE_HEADERS, { isOptional: true }) private readonly traceHeaders: TraceHeaders = () => ({})
  ) {}

  /** Rejects without a response in time, or for an address that is not allowed. @param use reads the response; the rest of its body is dropped */
  async post<T>(
    initiator: Initiator,
    { url, headers, body, timeout }: Post,
    abortSignal: AbortSignal,
    use: (response: Dispatcher.ResponseData, signal: AbortSignal) => Promise<T>
  ): Promise<T> {
    const late = new AbortController()
    const timer = this.timers.setTimeout(
      () => late.abort(new Error(`no answer within ${timeout} ms`)),
      timeout
    )
    const signal = AbortSignal.any([abortSignal, late.signal])
    try {
      // Loaded on demand: a server that sends no requests starts faster.
      const [{ request }, { guardedAgent }] = await Promise.all([
        import('undici'),
        import('./guarded-agent.js')
      ])
      const dispatcher = this.#agentOf(initiator, guardedAgent)
      const response = await request(url, {
        method: 'POST',
        headers: { 'user-agent': 'annals', ...this.traceHeaders(), ...headers },
        body,
        dispatcher,
        signal
      })
      return await use(response, signal)
    } finally {
      this.timers.clearTimeout(timer)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(({ agent }) => agent.destroy()))
  }

  #agentOf(initiator: Initiator, make: typeof guardedAgent): Agent {
    const { material } = this.tls
    const known = this.#pools.get(initiator)
    if (known?.material === material) return known.agent
    // Running requests on the old connections finish.
    void known?.agent.close()
    const agent = make({ ...guardOf(this.destinations, initiator), secureContext: this.tls.contextFor('') })
    this.#pools.set(initiator, { agent, material })
    return agent
  }
}

/** Returns the reason of a failed request. An error of a connection to several addresses has no message. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? error.message || ('code' in error ? String(error.code) : error.name)
    : String(error)

// Delays between attempts of a delivery.

/** Milliseconds. */
interface RetryBounds {
  readonly min: number
  readonly max: number
}

const SECONDS = /^\d{1,9}$/
/** `Date.parse` accepts many other formats. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Returns the delay before the next attempt, ms: doubled after each failure, minus a random part of up to a
 * half, so that simultaneous failures are not retried together.
 * @param failures failed attempts, at least 1
 * @param random from 0 to 1
 */
export const retryDelay = (failures: number, { min, max }: RetryBounds, random: number): number => {
  const full = Math.min(min * 2 ** Math.min(failures - 1, 52), Math.max(max, min))
  return full * (1 - random / 2)
}

/** Parses seconds or a date to ms; undefined for anything else. @param now epoch milliseconds */
export const retryAfterOf = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  if (SECONDS.test(text)) return Number(text) * 1000
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0)
}
