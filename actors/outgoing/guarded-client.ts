// Posts to where somebody said, only to addresses that are allowed, never following a redirect.
import type { Agent, Dispatcher } from 'undici'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { TRACE_HEADERS, type TraceHeaders } from '../ports.js'
import { Timers } from '../timers.js'
import { Destinations, type Initiator } from './destinations.js'
import { guardOf } from './guard.js'
import type { guardedAgent } from './guarded-agent.js'
import { OutgoingTls, type TlsMaterial } from './outgoing-tls.js'

interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Milliseconds that it may take, the answer included. */
  readonly timeout: number
}

interface Pool {
  readonly agent: Agent
  /** With which it was made. */
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

  /**
   * Rejects when there is no answer in time, or the address is none that is allowed.
   * @param initiator on whose word it is sent
   * @param use takes the answer; what it does not read of it is not read
   * @param ends aborts when nobody waits for it any more
   */
  async post<T>(
    initiator: Initiator,
    { url, headers, body, timeout }: Post,
    ends: AbortSignal,
    use: (answer: Dispatcher.ResponseData, signal: AbortSignal) => Promise<T>
  ): Promise<T> {
    const late = new AbortController()
    const timer = this.timers.setTimeout(
      () => late.abort(new Error(`no answer within ${timeout} ms`)),
      timeout
    )
    const signal = AbortSignal.any([ends, late.signal])
    try {
      // Loaded with the first request: a server that sends none starts sooner.
      const [{ request }, { guardedAgent }] = await Promise.all([
        import('undici'),
        import('./guarded-agent.js')
      ])
      const dispatcher = this.#agentOf(initiator, guardedAgent)
      const answer = await request(url, {
        method: 'POST',
        headers: { 'user-agent': 'annals', ...this.traceHeaders(), ...headers },
        body,
        dispatcher,
        signal
      })
      return await use(answer, signal)
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
    // What is under way on the old connections goes on.
    void known?.agent.close()
    const agent = make({
      ...guardOf(this.destinations, initiator),
      secureContext: this.tls.contextFor('')
    })
    this.#pools.set(initiator, { agent, material })
    return agent
  }
}

/** Why a request failed, for whoever looks after it. An error of a connection to several addresses has no text of its own. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? error.message || ('code' in error ? String(error.code) : error.name)
    : String(error)
