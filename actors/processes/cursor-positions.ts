// Positions of cursors, which are committed once a second, and before a webhook sends a batch.
import { Lifecycle, scoped } from 'tsyringe'
import { CURSOR_TOPIC, isCursorEvent } from '../../events/cursor.js'
import type { Event } from '../../events/envelope.js'
import { Views } from '../../projections/read-models.js'
import { Clock, Deadlines } from '../clock.js'
import { serverCommand } from '../aggregate.js'
import { Committer } from '../committer.js'
import { cursorRef } from '../cursor.js'
import { checkCursorIndex } from '../cursor-rules.js'
import { Refusal } from '../refusal.js'
import { Subscriptions } from '../subscriptions.js'
import { ActorSystem } from '../system.js'

/** Time that a move waits for others. */
const PERIOD_MS = 1000
const MAX_MOVES = 512

/** Outcome of a move: stored, superseded by another position before that, or refused. */
type Outcome = 'moved' | 'superseded' | Refusal

/** A cursor whose position is ahead of the read models. */
interface Ahead {
  from: number
  index: number
  /** End of the batch to store with the next commit. */
  batchTo: number | undefined
  /** Receive the outcome of the moves since the last commit. */
  waiting: ((outcome: Outcome) => void)[]
}

export const noCursor = (name: string): Refusal =>
  new Refusal('cursor.not-found', `Cursor "${name}" does not exist`)
const notWritten = (): Refusal =>
  new Refusal(
    'cursor.unavailable',
    'The log cannot be written now: the cursor was not moved; try again later'
  )

/** Moves resolve when on disk. Until then they apply to other moves and may be lost: events may repeat, but none is skipped. A move costs O(1). */
@scoped(Lifecycle.ContainerScoped)
export class CursorPositions {
  readonly #subscriptions = new Subscriptions()
  readonly #ahead = new Map<string, Ahead>()
  /** Names in `#ahead` with moves to commit. */
  #due = new Set<string>()
  #stopped = false

  constructor(
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly system: ActorSystem,
    private readonly committer: Committer
  ) {}

  start(): void {
    this.#stopped = false
    this.#subscriptions.add(this.deadlines.on(CURSOR_TOPIC, () => this.#commit()))
    this.#subscriptions.add(this.committer.on(CURSOR_TOPIC, event => this.#follow(event)))
    this.#subscriptions.onRebuilt(this.committer, () => this.#forget())
  }

  /** Commits the waiting moves, and later ones at once; failed ones are dropped. */
  stop(): void {
    this.#stopped = true
    this.#subscriptions.end()
    this.#commit()
    this.#ahead.clear()
  }

  of(name: string): number | undefined {
    return this.#ahead.get(name)?.index ?? this.views.cursors.get(name)?.Index
  }

  /**
   * Moves a cursor forward; a lower index changes nothing. Resolves when the position is on disk.
   * @throws Refusal `missing`; `invalid` for an index after the end of the log; `unavailable`
   */
  async advance(name: string, index: number): Promise<void> {
    const from = this.#requirePosition(name)
    checkCursorIndex(index, this.views.index)
    if (index > from) await this.#move(name, index)
    else await this.#settled(name)
  }

  /**
   * Moves a cursor forward or back if it is at the expected position. Resolves when that is on disk.
   * @returns true when it was at the expected position
   * @throws Refusal as `advance`
   */
  async moveFrom(name: string, expected: number, index: number): Promise<boolean> {
    const from = this.#requirePosition(name)
    checkCursorIndex(index, this.views.index)
    if (from !== expected) {
      await this.#settled(name)
      return false
    }
    return (await this.#move(name, index)) === 'moved'
  }

  /**
   * Stores the end of the next batch of a cursor's webhook with the cursor's position. Resolves when both are on disk.
   * @param isUrgent commits at once, not with the moves of a second
   * @returns true when the cursor was at the expected position
   * @throws Refusal as `advance`
   */
  async startBatch(
    name: string,
    expected: number,
    { to, isUrgent }: { readonly to: number; readonly isUrgent: boolean }
  ): Promise<boolean> {
    if (this.#requirePosition(name) !== expected) {
      await this.#settled(name)
      return false
    }
    const ahead = this.#aheadOf(name, expected)
    ahead.batchTo = to
    const done = this.#enqueue(name, ahead)
    if (isUrgent) this.#commit()
    return (await done) === 'moved'
  }

  /** Commits a cursor's waiting moves, so that the caller can move it. False at another position, where it must stay. @throws Refusal `missing` */
  release(name: string, expected: number): boolean {
    const from = this.#requirePosition(name)
    if (this.#due.has(name)) this.#commit()
    if (from !== expected) return false
    this.#ahead.delete(name)
    return true
  }

  #requirePosition(name: string): number {
    const index = this.of(name)
    if (index === undefined) throw noCursor(name)
    return index
  }

  async #move(name: string, index: number): Promise<Exclude<Outcome, Refusal>> {
    const ahead = this.#aheadOf(name, index)
    const from = this.views.cursors.get(name)?.Index ?? index
    // Committing the acknowledgement of commits that only move cursors would create more of them.
    const isNothingTaken = index >= from && from >= this.views.cursors.newestToTake(this.views.index)
    if (isNothingTaken && !this.#due.has(name)) {
      await this.committer.durable()
      return 'moved'
    }
    return this.#enqueue(name, ahead)
  }

  #aheadOf(name: string, index: number): Ahead {
    const from = this.views.cursors.get(name)?.Index ?? index
    const ahead = this.#ahead.get(name) ?? { from, index, batchTo: undefined, waiting: [] }
    ahead.index = index
    this.#ahead.set(name, ahead)
    return ahead
  }

  #enqueue(name: string, ahead: Ahead): Promise<Exclude<Outcome, Refusal>> {
    if (this.#due.size === 0) this.deadlines.after(PERIOD_MS, CURSOR_TOPIC, '')
    this.#due.add(name)
    const done = this.#outcome(ahead)
    if (this.#stopped) this.#commit()
    return done
  }

  /** Resolves when the known position of a cursor is on disk. */
  async #settled(name: string): Promise<void> {
    const ahead = this.#ahead.get(name)
    if (ahead && this.#due.has(name)) await this.#outcome(ahead)
    else await this.committer.durable()
  }

  #outcome(ahead: Ahead): Promise<Exclude<Outcome, Refusal>> {
    return new Promise((resolve, reject) =>
      ahead.waiting.push(outcome => (outcome instanceof Refusal ? reject(outcome) : resolve(outcome)))
    )
  }

  #commit(): void {
    const names = [...this.#due]
    this.#due = new Set()
    for (let at = 0; at < names.length; at += MAX_MOVES)
      void this.#commitSome(names.slice(at, at + MAX_MOVES))
  }

  async #commitSome(names: readonly string[]): Promise<void> {
    const moved = names.flatMap(name => {
      const ahead = this.#ahead.get(name)
      if (!ahead) return []
      const { index, batchTo } = ahead
      ahead.batchTo = undefined
      return [{ name, ahead, index, batchTo, waiting: ahead.waiting.splice(0) }]
    })
    const settle = (outcome: Outcome): void => {
      for (const { waiting } of moved) for (const resolve of waiting) resolve(outcome)
    }
    try {
      const moves = moved.map(({ name, index, batchTo }) => ({ name, index, batchTo }))
      await this.system.ask(cursorRef(), serverCommand('MoveCursors', { moves }, this.clock.now()))
      settle('moved')
    } catch (error) {
      for (const { name, ahead } of moved)
        if (this.#ahead.get(name) === ahead && !this.#due.has(name)) this.#ahead.delete(name)
      settle(error instanceof Refusal ? error : notWritten())
    }
  }

  #follow(event: Event): void {
    const ahead = this.#ahead.get(event.Key)
    if (!ahead || !isCursorEvent(event)) return
    const { Type, Key } = event
    const { Cursor } = event.Payload
    if (Type === 'CursorDeleted') this.#drop(Key, ahead, noCursor(Key))
    // A written position ignores the uncommitted moves.
    else if (Type === 'CursorUpserted' && Cursor.Index !== ahead.from) this.#drop(Key, ahead, 'superseded')
    // A skip starts from the current position.
    else if (Type === 'CursorSkipped') this.#drop(Key, ahead, 'moved')
    else ahead.from = Cursor.Index
    if (ahead.from === ahead.index && !this.#due.has(Key)) this.#ahead.delete(Key)
  }

  #drop(name: string, ahead: Ahead, outcome: Outcome): void {
    this.#ahead.delete(name)
    this.#due.delete(name)
    for (const resolve of ahead.waiting.splice(0)) resolve(outcome)
  }

  /** The log failed, so the outcome of the moves is unknown. */
  #forget(): void {
    for (const [name, ahead] of this.#ahead) this.#drop(name, ahead, notWritten())
  }
}
