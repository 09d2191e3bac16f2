// The fenced append: a group becomes part of the log in one transaction, by the leader alone, behind the head that it knows.
import { RESTORE_HINT, SharedMismatch, TermEnded, type Settlement, type Term } from '../cluster/shared-log.js'
import type { RecordGroup } from '../record-group.js'
import { StoreFull, WriteFailure, type Head } from '../store.js'
import { EtcdFailure } from './client.js'
import { headValue, newNonce, readHead, type KeyRange, type Keys } from './keys.js'
import {
  type Compare,
  createdBy,
  foundBy,
  put,
  range,
  remove,
  removeRange,
  TXN,
  type TxnRequest,
  type TxnResponse,
  valueIs
} from './messages.js'
import { sameHash, type EtcdContext } from './coalesced-reads.js'
import { MOST_BYTES, piecesOf, recordBytes, wholeWindow, windowInPieces } from './windows.js'

/** In ms, between tries of one append. */
const FIRST_PAUSE = 10
const LONGEST_PAUSE = 500

/** Holds as long as the term lasts: who leads was made by the same revision as the mark of this very term. */
export const isStillLeader = ({ leader, terms }: Keys, { epoch, nonce }: Term): Compare[] => [
  createdBy(leader, epoch),
  createdBy(terms.named(nonce), epoch)
]

/** One append, from its first try to what became of it. */
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

  /** See `SharedLog`. */
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
      compare: [...isStillLeader(this.context.keys, term), valueIs(head, headValue(before, cluster))],
      success: [put(log.numbered(first), window), put(head, headValue(after, cluster))],
      failure: this.#whatBecame(term)
    })
  }

  /** Makes the same transaction again until an answer tells what became of it. */
  async #settle(attempt: Attempt, request: TxnRequest): Promise<Settlement> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE))
      try {
        const answer = await this.context.client.call(TXN, request)
        return answer.succeeded ? 'stored' : this.#settlementOf(attempt, answer)
      } catch (error) {
        if (!(error instanceof EtcdFailure)) throw error
        if (error.isFull) return this.#settleFull(attempt, error)
        if (!error.isAnswer) attempt.unanswered = true
        else if (!attempt.unanswered && !error.isBusy)
          throw new WriteFailure(error.message, 'unchanged', { cause: error })
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
    // A try without an answer may arrive late: it cannot be let in any more once the term is over.
    const fence = attempt.unanswered ? [remove(leader)] : []
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE))
      try {
        const answer = await this.context.client.call(TXN, {
          compare: [...isStillLeader(this.context.keys, term), valueIs(head, headValue(before, cluster))],
          success: fence,
          failure: this.#whatBecame(term)
        })
        if (!answer.succeeded) return this.#settlementOf(attempt, answer)
        break
      } catch (error) {
        if (!(error instanceof EtcdFailure)) throw error
        await this.context.time.pause(pause)
      }
    const Failure = attempt.unanswered ? TermEnded : StoreFull
    throw new Failure(`nothing can be written: ${full.message}`, { cause: full })
  }

  /** Finds who leads, the head, the mark of a term, and that of the term after it. */
  #whatBecame({ epoch, nonce }: Term) {
    const { leader, head, terms } = this.context.keys
    return [
      range({ key: leader }),
      range({ key: head }),
      range({ key: terms.named(nonce) }),
      range({ key: terms.key, rangeEnd: terms.rangeEnd, minCreateRevision: epoch + 1, ...OLDEST_CREATED })
    ]
  }

  /**
   * Returns the outcome of an append whose comparison failed. Only its term can have stored it, so it is in the log if the
   * log held it at the end of that term.
   */
  #settlementOf({ term, cluster, before, after }: Attempt, answer: TxnResponse): Settlement {
    const [leader] = foundBy(answer, 0)
    const [own] = foundBy(answer, 2)
    const [next] = foundBy(answer, 3)
    const [head] = foundBy(answer, 1)
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

  /** Stores the pieces of a window, as long as the term lasts. @returns how many they are; undefined when it is over */
  async #putPieces(term: Term, parts: KeyRange, records: Buffer): Promise<number | undefined> {
    let count = 0
    for (const piece of piecesOf(records)) {
      const success = [put(parts.numbered(count++), piece)]
      if (!(await this.#putPiece({ compare: isStillLeader(this.context.keys, term), success })))
        return undefined
    }
    return count
  }

  /** Returns false if the term is over. A piece without its window is never read. */
  async #putPiece(request: TxnRequest): Promise<boolean> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE))
      try {
        const { succeeded = false } = await this.context.client.call(TXN, request)
        return succeeded
      } catch (error) {
        if (!(error instanceof EtcdFailure)) throw error
        if (error.isFull) throw new StoreFull(`nothing can be written: ${error.message}`, { cause: error })
        if (error.isAnswer) throw new WriteFailure(error.message, 'unchanged', { cause: error })
        await this.context.time.pause(pause)
      }
  }

  /** Those of a window that is not in the log. What cannot be removed now goes when the floor rises above it. */
  async #removePieces({ key, rangeEnd }: KeyRange): Promise<void> {
    await this.context.client.call(TXN, { success: [removeRange(key, rangeEnd)] }).catch(() => {})
  }
}

const OLDEST_CREATED = { sortOrder: 1, sortTarget: 2, limit: 1 }
