// The fenced append: one transaction appends a group if this server leads and the head is the expected one.
import { RESTORE_HINT, SharedMismatch, TermEnded, type Settlement, type Term } from '../cluster/shared-log.js'
import type { RecordGroup } from '../record-group.js'
import { StoreFull, WriteFailure, type Head } from '../store.js'
import { EtcdFailure } from './client.js'
import { headValue, newNonce, readHead, type KeyRange, type Keys } from './keys.js'
import * as etcd from './messages.js'
import { sameHash, type EtcdContext } from './coalesced-reads.js'
import { MOST_BYTES, piecesOf, recordBytes, wholeWindow, windowInPieces } from './windows.js'

/** Delay between attempts of one append, in ms. */
const FIRST_PAUSE = 10
const LONGEST_PAUSE = 500

/** Holds while the term lasts: one revision created the leader key and the mark of the term. */
export const isStillLeader = ({ leader, terms }: Keys, { epoch, nonce }: Term): etcd.Compare[] => [
  etcd.createdBy(leader, epoch),
  etcd.createdBy(terms.named(nonce), epoch)
]

/** One append with all its attempts. */
interface Attempt {
  readonly term: Term
  readonly cluster: string
  readonly before: Head
  /** The head when it is stored. */
  readonly after: Head
  /** True while an attempt without a response may still arrive. */
  unanswered: boolean
}

export class Appender {
  constructor(private readonly context: EtcdContext) {}

  async append(term: Term, before: Head, group: RecordGroup): Promise<Settlement> {
    const cluster = this.context.seen.newest?.cluster
    if (cluster === undefined) throw new SharedMismatch('nothing was read of the cluster before an append')
    const after = { index: group.last, hash: Buffer.from(group.hash) }
    const attempt: Attempt = { term, cluster, before, after, unanswered: false }
    const records = recordBytes(group)
    const settlement =
      records.length < MOST_BYTES
        ? await this.#append(attempt, group.first, wholeWindow(records))
        : await this.#appendInPieces(attempt, group.first, records)
    if (settlement === 'stored') this.context.seen.check({ ...after, cluster }, undefined)
    return settlement
  }

  async #appendInPieces(attempt: Attempt, first: number, records: Buffer): Promise<Settlement> {
    const name = newNonce()
    const parts = this.context.keys.partsOf(first, name)
    try {
      const count = await this.#putPieces(attempt.term, parts, records)
      const settlement =
        count === undefined ? 'refuted' : await this.#append(attempt, first, windowInPieces(name, count))
      if (settlement === 'refuted') await this.#removePieces(parts)
      return settlement
    } catch (error) {
      if (error instanceof WriteFailure) await this.#removePieces(parts)
      throw error
    }
  }

  #append(attempt: Attempt, first: number, window: Buffer): Promise<Settlement> {
    const { log, head } = this.context.keys
    const { term, cluster, before, after } = attempt
    return this.#settle(attempt, {
      compare: [...isStillLeader(this.context.keys, term), etcd.valueIs(head, headValue(before, cluster))],
      success: [etcd.put(log.numbered(first), window), etcd.put(head, headValue(after, cluster))],
      failure: this.#outcomeQueries(term)
    })
  }

  /** Repeats the same transaction until its outcome is known. */
  async #settle(attempt: Attempt, request: etcd.TxnRequest): Promise<Settlement> {
    try {
      const answer = await this.#repeat(request, failure => {
        if (failure.isFull) throw failure
        if (!failure.isAnswer) attempt.unanswered = true
        else if (!attempt.unanswered && !failure.isBusy)
          throw new WriteFailure(failure.message, 'unchanged', { cause: failure })
      })
      return answer.succeeded ? 'stored' : this.#settlementOf(attempt, answer)
    } catch (error) {
      if (error instanceof EtcdFailure) return this.#settleFull(attempt, error)
      throw error
    }
  }

  /** Repeats a transaction until etcd responds or `onFailure` throws. */
  async #repeat(
    request: etcd.TxnRequest,
    onFailure: (failure: EtcdFailure) => void = () => {}
  ): Promise<etcd.TxnResponse> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE))
      try {
        return await this.context.client.call(etcd.TXN, request)
      } catch (error) {
        if (!(error instanceof EtcdFailure)) throw error
        onFailure(error)
        await this.context.time.pause(pause)
      }
  }

  /**
   * Settles an append to a full etcd, which may have stored it nevertheless. Reads and deletions still work.
   * @throws StoreFull if it is not in the log; TermEnded if the term had to end for that
   */
  async #settleFull(attempt: Attempt, full: EtcdFailure): Promise<Settlement> {
    const { term, before, cluster } = attempt
    const { leader, head } = this.context.keys
    // An unanswered attempt may arrive late. The end of the term rejects it.
    const fence = attempt.unanswered ? [etcd.remove(leader)] : []
    const answer = await this.#repeat({
      compare: [...isStillLeader(this.context.keys, term), etcd.valueIs(head, headValue(before, cluster))],
      success: fence,
      failure: this.#outcomeQueries(term)
    })
    if (!answer.succeeded) return this.#settlementOf(attempt, answer)
    const Failure = attempt.unanswered ? TermEnded : StoreFull
    throw new Failure(`nothing can be written: ${full.message}`, { cause: full })
  }

  /** Queries the leader, the head, the mark of a term, and the mark of the next term. */
  #outcomeQueries({ epoch, nonce }: Term) {
    const { leader, head, terms } = this.context.keys
    return [
      etcd.range({ key: leader }),
      etcd.range({ key: head }),
      etcd.range({ key: terms.named(nonce) }),
      etcd.range({
        key: terms.key,
        rangeEnd: terms.rangeEnd,
        minCreateRevision: epoch + 1,
        ...OLDEST_CREATED
      })
    ]
  }

  /** Returns the outcome of a rejected append. Only its term can have stored it, so the log must have held it at the term's end. */
  #settlementOf({ term, cluster, before, after }: Attempt, answer: etcd.TxnResponse): Settlement {
    const [leader] = etcd.foundBy(answer, 0)
    const [own] = etcd.foundBy(answer, 2)
    const [next] = etcd.foundBy(answer, 3)
    const [head] = etcd.foundBy(answer, 1)
    if (own?.createRevision !== term.epoch)
      throw new SharedMismatch(
        `etcd knows nothing of a term that this server led in: it was put back from a backup; ${RESTORE_HINT}`
      )
    const isOver = leader?.createRevision !== term.epoch
    const end = readHead((isOver ? (next ?? head) : head)?.value)
    if (end.cluster === cluster && end.index === after.index && sameHash(end, after)) return 'stored'
    if (isOver && end.cluster === cluster && end.index === before.index && sameHash(end, before))
      return 'refuted'
    throw new SharedMismatch(
      `the log in etcd ended at commit ${end.index} where this server, which led, had it end at ${before.index}`
    )
  }

  /** Stores the pieces of a window. @returns their number; undefined if the term has ended */
  async #putPieces(term: Term, parts: KeyRange, records: Buffer): Promise<number | undefined> {
    let count = 0
    for (const piece of piecesOf(records)) {
      const success = [etcd.put(parts.numbered(count++), piece)]
      if (!(await this.#putPiece({ compare: isStillLeader(this.context.keys, term), success })))
        return undefined
    }
    return count
  }

  /** Returns false if the term is over. A piece without its window is never read. */
  async #putPiece(request: etcd.TxnRequest): Promise<boolean> {
    const { succeeded = false } = await this.#repeat(request, cause => {
      if (cause.isFull) throw new StoreFull(`nothing can be written: ${cause.message}`, { cause })
      if (cause.isAnswer) throw new WriteFailure(cause.message, 'unchanged', { cause })
    })
    return succeeded
  }

  /** Removes the pieces of a window that is not in the log. Compaction removes the rest. */
  async #removePieces({ key, rangeEnd }: KeyRange): Promise<void> {
    await this.context.client.call(etcd.TXN, { success: [etcd.removeRange(key, rangeEnd)] }).catch(() => {})
  }
}

const OLDEST_CREATED = { sortOrder: 1, sortTarget: 2, limit: 1 }
