// The commit that a default read of a follower waits for.
import { randomBytes } from 'node:crypto'
import type { Clock, Timers } from '../../../actors/clock.js'
import { Coalescer } from '../../../events/coalescer.js'
import type { SharedLog } from '../../../events/log/cluster/shared-log.js'
import { READ_INDEX_PATH } from '../../../http/routes/internal/cluster.js'
import { textOf } from '../transport/response-text.js'
import type { LeaderAddress } from './cluster-port.js'
import { channelHeaders, IndexChannel, readIndexIn } from './index-channel.js'
import type { SignedRequests } from './signed-requests.js'

/** Timeout of the leader's answer, in ms. */
const ANSWER_MS = 500
/** For how long only etcd is asked after the leader gave no index, in ms. */
const WITHOUT_LEADER_MS = 1000
/** Limit of the leader's answer, in bytes. */
const MAX_BYTES = 4096
const KEY_BYTES = 16

interface ReadIndexParts {
  readonly shared: Pick<SharedLog, 'read'>
  readonly signed: Pick<SignedRequests, 'send'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  /** The server that leads, unless it is this one. */
  readonly leader: () => LeaderAddress | undefined
}

/** Asks the leader for all reads that wait together, and etcd where the leader gives no answer. */
export class ReadIndex {
  readonly #reads = new Coalescer(() => this.#read(), setImmediate)
  #withoutLeaderUntil = -Infinity
  #channel: IndexChannel | undefined
  #isStopped = false

  constructor(private readonly parts: ReadIndexParts) {}

  /** Resolves with an index that no commit exceeds that was acknowledged or shown before the call. @throws SharedUnreachable */
  newest(): Promise<number> {
    return this.#reads.ask()
  }

  /** Asks only etcd from now on. */
  stop(): void {
    this.#isStopped = true
    this.#channel?.close()
  }

  async #read(): Promise<number> {
    const { clock, leader, shared } = this.parts
    const asked = leader()
    if (asked && !this.#isStopped && clock.elapsed() >= this.#withoutLeaderUntil) {
      const index = await this.#indexOf(asked).catch(() => undefined)
      if (index !== undefined) return index
      this.#withoutLeaderUntil = clock.elapsed() + WITHOUT_LEADER_MS
    }
    const { head } = await shared.read()
    return head.index
  }

  /** @throws Error when the answer breaks off */
  #indexOf({ address }: LeaderAddress): Promise<number | undefined> {
    const channel = this.#channel
    if (channel?.isOpen && channel.address === address)
      return this.#inTime(channel.ask(), () => channel.close())
    channel?.close()
    const late = new AbortController()
    return this.#inTime(this.#open(address, late.signal), () => late.abort())
  }

  async #inTime<Answer>(answer: Promise<Answer>, giveUp: () => void): Promise<Answer> {
    const { timers } = this.parts
    const timer = timers.setTimeout(giveUp, ANSWER_MS)
    try {
      return await answer
    } finally {
      timers.clearTimeout(timer)
    }
  }

  /** Opens the channel and asks on it. A leader that opens none answers the request itself. @throws Error when the answer breaks off */
  async #open(address: string, signal: AbortSignal): Promise<number | undefined> {
    const headers = channelHeaders(randomBytes(KEY_BYTES).toString('base64'))
    const asked = { method: 'GET', url: READ_INDEX_PATH, headers, isLong: true }
    const attempt = await this.parts.signed.send(address, asked, signal)
    if (attempt.kind === 'upgraded') {
      const channel = new IndexChannel(address, attempt.socket, attempt.head)
      this.#channel = channel
      signal.addEventListener('abort', () => channel.close())
      if (this.#isStopped || signal.aborted) channel.close()
      return channel.ask()
    }
    if (attempt.kind !== 'answered') return undefined
    const text = await textOf(attempt.answer, MAX_BYTES)
    return attempt.answer.statusCode === 200 ? readIndexIn(text) : undefined
  }
}
