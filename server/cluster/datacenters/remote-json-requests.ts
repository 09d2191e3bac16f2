import { Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { Timers } from '../../../actors/clock.js'
import { refusalIn, textOf } from '../transport/response-text.js'
import { DatacenterRequests, type DatacenterResponse } from './datacenter-requests.js'

/** Timeout of a complete answer. A slower datacenter counts as unreachable. */
const ANSWER_MS = 2000
/** The default limit of an answer, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024
const OK = 200
/** Characters of a refusal in the log. */
const MAX_SHOWN = 200

export interface RemoteJsonRequest {
  /** Path and query. */
  readonly url: string
  /** Secret of the token whose permissions apply there. */
  readonly secret?: string | undefined
  /** Sent as JSON by POST, to a route that changes nothing. */
  readonly body?: unknown
  /** Further headers, names and values in turn. */
  readonly headers?: readonly string[]
  /** Limit of the answer in bytes; 64 MiB by default. */
  readonly maxBytes?: number
}

/** Another datacenter answered with a status other than 200. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal'

  constructor(
    datacenter: string,
    readonly status: number,
    readonly text: string
  ) {
    super(`datacenter "${datacenter}" answers ${status}: ${text.slice(0, MAX_SHOWN)}`)
  }
}

/** @throws Error if the answer is too long or incomplete */
export const refusalOf = async (
  datacenter: string,
  answer: DatacenterResponse['answer']
): Promise<RemoteRefusal> => new RemoteRefusal(datacenter, answer.statusCode ?? 0, await refusalIn(answer))

@scoped(Lifecycle.ContainerScoped)
export class RemoteJsonRequests {
  constructor(
    private readonly requests: DatacenterRequests,
    private readonly timers: Timers
  ) {}

  /**
   * Returns the JSON answer of a datacenter, which the caller must validate.
   * @throws RemoteRefusal for another status; Refusal after the timeout; SyntaxError; Error for an answer that is too large
   */
  async ask(datacenter: string, question: RemoteJsonRequest): Promise<unknown> {
    const late = new AbortController()
    const timer = this.timers.setTimeout(() => late.abort(), ANSWER_MS)
    try {
      const { answer } = await this.#send(datacenter, question, late.signal)
      if (answer.statusCode !== OK) throw await refusalOf(datacenter, answer)
      return JSON.parse(await textOf(answer, question.maxBytes ?? MAX_BYTES))
    } catch (error) {
      if (!late.signal.aborted) throw error
      throw new Refusal(
        'datacenter.unreachable',
        `No path to datacenter: "${datacenter}" has not answered within ${ANSWER_MS} ms`
      )
    } finally {
      this.timers.clearTimeout(timer)
    }
  }

  #send(
    datacenter: string,
    { url, secret, body, headers = [] }: RemoteJsonRequest,
    late: AbortSignal
  ): Promise<DatacenterResponse> {
    const token = secret === undefined ? [] : ['X-Service-Token', secret]
    const isGet = body === undefined
    const sent = isGet ? {} : { body: Buffer.from(JSON.stringify(body)) }
    return this.requests.send(
      datacenter,
      {
        url,
        method: isGet ? 'GET' : 'POST',
        headers: [...token, ...(isGet ? [] : ['Content-Type', 'application/json']), ...headers],
        isLong: false,
        isRead: true,
        ...sent
      },
      late
    )
  }
}
