// Delivers a webhook by a signed POST, only to allowed addresses and without redirects.
import { Lifecycle, scoped } from 'tsyringe'
import type { Dispatcher } from 'undici'
import { Clock } from '../clock.js'
import { GuardedClient, reasonOf, retryAfterOf, type Post } from '../outgoing/guarded-client.js'
import { signedHeaders } from './signature.js'

/** Result of an attempt. The reason is visible to readers of the cursor and contains no secret. */
export type Verdict =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'gone' }
  /** `retryAfter`: milliseconds that the receiver requests. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly retryAfter?: number }

interface Delivery extends Omit<Post, 'headers'> {
  readonly secret: string
}

const GONE = 410
/** Statuses whose `Retry-After` counts. */
const WAITING: readonly number[] = [429, 503]
/** Bytes of a response that are read to reuse the connection; longer ones close it. */
const MAX_RESPONSE_BYTES = 64 * 1024

@scoped(Lifecycle.ContainerScoped)
export class WebhookHttp {
  constructor(
    private readonly clock: Clock,
    private readonly client: GuardedClient
  ) {}

  /** Makes one attempt. Never throws for failures of the receiver or the network. Only the status of the response counts, not its body. */
  async post({ url, secret, body, timeout }: Delivery, abortSignal: AbortSignal): Promise<Verdict> {
    const headers = { 'content-type': 'application/json', ...signedHeaders(secret, body, this.clock.now()) }
    try {
      return await this.client.post(
        'webhook',
        { url, headers, body, timeout },
        abortSignal,
        async (response, signal) => {
          await response.body.dump({ limit: MAX_RESPONSE_BYTES, signal }).catch(() => {})
          return this.#verdictOn(response)
        }
      )
    } catch (error) {
      return { outcome: 'failed', reason: reasonOf(error) }
    }
  }

  #verdictOn({ statusCode, headers }: Dispatcher.ResponseData): Verdict {
    if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered' }
    if (statusCode === GONE) return { outcome: 'gone' }
    const header = headers['retry-after']
    const retryAfter =
      WAITING.includes(statusCode) && typeof header === 'string'
        ? retryAfterOf(header, this.clock.now())
        : undefined
    const reason = `answered ${statusCode}`
    return { outcome: 'failed', reason, ...(retryAfter === undefined ? {} : { retryAfter }) }
  }
}
