// One consumer group on the leader: reads units and leases them to members.
import { setImmediate } from 'node:timers/promises'
import type {
  LeasedUnit,
  RedeliveryCause,
  Settlement,
  UnitContent,
  UnitName
} from '../../../actors/processes/group-unit.js'
import { GroupUnits } from '../../../actors/processes/group-units.js'
import { Refusal } from '../../../actors/refusal.js'
import type { ConsumerGroup, Cursor, GroupUnit } from '../../../events/cursor.js'
import { CommitsPruned } from '../../../events/log/log.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Authority } from '../../../projections/acl/resolver.js'
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { CHUNK_MS } from '../../wire/cooperative-chunks.js'
import { filterTooExpensive, noLongerRetained } from '../control-lines.js'
import type { GroupDependencies } from './group-dependencies.js'
import { GroupReader } from './group-reader.js'
import { GroupStore } from './group-store.js'

/** Every unit in memory is examined for every member that waits. */
const MAX_WAITING = 128

interface Reception {
  readonly member: string
  /** Resolved when units are handed out, so that a token which was deleted meanwhile gets none. */
  readonly authority: () => Authority
  readonly most: number
  /** False for an immediate response. */
  readonly waits: boolean
}

interface Waiting extends Reception {
  readonly settle: (units: readonly LeasedUnit[] | Refusal) => void
}

interface GroupObserver {
  readonly countRedelivery: (cause: RedeliveryCause) => void
  /** Called when the group must be opened again. */
  readonly onOver: () => void
}

interface WaitingReception {
  readonly units: Promise<readonly LeasedUnit[]>
  /** Ends the wait without units. */
  readonly giveUp: () => void
}

export class GroupRun {
  readonly #units: GroupUnits
  readonly #reader: GroupReader
  readonly #waiting = new Set<Waiting>()
  readonly #store: GroupStore
  #dueAt = Infinity
  #isReading = false
  #isOver = false

  constructor(
    private readonly services: GroupDependencies,
    private readonly cursor: Cursor,
    group: ConsumerGroup,
    private readonly observer: GroupObserver
  ) {
    this.#units = new GroupUnits(group, services.ids.uuid(), cursor.Index, cursor.Units ?? [])
    this.#reader = new GroupReader(services, cursor)
    this.#store = new GroupStore(services, cursor, this.#units, {
      onChange: () => this.#dispatch(),
      onFailure: () => {
        this.#end([])
        observer.onOver()
      }
    })
  }

  /** Every unit up to this index is acknowledged, parked or replayed. */
  get position(): number {
    return this.#units.position
  }

  get parked(): number {
    return this.#units.parked.length
  }

  receive(reception: Reception): WaitingReception {
    if (this.#waiting.size >= MAX_WAITING)
      throw new Refusal(
        'cursor.too-many',
        `Too many members wait for units of cursor "${this.cursor.Name}": ${MAX_WAITING} at most`
      )
    let giveUp = (): void => {}
    const units = new Promise<readonly LeasedUnit[]>((resolve, reject) => {
      const waiting: Waiting = {
        ...reception,
        settle: outcome => {
          this.#waiting.delete(waiting)
          if (outcome instanceof Refusal) reject(outcome)
          else resolve(outcome)
        }
      }
      giveUp = () => waiting.settle([])
      this.#waiting.add(waiting)
    })
    this.#dispatch()
    return { units, giveUp }
  }

  /** Resolves when the state is on disk. @throws Refusal `unavailable` */
  acknowledge(receipts: readonly string[]): Promise<Settlement> {
    return this.#settle(this.#units.acknowledge(receipts))
  }

  /** Resolves when the state is on disk. @param delayMs until the next delivery @throws Refusal `unavailable` */
  reject(receipts: readonly string[], delayMs: number, reason: string): Promise<Settlement> {
    const notBefore = this.services.clock.now() + delayMs
    return this.#settle(this.#units.reject(receipts, { notBefore, reason }))
  }

  /** Delivers parked units again, or never. Resolves with their number when the state is on disk. @throws Refusal `unavailable` */
  async unpark(units: readonly UnitName[], next: 'replay' | 'drop'): Promise<number> {
    const count = units.filter(unit => this.#units.unpark(unit, next)).length
    if (count > 0) await this.#store.changed()
    return count
  }

  /** Returns a unit if the caller may read it as the owner of the cursor does, and its commit was not pruned. */
  async contentFor(caller: Authorizer, name: UnitName): Promise<UnitContent | undefined> {
    const owner = this.#reader.owner()
    if (owner instanceof Refusal) return undefined
    const content = this.#units.contentOf(name) ?? (await this.#reader.read(name, owner))
    return content && this.#reader.mayRead(content, owner, caller) ? content : undefined
  }

  /** Returns the units that are parked, or waiting and in memory. */
  rows(): readonly { readonly row: GroupUnit; readonly member?: string | undefined }[] {
    return [...this.#units.parked.map(row => ({ row })), ...this.#units.unfinished()]
  }

  /** Commits are durable that were not before. */
  wake(): void {
    if (this.#waiting.size > 0) this.#dispatch()
  }

  /** Stores the state and ends: another server continues. */
  stop(): void {
    void this.#store.store()
    this.#end([])
  }

  /** Ends without storing the state, since the cursor or the log has changed. */
  abandon(refusal: Refusal): void {
    this.#store.abandon(refusal)
    this.#end([])
  }

  #end(outcome: readonly LeasedUnit[] | Refusal): void {
    this.#isOver = true
    for (const { settle } of this.#waiting) settle(outcome)
  }

  async #settle(settlement: Settlement): Promise<Settlement> {
    if (settlement.settled.length > 0) await this.#store.changed()
    return settlement
  }

  /** Stores the state without waiting: a failure ends the run. */
  #noteChange(): void {
    this.#store.changed().catch(() => {})
  }

  /** Hands out units to the members that wait, and reads more if some still wait. */
  #dispatch(): void {
    if (this.#isOver) return
    const owner = this.#reader.owner()
    if (owner instanceof Refusal) return this.#fail(owner)
    this.#handOut(owner)
    this.#scheduleDue()
    if (this.#waiting.size > 0) void this.#read()
  }

  #handOut(owner: Authorizer): void {
    const { clock } = this.services
    for (const waiting of this.#waiting) {
      const { member, most } = waiting
      try {
        const { authorizer } = waiting.authority()
        const mayRead = (unit: UnitContent): boolean => this.#reader.mayRead(unit, owner, authorizer)
        const times = { now: clock.now(), elapsed: clock.elapsed() }
        const units = this.#units.take({ member, most, mayRead, ...times })
        for (const { cause } of units) if (cause !== undefined) this.observer.countRedelivery(cause)
        if (units.length > 0) waiting.settle(units)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        waiting.settle(error)
      }
    }
  }

  #scheduleDue(): void {
    const { clock, timers } = this.services
    const [now, elapsed] = [clock.now(), clock.elapsed()]
    const wait = this.#units.nextDueIn(now, elapsed)
    if (elapsed + wait >= this.#dueAt) return
    this.#dueAt = elapsed + wait
    timers.setTimeout(() => this.#onDue(), wait)
  }

  #onDue(): void {
    if (this.#isOver) return
    this.#dueAt = Infinity
    const { clock } = this.services
    if (this.#units.expire(clock.now(), clock.elapsed()) > 0) this.#noteChange()
    else this.#dispatch()
  }

  get #hasMore(): boolean {
    return !this.#isOver && !this.#units.isFull && this.#units.readTo < this.services.log.durableIndex
  }

  /** Reads until no member waits, enough is in memory, or everything durable was read. */
  async #read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      do {
        await this.#readReplayed()
        await this.#readNext()
      } while (this.#waiting.size > 0 && (this.#hasMore || this.#units.unread.length > 0))
      this.#noteProgress()
      for (const waiting of this.#waiting) if (!waiting.waits) waiting.settle([])
    } catch (error) {
      this.#fail(this.#refusalOf(error))
    } finally {
      this.#isReading = false
    }
  }

  async #readReplayed(): Promise<void> {
    // Each is put before all others.
    for (const name of this.#units.unread.toSorted((one, other) => other.Index - one.Index)) {
      const content = await this.#reader.read(name, this.#reader.requiredOwner())
      if (content) this.#units.replay(content)
      else this.#units.forget(name)
    }
    this.#handOutToOwner()
  }

  /** Adds units until no member waits for more, enough is in memory, or everything durable was read. */
  async #readNext(): Promise<void> {
    if (!this.#hasMore || this.#waiting.size === 0) return
    let began = performance.now()
    for await (const page of this.services.log.pages(this.#units.readTo + 1)) {
      for (const commit of page) {
        for (const unit of this.#reader.unitsOf(commit, this.#reader.requiredOwner())) this.#units.add(unit)
        this.#units.advance(commit.Index)
        if (this.#units.isFull) break
        if (performance.now() - began < CHUNK_MS) continue
        await setImmediate()
        began = performance.now()
      }
      this.#handOutToOwner()
      if (!this.#hasMore || this.#waiting.size === 0) return
    }
  }

  #handOutToOwner(): void {
    this.#handOut(this.#reader.requiredOwner())
    this.#scheduleDue()
  }

  /** Stores a position that only passed commits without units, unless they only moved cursors. */
  #noteProgress(): void {
    const { cursors, index } = this.services.views
    const { position } = this.#store
    if (this.#units.position > position && position < cursors.newestToTake(index)) this.#noteChange()
  }

  #refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal) return error
    if (error instanceof CommitsPruned)
      return new Refusal('history.pruned', noLongerRetained(this.#units.readTo + 1, error.oldest).message)
    if (error instanceof FilterTooExpensive)
      return new Refusal('cursor.conflict', filterTooExpensive(error).message)
    this.services.logger.error({ err: error, cursor: this.cursor.Name }, 'a consumer group failed')
    return new Refusal('cursor.unavailable', 'The log cannot be read now; try again later')
  }

  #fail(refusal: Refusal): void {
    if (this.#isOver) return
    void this.#store.store()
    this.#end(refusal)
    this.observer.onOver()
  }
}
