// The commit that a default read of a follower waits for.
import type { Clock, Timers } from '../../../actors/clock.js'
import { Coalescer } from '../../../events/coalescer.js'
import type { SharedLog } from '../../../events/log/cluster/shared-log.js'
import { READ_INDEX_PATH } from '../../../http/routes/internal/cluster.js'
import { textOf } from '../transport/response-text.js'
import type { LeaderAddress } from './cluster-port.js'
import type { SignedRequests } from './signed-requests.js'

/** Timeout of the leader's answer, in ms. */
const ANSWER_MS = 500
/** For how long only etcd is asked after the leader gave no index, in ms. */
const WITHOUT_LEADER_MS = 1000
/** Limit of the leader's answer, in bytes. */
const MAX_BYTES = 4096
const INDEX = /^\d{1,16}$/

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
  readonly #reads = new Coalescer(() => this.#read())
  #withoutLeaderUntil = -Infinity

  constructor(private readonly parts: ReadIndexParts) {}

  /** Resolves with an index that no commit exceeds that was acknowledged or shown before the call. @throws SharedUnreachable */
  newest(): Promise<number> {
    return this.#reads.ask()
  }

  async #read(): Promise<number> {
    const { clock, leader, shared } = this.parts
    const asked = leader()
    if (asked && clock.elapsed() >= this.#withoutLeaderUntil) {
      const index = await this.#indexOf(asked).catch(() => undefined)
      if (index !== undefined) return index
      this.#withoutLeaderUntil = clock.elapsed() + WITHOUT_LEADER_MS
    }
    const { head } = await shared.read()
    return head.index
  }

  /** @throws Error when the answer breaks off */
  async #indexOf({ address }: LeaderAddress): Promise<number | undefined> {
    const { signed, timers } = this.parts
    const late = new AbortController()
    const timer = timers.setTimeout(() => late.abort(), ANSWER_MS)
    try {
      const asked = { method: 'GET', url: READ_INDEX_PATH, isLong: false }
      const attempt = await signed.send(address, asked, late.signal)
      if (attempt.kind !== 'answered') return undefined
      const text = await textOf(attempt.answer, MAX_BYTES)
      return attempt.answer.statusCode === 200 && INDEX.test(text) ? Number(text) : undefined
    } finally {
      timers.clearTimeout(timer)
    }
  }
}
