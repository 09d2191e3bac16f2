// The fenced append: a group becomes part of the log in one transaction, by the leader alone, behind the head that it knows.
import { SharedMismatch, type Settlement, type Term } from '../cluster/shared-log.js'
import type { RecordGroup } from '../group.js'
import { NoRoom, WriteFailure, type Head } from '../store.js'
import { EtcdFailure, type EtcdClient } from './client.js'
import { headValue, readHead, type Keys } from './keys.js'
import { TXN, type Compare, type TxnRequest, type TxnResponse } from './messages.js'
import { createdBy, foundBy, put, range, remove, removeRange, valueIs } from './operations.js'
import { RESTORE_HINT, sameHash, type Seen } from './reads.js'
import type { Time } from './time.js'
import { MOST_BYTES, piecesOf, recordBytes, wholeWindow, windowInPieces } from './window.js'

/** In ms, between tries of one append. */
const FIRST_PAUSE = 10
const LONGEST_PAUSE = 500

/** Holds as long as the term lasts: who leads was made by the same revision as the mark of this very term. */
export const lasts = ({ leader, terms }: Keys, { epoch, nonce }: Term): Compare[] => [
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
  /** Whether a try may still be under way: nobody has answered it. */
  unanswered: boolean
}

export class Appender {
  readonly #client: EtcdClient
  readonly #keys: Keys
  readonly #seen: Seen
  readonly #time: Time

  constructor(client: EtcdClient, keys: Keys, seen: Seen, time: Time) {
    this.#client = client
    this.#keys = keys
    this.#seen = seen
    this.#time = time
  }

  /** See `SharedLog`. */
  async append(term: Term, before: Head, group: RecordGroup): Promise<Settlement> {
    const cluster = this.#seen.newest?.cluster
    if (cluster === undefined) throw new SharedMismatch('nothing was read of the cluster before an append')
    const after = { index: group.last, hash: Buffer.from(group.hash) }
    const attempt: Attempt = { term, cluster, before, after, unanswered: false }
    const records = recordBytes(group)
    const isWhole = records.length < MOST_BYTES
    try {
      const window = isWhole ? wholeWindow(records) : await this.#putPieces(attempt, group.first, records)
      const settlement = window ? await this.#append(attempt, group.first, window) : 'refuted'
      if (settlement === 'stored') this.#seen.check({ ...after, cluster }, undefined)
      else if (!isWhole) await this.#removePieces(term, group.first)
      return settlement
    } catch (error) {
      if (error instanceof WriteFailure && !isWhole) await this.#removePieces(term, group.first)
      throw error
    }
  }

  #append(attempt: Attempt, first: number, window: Buffer): Promise<Settlement> {
    const { log, head } = this.#keys
    const { term, cluster, before, after } = attempt
    return this.#settle(attempt, {
      compare: [...lasts(this.#keys, term), valueIs(head, headValue(before, cluster))],
      success: [put(log.numbered(first), window), put(head, headValue(after, cluster))],
      failure: this.#whatBecame(term)
    })
  }

  /** Makes the same transaction again until an answer tells what became of it. */
  async #settle(attempt: Attempt, request: TxnRequest): Promise<Settlement> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE))
      try {
        const answer = await this.#client.call(TXN, request)
        return answer.succeeded ? 'stored' : this.#told(attempt, answer)
      } catch (error) {
        if (!(error instanceof EtcdFailure)) throw error
        if (error.isFull) return this.#settleFull(attempt, error)
        if (!error.isAnswer) attempt.unanswered = true
        else if (!attempt.unanswered) throw new WriteFailure(error.message, 'unchanged', { cause: error })
        await this.#time.pause(pause)
      }
  }

  /**
   * etcd takes no more bytes, and may have taken these before it said so. What only reads or deletes still passes.
   * @throws NoRoom when they are not in the log
   */
  async #settleFull(attempt: Attempt, full: EtcdFailure): Promise<Settlement> {
    const { term, before, cluster } = attempt
    const { leader, head } = this.#keys
    // A try without an answer may arrive late: it cannot be let in any more once the term is over.
    const fence = attempt.unanswered ? [remove(leader)] : []
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE))
      try {
        const answer = await this.#client.call(TXN, {
          compare: [...lasts(this.#keys, term), valueIs(head, headValue(before, cluster))],
          success: fence,
          failure: this.#whatBecame(term)
        })
        if (answer.succeeded || this.#told(attempt, answer) === 'refuted') break
        return 'stored'
      } catch (error) {
        if (!(error instanceof EtcdFailure)) throw error
        await this.#time.pause(pause)
      }
    throw new NoRoom(`nothing can be written: ${full.message}`, { cause: full })
  }

  /** Finds who leads, the head, the mark of a term, and that of the term after it. */
  #whatBecame({ epoch, nonce }: Term): TxnRequest['failure'] {
    const { leader, head, terms } = this.#keys
    return [
      range({ key: leader }),
      range({ key: head }),
      range({ key: terms.named(nonce) }),
      range({ key: terms.key, rangeEnd: terms.rangeEnd, minCreateRevision: epoch + 1, ...OLDEST_CREATED })
    ]
  }

  /**
   * What became of an append that was not let in: only its term can have stored it, so it is in the log if the log had it when
   * that term ended.
   */
  #told({ term, cluster, before, after }: Attempt, answer: TxnResponse): Settlement {
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

  /** Stores the pieces of a window, as long as the term lasts. @returns the window that names them; undefined when it is over */
  async #putPieces(attempt: Attempt, first: number, records: Buffer): Promise<Buffer | undefined> {
    const { term } = attempt
    const parts = this.#keys.partsOf(first, term.epoch)
    let count = 0
    for (const piece of piecesOf(records)) {
      const request: TxnRequest = {
        compare: lasts(this.#keys, term),
        success: [put(parts.numbered(count++), piece)],
        failure: []
      }
      if (!(await this.#putPiece(request))) return undefined
    }
    return windowInPieces(term.epoch, count)
  }

  /** @returns whether the term lasts; what becomes of a piece without its window matters to nobody */
  async #putPiece(request: TxnRequest): Promise<boolean> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE))
      try {
        const { succeeded = false } = await this.#client.call(TXN, request)
        return succeeded
      } catch (error) {
        if (!(error instanceof EtcdFailure)) throw error
        if (error.isFull) throw new NoRoom(`nothing can be written: ${error.message}`, { cause: error })
        if (error.isAnswer) throw new WriteFailure(error.message, 'unchanged', { cause: error })
        await this.#time.pause(pause)
      }
  }

  /** Those of a window that is not in the log. What cannot be removed now goes when the floor rises above it. */
  async #removePieces({ epoch }: Term, first: number): Promise<void> {
    const { key, rangeEnd } = this.#keys.partsOf(first, epoch)
    const request: TxnRequest = { compare: [], success: [removeRange(key, rangeEnd)], failure: [] }
    await this.#client.call(TXN, request).catch(() => {})
  }
}

const OLDEST_CREATED = { sortOrder: 1, sortTarget: 2, limit: 1 }
