// The units of a consumer group and their order: one unit of a key is with one member at a time (docs/reference/cursors.md).
import { MILLISECOND } from '../../events/duration.js'
import type { ConsumerGroup, GroupUnit } from '../../events/cursor.js'
import { causeOf, isFinished, openUnitOf, rowOf, TIMED_OUT, type OpenUnit } from './open-unit.js'
import {
  storedId,
  unitId,
  type LeasedUnit,
  type Settlement,
  type UnitContent,
  type UnitName
} from './group-unit.js'

/** Units after the position that are in memory, and units that are parked. */
const MAX_OPEN_UNITS = 1024
export const MAX_PARKED_UNITS = 256
const MAX_OPEN_BYTES = 8 * 1024 * 1024

/** What a member may receive, and the times by both clocks. */
interface Receiving {
  readonly member: string
  readonly most: number
  readonly now: number
  readonly elapsed: number
  readonly mayRead: (unit: UnitContent) => boolean
}

interface Rejection {
  /** Epoch ms. */
  readonly notBefore: number
  readonly reason: string
}

interface Failed extends Rejection {
  readonly failure: NonNullable<GroupUnit['Failure']>
}

/**
 * A reception costs O(open units), a settlement O(units that the position passes).
 * Units wait in the order of the log; only the first unfinished one of a key is delivered.
 */
export class GroupUnits {
  /** Units after the position, and replayed ones, in the order of delivery. */
  readonly #open = new Map<string, OpenUnit>()
  readonly #parked = new Map<string, GroupUnit>()
  readonly #leased = new Map<string, OpenUnit>()
  /** Stored units whose events have not been read yet. */
  readonly #stored: Map<string, GroupUnit>
  #readTo: number
  #position: number
  #bytes = 0
  #receipts = 0

  /**
   * @param epoch begins each receipt, so that those of an earlier leader are unknown
   * @param position every unit up to this index is finished, except stored ones
   */
  constructor(
    private readonly group: ConsumerGroup,
    private readonly epoch: string,
    position: number,
    stored: readonly GroupUnit[]
  ) {
    this.#position = this.#readTo = position
    this.#stored = new Map(stored.map(unit => [storedId(unit), unit]))
    for (const [id, unit] of this.#stored) if (unit.State === 'parked') this.#parked.set(id, unit)
  }

  /** Every unit up to this index is acknowledged, parked or replayed. */
  get position(): number {
    return this.#position
  }

  /** True while no further units should be added. */
  get isFull(): boolean {
    return this.#open.size >= MAX_OPEN_UNITS || this.#bytes >= MAX_OPEN_BYTES
  }

  get parked(): readonly GroupUnit[] {
    return [...this.#parked.values()]
  }

  /** Returns a unit in memory. */
  contentOf(name: UnitName): UnitContent | undefined {
    return this.#open.get(storedId(name))
  }

  /** All units up to this index were added. */
  get readTo(): number {
    return this.#readTo
  }

  /** Units up to the position that wait, whose events must be read again for `replay`. */
  get unread(): readonly GroupUnit[] {
    return [...this.#stored.values()].filter(
      ({ State, Index }) => State === 'waiting' && Index <= this.#position
    )
  }

  /** Adds a unit in the order of the log. */
  add(content: UnitContent): void {
    this.#add(content, this.#stored.get(unitId(content)))
  }

  /** Adds a unit up to the position again, before all others. */
  replay(content: UnitContent): void {
    const later = [...this.#open]
    this.#open.clear()
    this.add(content)
    for (const [id, unit] of later) this.#open.set(id, unit)
  }

  /** Notes that all units up to an index were added. */
  advance(index: number): void {
    this.#readTo = Math.max(this.#readTo, index)
    this.#settlePosition()
  }

  /** Leases units to a member. */
  take({ member, most, now, elapsed, mayRead }: Receiving): readonly LeasedUnit[] {
    const until = elapsed + this.group.VisibilityTimeout / MILLISECOND
    const taken: LeasedUnit[] = []
    for (const unit of this.#first()) {
      if (taken.length >= most) break
      if (unit.state !== 'waiting' || unit.notBefore > now || !mayRead(unit)) continue
      const receipt = `${this.epoch}-${++this.#receipts}`
      unit.lease = { receipt, member, until }
      unit.state = 'leased'
      const cause = causeOf(unit)
      // A lease that ends with its server has no reason.
      unit.reason = undefined
      unit.failure = undefined
      unit.deliveries++
      this.#leased.set(receipt, unit)
      const { index, unit: id, events, line, deliveries } = unit
      taken.push({ receipt, index, unit: id, events, line, deliveries, cause })
    }
    return taken
  }

  acknowledge(receipts: readonly string[]): Settlement {
    return this.#settle(receipts, unit => {
      unit.state = 'acknowledged'
    })
  }

  /** Returns units for another delivery, and parks those that had the last one. */
  reject(receipts: readonly string[], rejection: Rejection): Settlement {
    return this.#settle(receipts, unit => this.#return(unit, { ...rejection, failure: 'rejected' }))
  }

  /** Ends leases that have run out. Returns their number. */
  expire(now: number, elapsed: number): number {
    const over = [...this.#leased.values()].filter(
      ({ lease }) => lease !== undefined && lease.until <= elapsed
    )
    for (const unit of over) {
      this.#endLease(unit)
      this.#return(unit, { notBefore: now, reason: TIMED_OUT, failure: 'timeout' })
    }
    if (over.length > 0) this.#settlePosition()
    return over.length
  }

  /** Returns in how many ms a lease ends or a rejected unit is due again; Infinity if nothing waits for a time. */
  nextDueIn(now: number, elapsed: number): number {
    let next = Infinity
    for (const unit of this.#open.values()) {
      if (unit.lease) next = Math.min(next, unit.lease.until - elapsed)
      else if (unit.state === 'waiting' && unit.notBefore > now) next = Math.min(next, unit.notBefore - now)
    }
    return Math.max(0, next)
  }

  /** Ends the parking of a unit, which is delivered again from the first delivery on, or never. Returns false if it is not parked. */
  unpark(id: UnitName, next: 'replay' | 'drop'): boolean {
    const key = storedId(id)
    if (!this.#parked.delete(key)) return false
    this.#stored.delete(key)
    const unit = this.#open.get(key)
    if (unit) {
      unit.state = next === 'drop' ? 'acknowledged' : 'waiting'
      unit.deliveries = 0
    } else if (next === 'replay') {
      const { Index, Unit } = id
      this.#stored.set(key, { Index, Unit, State: 'waiting', Deliveries: 0 })
    }
    this.#settlePosition()
    return true
  }

  /** Notes that a unit cannot be read again. */
  forget(name: UnitName): void {
    this.#stored.delete(storedId(name))
  }

  /** The units that a restart must know, besides the position. */
  state(): readonly GroupUnit[] {
    const open = [...this.#open.values()]
      .filter(unit => unit.index <= this.#position || isFinished(unit) || unit.deliveries > 0)
      .filter(({ state }) => state !== 'parked')
      .map(unit => rowOf(unit, unit.state === 'acknowledged' ? 'acknowledged' : 'waiting'))
    const unread = [...this.#stored.values()].filter(
      ({ State, Index }) => State !== 'parked' && Index > this.#readTo
    )
    return [...this.#parked.values(), ...this.unread, ...unread, ...open]
  }

  /** Units in memory that are not finished, with the member that has them. */
  *unfinished(): Iterable<{ readonly row: GroupUnit; readonly member: string | undefined }> {
    for (const unit of this.#open.values())
      if (!isFinished(unit)) yield { row: rowOf(unit, 'waiting'), member: unit.lease?.member }
  }

  #add(content: UnitContent, before: GroupUnit | undefined): void {
    const id = unitId(content)
    if (this.#open.has(id)) return
    this.#open.set(id, openUnitOf(content, before))
    this.#bytes += content.line.length
    this.#stored.delete(id)
  }

  /** The first unfinished unit of each key, in the order of delivery, unless a parked one, or a replayed one that is not read yet, blocks the key. */
  *#first(): Iterable<OpenUnit> {
    const parked = this.group.OnParked === 'block' ? this.#parked.values() : []
    const seen = new Set([...parked, ...this.unread].map(({ Unit }) => Unit))
    for (const unit of this.#open.values()) {
      if (isFinished(unit) || seen.has(unit.unit)) continue
      seen.add(unit.unit)
      yield unit
    }
  }

  #settle(receipts: readonly string[], settle: (unit: OpenUnit) => void): Settlement {
    const settled: string[] = []
    const unknown: string[] = []
    for (const receipt of receipts) {
      const unit = this.#leased.get(receipt)
      if (!unit) {
        unknown.push(receipt)
        continue
      }
      this.#endLease(unit)
      settle(unit)
      settled.push(receipt)
    }
    this.#settlePosition()
    return { settled, unknown }
  }

  #endLease(unit: OpenUnit): void {
    if (unit.lease) this.#leased.delete(unit.lease.receipt)
    unit.lease = undefined
    unit.state = 'waiting'
  }

  /** A unit that cannot be parked, since too many are, is delivered again. */
  #return(unit: OpenUnit, { notBefore, reason, failure }: Failed): void {
    unit.notBefore = notBefore
    unit.reason = reason
    unit.failure = failure
    if (unit.deliveries < this.group.MaxDeliveries || this.#parked.size >= MAX_PARKED_UNITS) return
    unit.state = 'parked'
    this.#parked.set(unitId(unit), rowOf(unit, 'parked'))
  }

  /** Moves the position up to the first unfinished unit, and removes the finished ones that it passes. */
  #settlePosition(): void {
    let position = this.#readTo
    for (const unit of this.#open.values()) {
      if (unit.index <= this.#position || isFinished(unit)) continue
      position = unit.index - 1
      break
    }
    this.#position = Math.max(this.#position, position)
    for (const [id, unit] of this.#open) {
      if (unit.index > this.#position) break
      if (!isFinished(unit)) continue
      this.#open.delete(id)
      this.#bytes -= unit.line.length
    }
  }
}
