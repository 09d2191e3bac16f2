// Waits until commits are on disk, with a timeout after which the outcome is unknown.
import type { Clock, Timers } from './clock.js'
import { leaderLost, type Refusal } from './refusal.js'
import type { Commit, Event, Tenancy } from '../events/envelope.js'
import { eventsOutside, NO_REMOVALS, type PreparedRemoval } from './aggregate.js'
import { spaceOf } from '../projections/row-table.js'

/** Waiters for indexes, in ascending order. Releasing costs O(released), independent of the others. */
export class Waiters<Waiter extends { readonly index: number }> {
  #all: Waiter[] = []

  /** Adds a waiter behind those for the same index. */
  add(waiter: Waiter): void {
    let at = this.#all.length
    while (at > 0 && (this.#all[at - 1]?.index ?? 0) > waiter.index) at--
    if (at === this.#all.length) this.#all.push(waiter)
    else this.#all.splice(at, 0, waiter)
  }

  remove(waiter: Waiter): void {
    const at = this.#all.indexOf(waiter)
    if (at >= 0) this.#all.splice(at, 1)
  }

  upTo(index: number): readonly Waiter[] {
    let count = 0
    while (count < this.#all.length && (this.#all[count]?.index ?? Infinity) <= index) count++
    return count === 0 ? [] : this.#all.splice(0, count)
  }

  matching(matches: (waiter: Waiter) => boolean): readonly Waiter[] {
    const taken = this.#all.filter(matches)
    this.#all = this.#all.filter(waiter => !matches(waiter))
    return taken
  }

  all(): readonly Waiter[] {
    return this.#all.splice(0)
  }

  [Symbol.iterator](): Iterator<Waiter> {
    return this.#all.values()
  }
}

/** Called once, when the commit is on disk or with the reason why it will not be known. */
export type DurabilityCallback = (failure?: Refusal) => void

interface DurableWait {
  readonly index: number
  /** By `Clock.elapsed`; 0 without a timeout. */
  readonly since: number
  readonly callback: DurabilityCallback
}

export interface DurabilityTimeout {
  readonly ms: number
  readonly clock: Pick<Clock, 'elapsed'>
  readonly timers: Pick<Timers, 'setTimeout'>
}

export class DurabilityBarrier extends Waiters<DurableWait> {
  #timeout: DurabilityTimeout | undefined
  #isScheduled = false

  await(index: number, settled: DurabilityCallback): void {
    this.add({ index, since: this.#timeout?.clock.elapsed() ?? 0, callback: settled })
    if (this.#timeout && !this.#isScheduled) this.#scheduleCheck(this.#timeout, this.#timeout.ms)
  }

  /** A wait that exceeds the timeout fails with an unknown outcome. */
  setTimeout(timeout: DurabilityTimeout): void {
    this.#timeout = timeout
  }

  #scheduleCheck(timeout: DurabilityTimeout, ms: number): void {
    this.#isScheduled = true
    timeout.timers.setTimeout(() => this.#expire(timeout), ms)
  }

  #expire(timeout: DurabilityTimeout): void {
    const began = timeout.clock.elapsed() - timeout.ms
    for (const { callback: settled } of this.matching(({ since }) => since <= began)) settled(leaderLost())
    this.#isScheduled = false
    const oldest = Math.min(...[...this].map(({ since }) => since))
    if (oldest < Infinity) this.#scheduleCheck(timeout, oldest - began)
  }
}

const NOWHERE = { Namespace: '', Partition: '' }

/**
 * The newest commits that may not be on disk, by visibility. Costs O(events of a commit) to note, and one
 * number for each namespace written to since everything was on disk.
 */
export class PendingWrites {
  #shared = 0
  readonly #confined = new Map<string, number>()

  /** Events of no namespace and of `default`, which grants permissions elsewhere, are visible in others. */
  note({ Index, Events }: Commit, removals: readonly PreparedRemoval[] = NO_REMOVALS): void {
    const { Namespace: namespace = '', Partition: partition = '' } = Events[0] ?? {}
    const isThere = (one: Pick<Event, 'Namespace' | 'Partition'>): boolean =>
      one.Namespace === namespace && one.Partition === partition
    const isConfined =
      namespace !== '' &&
      namespace !== 'default' &&
      removals.every(({ from }) => isThere(Events[from] ?? NOWHERE)) &&
      eventsOutside(Events, removals).every(isThere)
    if (isConfined) this.#confined.set(spaceOf({ partition, namespace }), Index)
    else this.#shared = Index
  }

  /** Index of the newest commit that one of these tenancies can see. */
  newestIn(tenancies: readonly Tenancy[]): number {
    let newest = this.#shared
    if (this.#confined.size > 0)
      for (const tenancy of tenancies) newest = Math.max(newest, this.#confined.get(spaceOf(tenancy)) ?? 0)
    return newest
  }

  /** Call it when every noted commit is on disk or undone. */
  clear(): void {
    this.#shared = 0
    this.#confined.clear()
  }
}
