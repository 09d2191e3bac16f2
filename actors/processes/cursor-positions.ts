// Where cursors stand. Moves are collected, and all of a second are one commit; a batch of a webhook is committed before it is sent.
import { Lifecycle, scoped } from 'tsyringe'
import { CURSOR_TOPIC, isCursorEvent, type CursorEvent } from '../../events/cursor.js'
import { DEFAULT_TENANCY, type Commit } from '../../events/envelope.js'
import { Views } from '../../projections/read-models.js'
import { Clock } from '../clock.js'
import { SERVER } from '../command.js'
import { Committer } from '../committer.js'
import { checkCursorIndex, cursorRef } from '../cursor.js'
import { Deadlines } from '../deadlines.js'
import { Refusal } from '../refusal.js'
import { Subscriptions } from '../subscriptions.js'
import { ActorSystem } from '../system.js'

/** How long a move waits for others. */
const PERIOD_MS = 1000
/** Cursors that are moved in one commit, so that none is too large; more of them take several. */
const MOST_MOVES = 512

/** What became of a move: it is on disk, or the cursor was put elsewhere before it was; or why there is none. */
type Outcome = 'moved' | 'overtaken' | Refusal

/** A cursor that is ahead of what the read models have of it. */
interface Ahead {
  /** Where the read models have it. */
  from: number
  index: number
  /** End of the batch that is to be stored with the next commit. */
  batchTo: number | undefined
  /** Told what became of the moves since the last commit. */
  waiting: ((outcome: Outcome) => void)[]
}

const noCursor = (name: string): Refusal => new Refusal('missing', `Cursor "${name}" does not exist`)
const notWritten = (): Refusal =>
  new Refusal('unavailable', 'The log cannot be written now: the cursor was not moved; try again later')

/**
 * Moves are answered when they are on disk. Until then they count for other moves, and are lost with the server: what was
 * taken may come again, and nothing is left out. A move costs O(1).
 */
@scoped(Lifecycle.ContainerScoped)
export class CursorPositions {
  readonly #subscriptions = new Subscriptions()
  readonly #ahead = new Map<string, Ahead>()
  /** Those of `#ahead` that are to be committed. */
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
    this.#subscriptions.follow(this.committer, {
      applied: commit => this.#follow(commit),
      rebuilt: () => this.#forget()
    })
  }

  /** Commits the moves that wait, and further ones at once: what cannot be committed is forgotten. */
  stop(): void {
    this.#stopped = true
    this.#subscriptions.end()
    this.#commit()
    this.#ahead.clear()
  }

  /** The index up to which a cursor's reader has taken everything; undefined when there is no such cursor. */
  of(name: string): number | undefined {
    return this.#ahead.get(name)?.index ?? this.views.cursors.get(name)?.Index
  }

  /**
   * Moves a cursor forth; where it is beyond the index already, nothing changes. Resolves when it is on disk.
   * @throws Refusal `missing`; `invalid` for an index behind the end of the log; `unavailable`
   */
  async advance(name: string, index: number): Promise<void> {
    const from = this.#standing(name)
    checkCursorIndex(index, this.views.index)
    if (index > from) await this.#move(name, index)
    else await this.#settled(name)
  }

  /**
   * Moves a cursor, forth or back, if it stands where its reader believes. Resolves when it is on disk.
   * @returns whether it stood there
   * @throws Refusal as `advance` does
   */
  async moveFrom(name: string, expected: number, index: number): Promise<boolean> {
    const from = this.#standing(name)
    checkCursorIndex(index, this.views.index)
    if (from !== expected) {
      await this.#settled(name)
      return false
    }
    return (await this.#move(name, index)) === 'moved'
  }

  /**
   * Stores the end of the batch that the webhook of a cursor sends next, and where the cursor stands. Resolves when both are on disk.
   * @param isUrgent whether that is committed at once, and not together with the moves of a second
   * @returns whether the cursor stood where its webhook believes
   * @throws Refusal as `advance` does
   */
  async startBatch(
    name: string,
    expected: number,
    { to, isUrgent }: { readonly to: number; readonly isUrgent: boolean }
  ): Promise<boolean> {
    if (this.#standing(name) !== expected) {
      await this.#settled(name)
      return false
    }
    const ahead = this.#aheadOf(name, expected)
    ahead.batchTo = to
    const done = this.#enqueue(name, ahead)
    if (isUrgent) this.#commit()
    return (await done) === 'moved'
  }

  /**
   * Commits the moves that wait, so that a commit of the caller's own can move a cursor, which stands where the read models have it.
   * @returns whether it stood where its reader believes; otherwise it is to be left there
   * @throws Refusal `missing`
   */
  release(name: string, expected: number): boolean {
    const from = this.#standing(name)
    if (this.#due.has(name)) this.#commit()
    if (from !== expected) return false
    this.#ahead.delete(name)
    return true
  }

  #standing(name: string): number {
    const index = this.of(name)
    if (index === undefined) throw noCursor(name)
    return index
  }

  async #move(name: string, index: number): Promise<Exclude<Outcome, Refusal>> {
    const ahead = this.#aheadOf(name, index)
    const from = this.views.cursors.get(name)?.Index ?? index
    // What moves cursors is nothing to be taken: to commit that it was would make more of it.
    const isNothingTaken = index >= from && from >= this.views.cursors.newestToTake(this.views.index)
    if (isNothingTaken && !this.#due.has(name)) {
      await this.committer.durable()
      return 'moved'
    }
    return this.#enqueue(name, ahead)
  }

  /** The cursor as it is ahead of the read models, at an index. */
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

  /** Resolves when what is known of a cursor is on disk. */
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
    for (let at = 0; at < names.length; at += MOST_MOVES)
      void this.#commitSome(names.slice(at, at + MOST_MOVES))
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
      for (const { waiting } of moved) for (const told of waiting) told(outcome)
    }
    try {
      await this.system.ask(cursorRef(), {
        name: 'MoveCursors',
        tenancy: DEFAULT_TENANCY,
        data: { moves: moved.map(({ name, index, batchTo }) => ({ name, index, batchTo })) },
        caller: SERVER,
        at: this.clock.now()
      })
      settle('moved')
    } catch (error) {
      for (const { name, ahead } of moved)
        if (this.#ahead.get(name) === ahead && !this.#due.has(name)) this.#ahead.delete(name)
      settle(error instanceof Refusal ? error : notWritten())
    }
  }

  #follow(commit: Commit): void {
    if (this.#ahead.size === 0) return
    for (const event of commit.Events) if (isCursorEvent(event)) this.#followCursor(event)
  }

  #followCursor({ Type, Key, Payload: { Cursor } }: CursorEvent): void {
    const ahead = this.#ahead.get(Key)
    if (!ahead) return
    if (Type === 'CursorDeleted') this.#drop(Key, ahead, noCursor(Key))
    // Whoever put it elsewhere did not know of the moves that are not committed yet.
    else if (Type === 'CursorUpserted' && Cursor.Index !== ahead.from) this.#drop(Key, ahead, 'overtaken')
    // Whoever passed over something did so from where it stood.
    else if (Type === 'CursorSkipped') this.#drop(Key, ahead, 'moved')
    else ahead.from = Cursor.Index
    if (ahead.from === ahead.index && !this.#due.has(Key)) this.#ahead.delete(Key)
  }

  #drop(name: string, ahead: Ahead, outcome: Outcome): void {
    this.#ahead.delete(name)
    this.#due.delete(name)
    for (const told of ahead.waiting.splice(0)) told(outcome)
  }

  /** The log failed: nobody knows whether what was taken is still there. */
  #forget(): void {
    for (const [name, ahead] of this.#ahead) this.#drop(name, ahead, notWritten())
  }
}
