// Leases of cursors: one reader at a time, and others that wait to take over. The log does not contain them.
import { isDeepStrictEqual } from 'node:util'
import { Lifecycle, scoped } from 'tsyringe'
import { type Cursor, CURSOR_TOPIC, isCursorEvent } from '../../events/cursor.js'
import { MILLISECOND } from '../../events/duration.js'
import type { Event } from '../../events/envelope.js'
import { Views } from '../../projections/read-models.js'
import { Clock, Deadlines } from '../clock.js'
import { Committer } from '../committer.js'
import { Subscriptions } from '../subscriptions.js'
import { CursorPositions } from './cursor-positions.js'

const KIND = 'cursor-lease'

/** Why a claim ended: another reader, deletion, a new selection, or the end of this server's leadership. */
export type ClaimLoss = 'taken over' | 'deleted' | 'redefined' | 'deposed'

export interface CursorReader {
  /** Called once per lease. True if it has processed something since, or there was nothing to process. */
  isProcessing(): boolean
  /** It holds the cursor and continues after this index. May be called before `claim` returns. */
  onHeld(index: number): void
  /** Its claim has ended. No call follows. */
  onLost(loss: ClaimLoss): void
}

/** A reader's position in the queue for a cursor. */
export interface CursorClaim {
  /** True when it is first in the queue. */
  readonly isHeld: boolean
  release(): void
}

interface Claim {
  readonly reader: CursorReader
}

/** The queue for one cursor, whose first reader has the lease. */
interface LeaseQueue {
  readonly cursor: Cursor
  readonly claims: Claim[]
  /** End of the lease by `Clock.elapsed`, unless it is renewed. */
  until: number
  checksAt: number
  /** The lease ran out while no reader waited. */
  isOver: boolean
}

const selectionOf = ({ Topics, Types, Filter, Namespace, Partition }: Cursor): unknown => [
  Topics,
  Types,
  Filter,
  Namespace,
  Partition
]

const hasSameSelection = (one: Cursor, other: Cursor): boolean =>
  isDeepStrictEqual(selectionOf(one), selectionOf(other))

/** A lease is renewed while its reader processes events, and by each move. A claim costs O(1), its end O(readers of the same cursor). */
@scoped(Lifecycle.ContainerScoped)
export class CursorLeases {
  readonly #queues = new Map<string, LeaseQueue>()
  readonly #subscriptions = new Subscriptions()

  constructor(
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly positions: CursorPositions,
    private readonly committer: Committer
  ) {}

  start(): void {
    const due = (names: readonly string[]): void => {
      for (const name of new Set(names)) this.#due(name)
    }
    this.#subscriptions.add(this.deadlines.on(KIND, due))
    this.#subscriptions.add(this.committer.on(CURSOR_TOPIC, event => this.#follow(event)))
    this.#subscriptions.onRebuilt(this.committer, () => this.#checkAll())
  }

  /** Ends all claims: another server may serve readers of the same cursors. */
  stop(): void {
    this.#subscriptions.end()
    const queues = [...this.#queues.values()]
    this.#queues.clear()
    for (const { claims } of queues) for (const { reader } of claims.splice(0)) reader.onLost('deposed')
  }

  isHeld(name: string): boolean {
    return this.#queues.has(name)
  }

  /** Adds a reader to a cursor's queue; undefined for a deleted cursor. @param found by the reader; a changed selection ends the claim at once */
  claim(found: Cursor, reader: CursorReader): CursorClaim | undefined {
    const { Name: name } = found
    const cursor = this.views.cursors.get(name)
    if (!cursor) return undefined
    const claim: Claim = { reader }
    if (!hasSameSelection(cursor, found)) {
      reader.onLost('redefined')
      return { isHeld: false, release: () => {} }
    }
    const queue = this.#queues.get(name) ?? { cursor, claims: [], until: 0, checksAt: 0, isOver: false }
    queue.claims.push(claim)
    if (queue.claims.length === 1) {
      this.#queues.set(name, queue)
      this.#startLease(name, queue)
    } else if (queue.isOver) this.#renewOrPass(name, queue)
    const isFirst = (): boolean => this.#queues.get(name)?.claims[0] === claim
    return {
      get isHeld() {
        return isFirst()
      },
      release: () => this.#release(name, queue, claim)
    }
  }

  #startLease(name: string, queue: LeaseQueue): void {
    this.#renew(name, queue)
    queue.claims[0]?.reader.onHeld(this.positions.of(name) ?? queue.cursor.Index)
  }

  #renew(name: string, queue: LeaseQueue): void {
    queue.until = this.clock.elapsed() + (this.views.cursors.get(name) ?? queue.cursor).Lease / MILLISECOND
    queue.isOver = false
    this.#schedule(name, queue)
  }

  #schedule(name: string, queue: LeaseQueue): void {
    queue.checksAt = queue.until
    this.deadlines.after(queue.until - this.clock.elapsed(), KIND, name)
  }

  #due(name: string): void {
    const queue = this.#queues.get(name)
    const now = this.clock.elapsed()
    // The deadline may belong to readers that have left.
    if (!queue || queue.isOver || now < queue.checksAt) return
    if (queue.until <= now) this.#renewOrPass(name, queue)
    else this.#schedule(name, queue)
  }

  /** The lease has run out: its reader keeps it if it is processing events or no other reader waits. */
  #renewOrPass(name: string, queue: LeaseQueue): void {
    const [first, next] = queue.claims
    if (first?.reader.isProcessing()) return this.#renew(name, queue)
    queue.isOver = true
    if (!first || !next) return
    this.#release(name, queue, first)
    first.reader.onLost('taken over')
  }

  #release(name: string, queue: LeaseQueue, claim: Claim): void {
    const at = queue.claims.indexOf(claim)
    if (at < 0) return
    queue.claims.splice(at, 1)
    if (this.#queues.get(name) !== queue) return
    if (queue.claims.length === 0) this.#queues.delete(name)
    else if (at === 0) this.#startLease(name, queue)
  }

  #follow(event: Event): void {
    const queue = this.#queues.get(event.Key)
    if (!queue || !isCursorEvent(event)) return
    if (event.Type !== 'CursorMoved') this.#check(event.Key, queue)
    else if (queue.isOver) this.#renew(event.Key, queue)
    else queue.until = this.clock.elapsed() + event.Payload.Cursor.Lease / MILLISECOND
  }

  #check(name: string, queue: LeaseQueue): void {
    const cursor = this.views.cursors.get(name)
    if (cursor && hasSameSelection(cursor, queue.cursor)) return
    this.#queues.delete(name)
    for (const { reader } of queue.claims.splice(0)) reader.onLost(cursor ? 'redefined' : 'deleted')
  }

  #checkAll(): void {
    for (const [name, queue] of this.#queues) this.#check(name, queue)
  }
}
