// One delivery of a webhook: a signed POST, only to where webhooks may go, never following a redirect.
import { Lifecycle, scoped } from 'tsyringe'
import type { Agent, Dispatcher } from 'undici'
import { Clock } from '../clock.js'
import { Destinations } from '../outgoing/destinations.js'
import type { guardedAgent } from '../outgoing/guarded-agent.js'
import { OutgoingTls, type TlsMaterial } from '../outgoing/outgoing-tls.js'
import { Timers } from '../timers.js'
import { retryAfterOf } from './retry.js'
import { signedHeaders } from './signature.js'

/** What became of an attempt. The reason is for whoever may read the cursor; it holds no secret. */
export type Verdict =
  | { readonly outcome: 'delivered' }
  /** The receiver wants no more of it (410). */
  | { readonly outcome: 'gone' }
  /** `retryAfter`: milliseconds that the receiver asks for. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly retryAfter?: number }

export interface Delivery {
  readonly url: string
  readonly secret: string
  /** JSON. */
  readonly body: Buffer
  /** Milliseconds that the attempt may take. */
  readonly timeout: number
}

const GONE = 410
/** Statuses whose `Retry-After` counts. */
const WAITING: readonly number[] = [429, 503]
/** Bytes of an answer that are read, so that its connection can be used again; beyond, the connection is closed. */
const MOST_ANSWER_BYTES = 64 * 1024

/** An error of a connection to several addresses has no text of its own. */
const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? error.message || ('code' in error ? String(error.code) : error.name)
    : String(error)

@scoped(Lifecycle.ContainerScoped)
export class WebhookHttp {
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #destinations: Destinations
  readonly #tls: OutgoingTls
  #agent: Agent | undefined
  /** With which the agent was made. */
  #material: TlsMaterial | undefined

  constructor(clock: Clock, timers: Timers, destinations: Destinations, tls: OutgoingTls) {
    this.#clock = clock
    this.#timers = timers
    this.#destinations = destinations
    this.#tls = tls
  }

  /**
   * Makes one attempt. Never throws for what the receiver or the way to it does: the status of an answer decides, and
   * what becomes of its body is all the same.
   * @param ends aborts when nobody waits for it any more
   */
  async post({ url, secret, body, timeout }: Delivery, ends: AbortSignal): Promise<Verdict> {
    const late = new AbortController()
    const timer = this.#timers.setTimeout(
      () => late.abort(new Error(`no answer within ${timeout} ms`)),
      timeout
    )
    const signal = AbortSignal.any([ends, late.signal])
    try {
      // Loaded with the first delivery: a server without webhooks starts sooner.
      const [{ request }, { guardedAgent }] = await Promise.all([
        import('undici'),
        import('../outgoing/guarded-agent.js')
      ])
      const answer = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'annals',
          ...signedHeaders(secret, body, this.#clock.now())
        },
        body,
        dispatcher: this.#agentOf(guardedAgent),
        signal
      })
      await answer.body.dump({ limit: MOST_ANSWER_BYTES, signal }).catch(() => {})
      return this.#verdictOn(answer)
    } catch (error) {
      return { outcome: 'failed', reason: reasonOf(error) }
    } finally {
      this.#timers.clearTimeout(timer)
    }
  }

  async close(): Promise<void> {
    await this.#agent?.destroy()
  }

  #verdictOn({ statusCode, headers }: Dispatcher.ResponseData): Verdict {
    if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered' }
    if (statusCode === GONE) return { outcome: 'gone' }
    const given = headers['retry-after']
    const retryAfter =
      WAITING.includes(statusCode) && typeof given === 'string'
        ? retryAfterOf(given, this.#clock.now())
        : undefined
    const reason = `answered ${statusCode}`
    return { outcome: 'failed', reason, ...(retryAfter === undefined ? {} : { retryAfter }) }
  }

  #agentOf(make: typeof guardedAgent): Agent {
    if (this.#agent && this.#material === this.#tls.material) return this.#agent
    // What is under way on the old connections goes on.
    void this.#agent?.close()
    this.#material = this.#tls.material
    this.#agent = make({
      mayReach: address => this.#destinations.mayReach('webhook', address),
      secureContext: this.#tls.contextFor('')
    })
    return this.#agent
  }
}
