// Who reads by which cursor: one reader at a time, and others that wait to take over. Nothing of it is in the log.
import { isDeepStrictEqual } from 'node:util'
import { Lifecycle, scoped } from 'tsyringe'
import { type Cursor, isCursorEvent } from '../../events/cursor.js'
import { MILLISECOND } from '../../events/duration.js'
import type { Commit } from '../../events/envelope.js'
import { Views } from '../../projections/read-models.js'
import { Clock } from '../clock.js'
import { Committer } from '../committer.js'
import { Deadlines } from '../deadlines.js'
import { Subscriptions } from '../subscriptions.js'
import { CursorPositions } from './cursor-positions.js'

const KIND = 'cursor-lease'

/**
 * Why a reader has no claim on its cursor any more: another one took over, or the cursor is gone, or of other events now, or this server
 * leads no more.
 */
export type ClaimLoss = 'taken over' | 'deleted' | 'redefined' | 'deposed'

/** Somebody who reads by a cursor. */
export interface CursorReader {
  /** Whether it has taken something since it was last asked, or there was nothing to take: asked once in each lease. */
  isTaking(): boolean
  /** It has the cursor from now on, and begins behind this index. It may be told before `claim` has returned. */
  onHeld(index: number): void
  /** Its claim is over. It is told nothing after that. */
  onLost(loss: ClaimLoss): void
}

/** A reader's place in the line for a cursor. */
export interface CursorClaim {
  /** Whether it is its turn. */
  readonly isHeld: boolean
  /** Gives the place up; the next in line takes over. */
  release(): void
}

interface Claim {
  readonly reader: CursorReader
}

/** The line for one cursor. The first in it has the lease. */
interface Line {
  /** As the readers found it. */
  readonly cursor: Cursor
  readonly claims: Claim[]
  /** Time of `Clock.elapsed` at which the lease is over, unless it is renewed. */
  until: number
  /** When that is looked at: earlier, where the lease was renewed meanwhile. */
  looksAt: number
  /** The lease ran out, and nobody waited for it. */
  isOver: boolean
}

const selectionOf = ({ Topics, Types, Filter, Namespace, Partition }: Cursor): unknown => [
  Topics,
  Types,
  Filter,
  Namespace,
  Partition
]

const isOfSame = (one: Cursor, other: Cursor): boolean =>
  isDeepStrictEqual(selectionOf(one), selectionOf(other))

/**
 * A lease is renewed as long as its reader takes what it is sent, and with each move of the cursor. A claim costs O(1), its end
 * O(those who wait for the same cursor).
 */
@scoped(Lifecycle.ContainerScoped)
export class CursorLeases {
  readonly #lines = new Map<string, Line>()
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
    this.#subscriptions.follow(this.committer, {
      applied: commit => this.#follow(commit),
      rebuilt: () => this.#lookAtAll()
    })
  }

  /** All readers lose their claims: others may read by the same cursors, of another server. */
  stop(): void {
    this.#subscriptions.end()
    const lines = [...this.#lines.values()]
    this.#lines.clear()
    for (const { claims } of lines) for (const { reader } of claims.splice(0)) reader.onLost('deposed')
  }

  /** Whether somebody reads by a cursor now. */
  isHeld(name: string): boolean {
    return this.#lines.has(name)
  }

  /**
   * Lets a reader in line for a cursor: first, if nobody has it.
   * @param found the cursor as the reader found it: where it is of other events by now, the reader is told so at once
   * @returns undefined when there is no such cursor any more
   */
  claim(found: Cursor, reader: CursorReader): CursorClaim | undefined {
    const { Name: name } = found
    const cursor = this.views.cursors.get(name)
    if (!cursor) return undefined
    const claim: Claim = { reader }
    if (!isOfSame(cursor, found)) {
      reader.onLost('redefined')
      return { isHeld: false, release: () => {} }
    }
    const line = this.#lines.get(name) ?? { cursor, claims: [], until: 0, looksAt: 0, isOver: false }
    line.claims.push(claim)
    if (line.claims.length === 1) {
      this.#lines.set(name, line)
      this.#begin(name, line)
    } else if (line.isOver) this.#renewOrPass(name, line)
    const isFirst = (): boolean => this.#lines.get(name)?.claims[0] === claim
    return {
      get isHeld() {
        return isFirst()
      },
      release: () => this.#release(name, line, claim)
    }
  }

  /** The first in line has the lease now. */
  #begin(name: string, line: Line): void {
    this.#renew(name, line)
    line.claims[0]?.reader.onHeld(this.positions.of(name) ?? line.cursor.Index)
  }

  #renew(name: string, line: Line): void {
    line.until = this.clock.elapsed() + (this.views.cursors.get(name) ?? line.cursor).Lease / MILLISECOND
    line.isOver = false
    this.#schedule(name, line)
  }

  #schedule(name: string, line: Line): void {
    line.looksAt = line.until
    this.deadlines.after(line.until - this.clock.elapsed(), KIND, name)
  }

  #due(name: string): void {
    const line = this.#lines.get(name)
    const now = this.clock.elapsed()
    // It may have been the deadline of readers who are gone.
    if (!line || line.isOver || now < line.looksAt) return
    if (line.until <= now) this.#renewOrPass(name, line)
    else this.#schedule(name, line)
  }

  /** The lease has run out: who takes what it is sent keeps it, and so does who has nobody behind it. */
  #renewOrPass(name: string, line: Line): void {
    const [first, next] = line.claims
    if (first?.reader.isTaking()) return this.#renew(name, line)
    line.isOver = true
    if (!first || !next) return
    this.#release(name, line, first)
    first.reader.onLost('taken over')
  }

  #release(name: string, line: Line, claim: Claim): void {
    const at = line.claims.indexOf(claim)
    if (at < 0) return
    line.claims.splice(at, 1)
    if (this.#lines.get(name) !== line) return
    if (line.claims.length === 0) this.#lines.delete(name)
    else if (at === 0) this.#begin(name, line)
  }

  #follow(commit: Commit): void {
    if (this.#lines.size === 0) return
    for (const event of commit.Events) {
      if (!isCursorEvent(event)) continue
      const line = this.#lines.get(event.Key)
      if (!line) continue
      if (event.Type !== 'CursorMoved') this.#look(event.Key, line)
      else if (line.isOver) this.#renew(event.Key, line)
      else line.until = this.clock.elapsed() + event.Payload.Cursor.Lease / MILLISECOND
    }
  }

  /** Ends the line when its cursor is gone, or of other events. */
  #look(name: string, line: Line): void {
    const cursor = this.views.cursors.get(name)
    if (cursor && isOfSame(cursor, line.cursor)) return
    this.#lines.delete(name)
    for (const { reader } of line.claims.splice(0)) reader.onLost(cursor ? 'redefined' : 'deleted')
  }

  #lookAtAll(): void {
    for (const [name, line] of this.#lines) this.#look(name, line)
  }
}
