// A server's access to the shared log of a cluster, in memory. Tests can cut it off or drop its responses; time passes by their clock.
import { setImmediate } from 'node:timers/promises'
import {
  type SharedRecords,
  type ClusterSeed,
  type ClusterFounding,
  type SharedMembers,
  type Settlement,
  type SharedLog,
  type SharedState,
  type SharedUsage,
  type Term,
  SharedMismatch,
  SharedUnreachable
} from '../../events/log/cluster/shared-log.js'
import { GROUP_HEADER_RESERVE } from '../../events/log/record-format.js'
import type { RecordGroup } from '../../events/log/record-group.js'
import { StoredRecord } from '../../events/log/record.js'
import type { Head } from '../../events/log/store.js'
import { MemoryMembership, type SharedMemory } from './shared-memory.js'

/** Copies the records of a group. */
function recordsIn(group: RecordGroup): readonly StoredRecord[] {
  const bytes = Buffer.from(group.bytes())
  const records: StoredRecord[] = []
  for (let at = GROUP_HEADER_RESERVE; at < bytes.length;) {
    const record = StoredRecord.at(bytes.subarray(at))
    if (!record) throw new Error(`there is no record at byte ${at} of the group`)
    records.push(record)
    at += record.bytes.length
  }
  return records
}

/** One server's access to the shared log. */
export class MemorySharedLog implements SharedLog {
  readonly #memberships = new Set<MemoryMembership>()
  readonly #readers = new Set<(state: SharedState) => void>()
  #isCut = false
  #losesAnswers = false
  #isClosed = false

  constructor(readonly memory: SharedMemory) {}

  /** Drops requests and responses from now on. */
  cut(): void {
    this.#isCut = true
    for (const membership of this.#memberships) membership.cut()
    this.memory.tell()
  }

  /** Drops the responses of appends from now on. */
  loseAnswers(): void {
    this.#losesAnswers = true
  }

  /** Drops the renewals of memberships from now on, so that they end after their TTL. */
  loseRenewals(): void {
    for (const membership of this.#memberships) membership.cut()
  }

  /** Drops nothing. */
  heal(): void {
    this.#isCut = false
    this.#losesAnswers = false
    for (const membership of this.#memberships) membership.heal()
    this.memory.tell()
  }

  async read(): Promise<SharedState> {
    const askedAt = this.memory.elapsed()
    await this.#reached()
    const { head, leader, floor } = this.memory
    const state = { head, leader, floor, askedAt }
    for (const listener of this.#readers) listener(state)
    return state
  }

  onRead(listener: (state: SharedState) => void): () => void {
    this.#readers.add(listener)
    return () => void this.#readers.delete(listener)
  }

  async clusterSeed(): Promise<ClusterSeed | undefined> {
    await this.#reached()
    return this.memory.foundation
  }

  async createCluster(foundation: ClusterSeed, head: Head): Promise<ClusterSeed> {
    await this.#reached()
    if (!this.memory.foundation) this.memory.begin(foundation, head)
    return this.memory.foundation ?? foundation
  }

  async restoreHead(
    { foundation, head }: ClusterFounding,
    instead: ClusterFounding | undefined
  ): Promise<void> {
    await this.#reached()
    const { memory } = this
    const isAsSeen =
      memory.foundation?.cluster === instead?.foundation.cluster &&
      (!instead ||
        (memory.head.index === instead.head.index &&
          Buffer.compare(memory.head.hash, instead.head.hash) === 0))
    if (!isAsSeen) throw new SharedMismatch('what the servers share has changed since it was looked at')
    memory.begin(foundation, head)
  }

  async append(term: Term, before: Head, group: RecordGroup): Promise<Settlement> {
    const records = recordsIn(group)
    for (;;) {
      await setImmediate()
      while (this.#isCut) await this.memory.change()
      const settlement = this.memory.append(term, before, records)
      await setImmediate()
      if (!this.#isCut && !this.#losesAnswers) return settlement
      while (this.#isCut || this.#losesAnswers) await this.memory.change()
    }
  }

  async *follow(from: number, signal: AbortSignal): AsyncGenerator<SharedRecords> {
    let next = from
    let { leader } = this.memory
    const wake = (): void => this.memory.tell()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        await this.#reached()
        if (this.memory.leader !== leader) {
          leader = this.memory.leader
          await this.read()
        }
        if (next < this.memory.floor) {
          yield { kind: 'gone', floor: this.memory.floor }
          return
        }
        for (const { records } of this.memory.from(next)) {
          if (signal.aborted || this.#isCut) break
          yield { kind: 'records', records: records.filter(({ index }) => index >= next) }
          next = (records.at(-1)?.index ?? 0) + 1
        }
        if (!signal.aborted && !this.#isCut && next > this.memory.head.index) await this.memory.change()
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  async join(): Promise<MemoryMembership> {
    await this.#reached()
    const membership = new MemoryMembership(this.memory, () => this.#reached())
    this.#memberships.add(membership)
    return membership
  }

  async members(): Promise<SharedMembers> {
    await this.#reached()
    const live = [...this.memory.memberships].flatMap(({ member }) => (member ? [member] : []))
    return { live, joined: [...this.memory.joined.values()] }
  }

  async forget(id: string): Promise<void> {
    await this.#reached()
    this.memory.joined.delete(id)
  }

  async compact({ epoch }: Term, floor: number): Promise<number> {
    await this.#reached()
    return this.memory.leader?.epoch === epoch ? this.memory.compact(floor) : this.memory.floor
  }

  async usage(): Promise<SharedUsage> {
    await this.#reached()
    return this.memory.usage
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.memory.tell()
  }

  async #reached(): Promise<void> {
    await setImmediate()
    if (this.#isCut || this.#isClosed) throw new SharedUnreachable('what is shared cannot be reached')
    this.memory.pass()
  }
}
