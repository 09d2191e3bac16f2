// What other datacenters answer with JSON, within a time that nobody minds to wait.
import { Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { Timers } from '../../../actors/timers.js'
import { refusalIn, textOf } from '../transport/response-text.js'
import { DatacenterRequests, type DatacenterResponse } from './datacenter-requests.js'

/** Within which the answer must be there, whole. A datacenter that takes longer counts as one that cannot be reached. */
const ANSWER_MS = 2000
/** The largest answer that is read unless a question says otherwise, in bytes. */
const MOST_BYTES = 64 * 1024 * 1024
const OK = 200
/** Of a refusal, for the log, in characters. */
const LONGEST_SHOWN = 200

/** What is asked. */
export interface RemoteJsonRequest {
  /** Path and query. */
  readonly url: string
  /** Token, whose rights there count; undefined for none. */
  readonly secret?: string | undefined
  /** Sent as JSON by POST, to a route that changes nothing. */
  readonly body?: unknown
  /** Further headers, names and values in turn. */
  readonly headers?: readonly string[]
  /** The largest answer that is read, in bytes; 64 MiB unless given. */
  readonly mostBytes?: number
}

/** Another datacenter answered with a status other than 200. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal'

  constructor(
    datacenter: string,
    readonly status: number /** All that it says. */,
    readonly text: string
  ) {
    super(`datacenter "${datacenter}" answers ${status}: ${text.slice(0, LONGEST_SHOWN)}`)
  }
}

/** What an answer of a datacenter with another status says. @throws Error where that is too long, or broke off */
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
   * Asks a datacenter for JSON, of which nothing has been checked.
   * @throws RemoteRefusal for an answer with another status; Refusal where there is none in time; SyntaxError; Error for one too large
   */
  async ask(datacenter: string, question: RemoteJsonRequest): Promise<unknown> {
    const late = new AbortController()
    const timer = this.timers.setTimeout(() => late.abort(), ANSWER_MS)
    try {
      const { answer } = await this.#send(datacenter, question, late.signal)
      if (answer.statusCode !== OK) throw await refusalOf(datacenter, answer)
      return JSON.parse(await textOf(answer, question.mostBytes ?? MOST_BYTES))
    } catch (error) {
      if (!late.signal.aborted) throw error
      throw new Refusal(
        'unreachable',
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
    const common = { url, isLong: false, isRead: true }
    const token = secret === undefined ? [] : ['X-Service-Token', secret]
    if (body === undefined)
      return this.requests.send(
        datacenter,
        { ...common, method: 'GET', headers: [...token, ...headers] },
        late
      )
    const asJson = ['Content-Type', 'application/json']
    const bytes = Buffer.from(JSON.stringify(body))
    const sent = { ...common, method: 'POST', headers: [...token, ...asJson, ...headers], body: bytes }
    return this.requests.send(datacenter, sent, late)
  }
}
