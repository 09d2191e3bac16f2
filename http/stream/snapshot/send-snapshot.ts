// Sends the current state as events before the tail of the log (docs/reference/event-stream.md, Snapshot).
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Fact } from '../../../projections/projection.js'
import { Message } from '../../../projections/stream/message.js'
import { Selector, type Subscription } from '../../../projections/stream/subscription.js'
import { commitOf, factsOfState } from '../../../projections/stream/snapshot.js'
import type { Views } from '../../../projections/read-models.js'
import { CHUNK_MS } from '../../wire/cooperative-chunks.js'
import { setImmediate } from 'node:timers/promises'
import { CpuShare } from '../catch-up/cpu-share.js'

export class SnapshotScheduler {
  readonly #share: CpuShare
  #last: Promise<unknown> = Promise.resolve()

  /** @param share of CPU time for all snapshots, above 0; 1 for no rest */
  constructor(share: number) {
    this.#share = new CpuShare(share)
  }

  take<T>(slice: () => T): Promise<T> {
    const turn = this.#last.then(async () => {
      await this.#share.rested()
      // Pending I/O is handled between slices even without a rest.
      await setImmediate()
      return this.#share.work(slice)
    })
    this.#last = turn.catch(() => {})
    return turn
  }
}

export class StateRebuilt extends Error {
  override readonly name = 'StateLost'
}

export interface SnapshotHost {
  readonly views: Views
  readonly scheduler: SnapshotScheduler
  newest(): number
  /** Maximum bytes per write, except a single larger message. */
  readonly pieceBytes: number
  readable(): Promise<void>
}

interface SnapshotReader {
  readonly subscription: Subscription
  authorizer(): Authorizer
  ready(): Promise<void>
  write(bytes: Buffer): void
}

/** Returns a subscription without resume indexes, since an interrupted snapshot must be repeated, and without origins, which are only in the log. */
const unmarked = (subscription: Subscription): Subscription => {
  const { framing } = subscription
  return { ...subscription, meta: false, framing: { ...framing, message: line => framing.control(line) } }
}

class Piece {
  readonly #facts: Fact[] = []
  readonly #lines: Buffer[] = []
  #bytes = 0

  constructor(private readonly selector: Selector) {}

  get bytes(): number {
    return this.#bytes
  }

  add(fact: Fact): void {
    const line = this.selector.frame(new Message(commitOf(fact)))
    if (!line) return
    this.#facts.push(fact)
    this.#lines.push(line)
    this.#bytes += line.length
  }

  under(selector: Selector): Buffer {
    if (selector === this.selector) return Buffer.concat(this.#lines)
    const narrowed = new Piece(selector)
    for (const fact of this.#facts) narrowed.add(fact)
    return Buffer.concat(narrowed.#lines)
  }
}

/**
 * Sends the events of the current state in time slices and pieces of bounded size, concurrently with commits.
 * @returns the index `N` of the snapshot. Every readable fact that was true at `N`, and still is, was sent; changes since are in the
 *   commits after `N`.
 * @throws StateRebuilt
 */
export const sendSnapshot = async (
  host: SnapshotHost,
  reader: SnapshotReader,
  signal: AbortSignal
): Promise<number> => {
  await host.readable()
  const { views, scheduler, pieceBytes } = host
  const at = host.newest()
  const { generation } = views
  const subscription = unmarked(reader.subscription)
  let selector = new Selector(subscription, reader.authorizer())
  const currentSelector = (): Selector => {
    const authorizer = reader.authorizer()
    if (authorizer !== selector.authorizer) selector = new Selector(subscription, authorizer)
    return selector
  }
  const facts = factsOfState(views, subscription)[Symbol.iterator]()
  let piece = new Piece(selector)
  const fill = (): boolean => {
    if (views.generation !== generation) throw new StateRebuilt('the read models were rebuilt')
    const end = performance.now() + CHUNK_MS
    while (piece.bytes < pieceBytes && performance.now() < end) {
      const { done, value } = facts.next()
      if (done === true) return true
      if (value.Index <= at) piece.add(value)
    }
    return false
  }
  for (let isDone = false; !isDone;) {
    isDone = await scheduler.take(fill)
    if (piece.bytes > 0) await reader.ready()
    if (signal.aborted) return at
    const bytes = piece.under(currentSelector())
    if (bytes.length > 0) reader.write(bytes)
    piece = new Piece(currentSelector())
  }
  return at
}
