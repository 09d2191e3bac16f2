// Calls to identity providers, limited in time, size and destinations, without redirects.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Agent } from 'undici'
import { guardOf, Destinations, OutgoingTls, type TlsMaterial } from '../outgoing/destinations.js'
import type { guardedAgent } from '../outgoing/guarded-agent.js'
import { readBody } from '../outgoing/read-body.js'
import { TRACE_HEADERS, type TraceHeaders } from '../ports.js'
import { Timers } from '../clock.js'
import { parseObject } from '../../events/values.js'

/** Limits of calls to providers. Tests replace them. */
export class ProviderLimits {
  /** Milliseconds for all calls of one login, and for the check of a method. */
  readonly timeMs: number = 10_000
  readonly bytes: number = 1024 * 1024
}

interface ProviderCall {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** PEM certificates that must have signed the provider's; those of `OutgoingTls` when empty. */
  readonly ca: string
  readonly signal: AbortSignal
}

export interface ProviderResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** A failed call. The reason is only for the log: callers could otherwise scan ports behind this server. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'

  /** @param message for the caller; set after a response proves that it comes from a provider */
  constructor(
    /** For the log; contains no secret. */
    readonly reason: string,
    message = 'the provider did not answer as it should; the log of this server says more'
  ) {
    super(message)
  }
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ProviderError) return error.reason
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time'
  return error.message || error.name
}

@scoped(Lifecycle.ContainerScoped)
export class ProviderHttp {
  readonly #agents = new Map<string, Agent>()
  #material: TlsMaterial

  constructor(
    readonly limits: ProviderLimits,
    private readonly destinations: Destinations,
    private readonly tls: OutgoingTls,
    private readonly timers: Timers,
    @inject(TRACE_HEADERS, { isOptional: true }) private readonly traceHeaders: TraceHeaders = () => ({})
  ) {
    this.#material = tls.material
  }

  /** Returns a signal that also aborts after this time, in ms. */
  within(ms: number, signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.timers.abortAfter(ms)])
  }

  /** @throws ProviderError without a complete response within the limits */
  async call(
    url: string,
    { method = 'GET', headers, body, ca, signal }: ProviderCall
  ): Promise<ProviderResponse> {
    const { timeMs, bytes } = this.limits
    try {
      // Loaded on demand: a server without providers starts faster.
      const [undici, { guardedAgent }] = await Promise.all([
        import('undici'),
        import('../outgoing/guarded-agent.js')
      ])
      const response = await undici.request(url, {
        method,
        headers: { accept: 'application/json', 'user-agent': 'annals', ...this.traceHeaders(), ...headers },
        ...(body === undefined ? {} : { body }),
        dispatcher: this.#agent(ca, guardedAgent),
        signal: this.within(timeMs, signal)
      })
      const text = (await readBody(response.body, bytes)).toString()
      return { status: response.statusCode, headers: response.headers, text }
    } catch (error) {
      throw new ProviderError(`${method} ${url.split('?')[0]}: ${reasonOf(error)}`)
    }
  }

  /** Returns the JSON object of a GET. @throws ProviderError for another status or body */
  async object(
    url: string,
    ca: string,
    signal: AbortSignal
  ): Promise<{ readonly value: Readonly<Record<string, unknown>>; readonly response: ProviderResponse }> {
    const response = await this.call(url, { ca, signal })
    if (response.status !== 200) throw new ProviderError(`GET ${url}: answered ${response.status}, not 200`)
    const value = parseObject(response.text)
    if (!value) throw new ProviderError(`GET ${url}: the answer is no JSON object`)
    return { value, response }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map(agent => agent.destroy()))
  }

  #agent(ca: string, make: typeof guardedAgent): Agent {
    if (this.#material !== this.tls.material) {
      // Running requests finish.
      for (const old of this.#agents.values()) void old.close()
      this.#agents.clear()
      this.#material = this.tls.material
    }
    let agent = this.#agents.get(ca)
    if (!agent) {
      agent = make({ ...guardOf(this.destinations, 'auth method'), secureContext: this.tls.contextFor(ca) })
      this.#agents.set(ca, agent)
    }
    return agent
  }
}
