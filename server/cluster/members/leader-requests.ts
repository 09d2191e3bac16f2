import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock, Timers } from '../../../actors/clock.js'
import { leaderLost, Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import { Views } from '../../../projections/read-models.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import { SETTINGS } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import { otherServer } from '../../../http/wire/contact.js'
import { CLOCK_SKEW, OUTCOME_HEADER } from '../../../http/wire/response.js'
import type { LeaderRequest } from '../../../http/wire/request-routing.js'
import { CLUSTER, type ClusterPort, type LeaderAddress } from './cluster-port.js'
import { refusalIn, type ServerAnswer } from '../transport/response-text.js'
import { isReadRequest, canRetry } from '../transport/retry-policy.js'
import { proxyRequestHeaders, UPGRADE } from '../transport/request-headers.js'
import type { RequestAttempt } from '../transport/server-connections.js'
import { RequestBatches, type BatchedAttempt } from './request-batches.js'
import { FORWARDED_HEADER } from './server-proof.js'
import { SignedRequests } from './signed-requests.js'

/** Pause before the same leader is asked again. */
const RETRY_MS = 100
/** For how long a leader whose term is over may still answer. It settles its writes before it resigns; a suspended one never answers. */
const REPLACED_MS = 300
const NOT_LEADER = 'not-leader'
interface LeaderRequestInput extends Omit<LeaderRequest, 'response'> {
  /** The request opens a WebSocket. */
  readonly isUpgrade?: boolean
}

type LeaderAttempt = RequestAttempt | BatchedAttempt

interface LeaderResponse {
  readonly leader: LeaderAddress
  readonly attempt: Extract<LeaderAttempt, { readonly answer: unknown }>
}

const noLeader = (): Refusal =>
  new Refusal('cluster.unavailable', 'No cluster leader: nothing was changed; try again later')

const outcomeOf = ({ headers }: ServerAnswer): unknown => headers[OUTCOME_HEADER.toLowerCase()]

const isNotLeader = (answer: ServerAnswer): boolean =>
  answer.statusCode === 503 && outcomeOf(answer) === NOT_LEADER

/** @throws Refusal `unavailable` if the leader refused a request because the two clocks differ too much */
const checkClock = async (attempt: LeaderAttempt): Promise<void> => {
  if (!('answer' in attempt) || outcomeOf(attempt.answer) !== CLOCK_SKEW[1]) return
  throw new Refusal(
    'cluster.unavailable',
    `The clocks of this server and of the leader differ too much: nothing was changed; set the clocks (the leader: ${await refusalIn(attempt.answer)})`
  )
}

@scoped(Lifecycle.ContainerScoped)
export class LeaderRequests {
  /** The catalog contained the node of this server at some time. */
  #isNodeKnown = false
  readonly #count: (outcome: string) => void

  constructor(
    @inject(CLUSTER) private readonly cluster: ClusterPort,
    @inject(SETTINGS) private readonly settings: Settings,
    private readonly signed: SignedRequests,
    private readonly batches: RequestBatches,
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly closing: ShutdownSignal,
    private readonly views: Views,
    metrics: Metrics
  ) {
    this.#count = metrics.counter(
      'annals_forwarded_requests_total',
      'Requests that were sent on to the leader of the cluster: answered, of unknown outcome, without a leader, or given up by the client',
      'outcome'
    )
  }

  /**
   * Sends a request to the leader, and to the next leader if a repetition is safe.
   * @param gone aborts when the client has disconnected
   * @returns the answer and its leader; `here` if this server now leads
   * @throws Refusal `unavailable` if there is no leader in time; `unknown` if the connection broke
   */
  async ask(asked: LeaderRequestInput, gone: AbortSignal): Promise<LeaderResponse | 'here'> {
    let { isRefused } = asked
    let isDoubtful = false
    if (!this.#isNodeKnown && isAboutOwnNode(asked)) await this.#ownNode(asked.until, gone)
    for (;;) {
      if (isRefused) await this.#change(asked.until, gone, RETRY_MS)
      const leader = await this.#leader(asked.until, gone)
      if (leader === 'here') return leader
      if (leader === undefined || gone.aborted) throw this.#failure(isDoubtful, gone)
      const attempt = await this.#attempt(leader, asked, gone)
      await checkClock(attempt)
      // The server that forwarded it here finds the new leader itself.
      const isPassedOn = otherServer(asked.request.sender, this.settings.node_id) !== undefined
      if (
        attempt.kind === 'upgraded' ||
        ('answer' in attempt && (isPassedOn || !isNotLeader(attempt.answer)))
      ) {
        this.#count('answered')
        return { leader, attempt }
      }
      if (attempt.kind === 'answered') attempt.answer.resume()
      isDoubtful ||= attempt.kind === 'broken' && !isReadRequest(asked)
      if (isDoubtful && !canRetry(asked)) throw this.#failure(isDoubtful, gone)
      isRefused = true
    }
  }

  /** Waits until the leader has registered this server's node, soon after the start, since services and sessions of its clients are on that node. */
  async #ownNode(until: number, gone: AbortSignal): Promise<void> {
    const { catalog, watch } = this.views
    const { partition } = DEFAULT_TENANCY
    const { node_name: name } = this.settings
    while (!catalog.host(partition, name)) {
      if (gone.aborted || this.closing.signal.aborted || this.clock.elapsed() >= until) return
      const known = new AbortController()
      const unwatch = watch.wait([catalogKeys.node(partition, name)], () => known.abort())
      await this.#change(until, AbortSignal.any([gone, known.signal]))
      unwatch()
    }
    this.#isNodeKnown = true
  }

  #failure(isDoubtful: boolean, gone: AbortSignal): Refusal {
    if (!isDoubtful && (gone.aborted || this.closing.signal.aborted)) {
      this.#count('given up')
      return new Refusal('cluster.unavailable', 'The server ends: ask another one')
    }
    this.#count(isDoubtful ? 'unknown' : 'no leader')
    return isDoubtful ? leaderLost() : noLeader()
  }

  /**
   * Sends the request once. A write has a timeout of twice `hold`, since the leader itself reports an unknown outcome after `hold`. A
   * replaced leader has `REPLACED_MS` from the change on.
   */
  async #attempt(
    leader: LeaderAddress,
    asked: LeaderRequestInput,
    gone: AbortSignal
  ): Promise<LeaderAttempt> {
    const { body, message } = asked
    const { hold } = this.cluster
    const given = new AbortController()
    const giveUp = (): void => given.abort()
    let timer: string | undefined
    const giveUpAfter = (ms: number): void => {
      if (timer !== undefined) this.timers.clearTimeout(timer)
      timer = this.timers.setTimeout(giveUp, ms)
    }
    if (!isReadRequest(asked) && body !== message) giveUpAfter(2 * hold)
    let isReplaced = false
    const unlisten = this.cluster.onChange(() => {
      if (isReplaced || this.cluster.leader()?.id === leader.id) return
      isReplaced = true
      giveUpAfter(REPLACED_MS)
    })
    gone.addEventListener('abort', giveUp)
    if (gone.aborted) giveUp()
    try {
      return await this.#send(leader, asked, given.signal)
    } finally {
      unlisten()
      gone.removeEventListener('abort', giveUp)
      if (timer !== undefined) this.timers.clearTimeout(timer)
    }
  }

  /** Sends a write with its batch, unless the leader is of an earlier version, and anything else alone: it may take long. */
  async #send(
    { address: to }: LeaderAddress,
    asked: LeaderRequestInput,
    signal: AbortSignal
  ): Promise<LeaderAttempt> {
    const { request, body, sendContinue, isUpgrade } = asked
    const { method, url, address, sender } = request
    const from = sender ?? { address }
    const headers = proxyRequestHeaders(asked, [FORWARDED_HEADER.toLowerCase()])
    if (!isReadRequest(asked) && (body === undefined || Buffer.isBuffer(body))) {
      const length = ['Content-Length', String(body?.length ?? 0)]
      const alone = { method, url, headers: [...headers, ...length], body }
      const attempt = await this.batches.send(to, this.signed.sign(alone, from), signal)
      if (attempt.kind !== 'unsupported') return attempt
    }
    if (isUpgrade) headers.push(...UPGRADE)
    const outgoing = { method, url, headers, body, onAsked: sendContinue, isLong: method === 'GET' }
    return this.signed.send(to, outgoing, signal, from)
  }

  /** Waits for a leader; undefined after the timeout. */
  async #leader(until: number, signal: AbortSignal): Promise<LeaderAddress | 'here' | undefined> {
    for (;;) {
      if (this.cluster.role() === 'leading') return 'here'
      const leader = this.cluster.leader()
      // The last known leader may be one that does not lead yet, or no longer leads.
      if (leader && leader.id !== this.settings.node_id)
        return this.clock.elapsed() < until ? leader : undefined
      if (signal.aborted || this.closing.signal.aborted || this.clock.elapsed() >= until) return undefined
      await this.#change(until, signal)
    }
  }

  /** Resolves after a change in the cluster, the timeout or an abort. */
  #change(until: number, gone: AbortSignal, mostMs = Infinity): Promise<void> {
    const ms = Math.min(until - this.clock.elapsed(), mostMs)
    const ends = [gone, this.closing.signal]
    if (ms <= 0 || ends.some(({ aborted }) => aborted)) return Promise.resolve()
    return new Promise(resolve => {
      const done = (): void => {
        unlisten()
        for (const signal of ends) signal.removeEventListener('abort', done)
        this.timers.clearTimeout(timer)
        resolve()
      }
      const unlisten = this.cluster.onChange(done)
      const timer = this.timers.setTimeout(done, ms)
      for (const signal of ends) signal.addEventListener('abort', done)
    })
  }
}

/** Returns true if a request may concern the node of this server. */
const isAboutOwnNode = ({ request }: LeaderRequestInput): boolean =>
  /^\/v1\/(agent|session|txn)\b/.test(request.url)
