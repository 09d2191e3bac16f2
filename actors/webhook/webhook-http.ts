// One delivery of a webhook: a signed POST, only to where webhooks may go, never following a redirect.
import { Lifecycle, scoped } from 'tsyringe'
import type { Dispatcher } from 'undici'
import { Clock } from '../clock.js'
import { GuardedClient, reasonOf } from '../outgoing/guarded-client.js'
import { retryAfterOf } from './retry.js'
import { signedHeaders } from './signature.js'

/** What became of an attempt. The reason is for whoever may read the cursor; it holds no secret. */
export type Verdict =
  | { readonly outcome: 'delivered' }
  /** The receiver wants no more of it (410). */
  | { readonly outcome: 'gone' }
  /** `retryAfter`: milliseconds that the receiver asks for. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly retryAfter?: number }

interface Delivery {
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

@scoped(Lifecycle.ContainerScoped)
export class WebhookHttp {
  constructor(
    private readonly clock: Clock,
    private readonly client: GuardedClient
  ) {}

  /**
   * Makes one attempt. Never throws for what the receiver or the way to it does: the status of an answer decides, and
   * what becomes of its body is all the same.
   * @param ends aborts when nobody waits for it any more
   */
  async post({ url, secret, body, timeout }: Delivery, ends: AbortSignal): Promise<Verdict> {
    const headers = {
      'content-type': 'application/json',
      ...signedHeaders(secret, body, this.clock.now())
    }
    try {
      return await this.client.post(
        'webhook',
        { url, headers, body, timeout },
        ends,
        async (answer, signal) => {
          await answer.body.dump({ limit: MOST_ANSWER_BYTES, signal }).catch(() => {})
          return this.#verdictOn(answer)
        }
      )
    } catch (error) {
      return { outcome: 'failed', reason: reasonOf(error) }
    }
  }

  #verdictOn({ statusCode, headers }: Dispatcher.ResponseData): Verdict {
    if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered' }
    if (statusCode === GONE) return { outcome: 'gone' }
    const given = headers['retry-after']
    const retryAfter =
      WAITING.includes(statusCode) && typeof given === 'string'
        ? retryAfterOf(given, this.clock.now())
        : undefined
    const reason = `answered ${statusCode}`
    return { outcome: 'failed', reason, ...(retryAfter === undefined ? {} : { retryAfter }) }
  }
}
