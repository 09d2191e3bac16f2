// What is true now, sent as events before the tail of the log (docs/stream.md, Snapshot and tail).
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Fact } from '../../../projections/saved-form.js'
import { Message } from '../../../projections/stream/message.js'
import { Selector } from '../../../projections/stream/selector.js'
import { commitOf, factsOfState } from '../../../projections/stream/snapshot.js'
import type { Subscription } from '../../../projections/stream/subscription.js'
import type { Views } from '../../../projections/read-models.js'
import { CHUNK_MS } from '../../wire/cooperative-chunks.js'
import type { SnapshotScheduler } from './snapshot-scheduler.js'

/** The log failed meanwhile, and the read models were made anew. */
export class StateRebuilt extends Error {
  override readonly name = 'StateLost'
}

/** What a snapshot needs of the server. */
export interface SnapshotHost {
  readonly views: Views
  readonly turns: SnapshotScheduler
  /** Index of the newest durable commit. */
  newest(): number
  /** Bytes given to a stream at once, but for a single message that is larger. */
  readonly pieceBytes: number
  /** Resolves when the read models can be read. */
  readable(): Promise<void>
}

/** The stream that a snapshot goes to. */
interface SnapshotReader {
  readonly subscription: Subscription
  /** What its reader may see at this moment. */
  authorizer(): Authorizer
  /** Resolves when the next piece may be written: the last was taken, and what the reader may see is known. */
  ready(): Promise<void>
  write(bytes: Buffer): void
}

/**
 * Messages that mark no place to resume at: whoever breaks off in the middle asks for the snapshot again. Nor do they tell
 * who made things so, which only the log knows.
 */
const unmarked = (subscription: Subscription): Subscription => {
  const { framing } = subscription
  return { ...subscription, meta: false, framing: { ...framing, message: line => framing.control(line) } }
}

/** Things that are sent together, and the lines that they became under certain rights. */
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

  /** What of it another selector lets through, which narrows it only: what was left out comes no more. */
  under(selector: Selector): Buffer {
    if (selector === this.selector) return Buffer.concat(this.#lines)
    const again = new Piece(selector)
    for (const fact of this.#facts) again.add(fact)
    return Buffer.concat(again.#lines)
  }
}

/**
 * Sends the events of what is true now, a slice of time and a piece of bounded size at a time, while commits go on.
 * @returns the index `N` that the snapshot is of. Everything that was so at `N` and still is was sent, as far as the reader
 *   may see it; of what has changed or ended since, the commits behind `N` tell.
 * @throws StateLost
 */
export const sendSnapshot = async (
  host: SnapshotHost,
  reader: SnapshotReader,
  signal: AbortSignal
): Promise<number> => {
  await host.readable()
  const { views, turns, pieceBytes } = host
  const at = host.newest()
  const { generation } = views
  const subscription = unmarked(reader.subscription)
  let selector = new Selector(subscription, reader.authorizer())
  const underRightsOfNow = (): Selector => {
    const authorizer = reader.authorizer()
    if (authorizer !== selector.authorizer) selector = new Selector(subscription, authorizer)
    return selector
  }
  const facts = factsOfState(views, subscription)[Symbol.iterator]()
  let piece = new Piece(selector)
  /** @returns whether the state has come to its end */
  const fill = (): boolean => {
    if (views.generation !== generation) throw new StateRebuilt('the read models were made anew')
    const end = performance.now() + CHUNK_MS
    while (piece.bytes < pieceBytes && performance.now() < end) {
      const { done, value } = facts.next()
      if (done === true) return true
      if (value.Index <= at) piece.add(value)
    }
    return false
  }
  for (let isDone = false; !isDone;) {
    isDone = await turns.take(fill)
    if (piece.bytes > 0) await reader.ready()
    if (signal.aborted) return at
    const bytes = piece.under(underRightsOfNow())
    if (bytes.length > 0) reader.write(bytes)
    piece = new Piece(underRightsOfNow())
  }
  return at
}
