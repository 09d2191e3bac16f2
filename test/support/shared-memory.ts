// The shared log and memberships of a cluster, in memory.
import { randomBytes } from 'node:crypto'
import { NO_HASH } from '../../events/codec.js'
import {
  type ClusterSeed,
  type Leader,
  type Member,
  type Membership,
  type Settlement,
  type SharedUsage,
  type Term,
  JoinRefused,
  SharedMismatch,
  SharedUnreachable
} from '../../events/log/cluster/shared-log.js'
import type { StoredRecord } from '../../events/log/record.js'
import type { Head } from '../../events/log/store.js'

interface Window {
  readonly first: number
  readonly records: readonly StoredRecord[]
}

interface SharedMemoryOptions {
  /** Returns ms of a monotonic clock. Default: a constant. */
  readonly elapsed?: () => number
  /** Duration of a membership without renewal, in ms. */
  readonly ttl?: number
}

/** The shared state. Each server accesses it through a `MemorySharedLog`. */
export class SharedMemory {
  readonly elapsed: () => number
  readonly ttl: number
  head: Head = { index: 0, hash: NO_HASH }
  leader: Leader | undefined
  floor = 1
  usage: SharedUsage = { bytes: 0, isFull: false }
  foundation: ClusterSeed | undefined
  /** Every server that ever announced itself, by ID. */
  readonly joined = new Map<string, Member>()
  readonly memberships = new Set<MemoryMembership>()
  #windows: Window[] = []
  /** The head at the begin of each term, by its epoch. */
  #begins: Head[] = []
  #wake: (() => void)[] = []

  constructor({ elapsed = () => 0, ttl = 3000 }: SharedMemoryOptions = {}) {
    this.elapsed = elapsed
    this.ttl = ttl
  }

  /** Ends expired memberships; to be called after time has passed. */
  pass(): void {
    for (const membership of this.memberships)
      if (this.elapsed() >= membership.validUntil) this.end(membership)
  }

  /** Expires a membership. */
  end(membership: MemoryMembership): void {
    this.memberships.delete(membership)
    if (this.leader && membership.leads(this.leader)) this.leader = undefined
    this.tell()
  }

  append(term: Term, before: Head, records: readonly StoredRecord[]): Settlement {
    this.pass()
    const [first] = records
    const last = records.at(-1)
    if (!first || !last) throw new Error('nothing is appended')
    const isLeading = this.leader?.epoch === term.epoch && this.leader.nonce === term.nonce
    if (isLeading && this.head.index === before.index && isSame(this.head.hash, before.hash)) {
      this.#windows.push({ first: first.index, records })
      this.head = { index: last.index, hash: last.hash }
      this.tell()
      return 'stored'
    }
    const there = this.#windows.find(window => window.first === first.index)?.records.at(-1)
    if (there?.hash.equals(last.hash)) return 'stored'
    const end = isLeading ? this.head : (this.#begins[term.epoch] ?? this.head)
    if (!isLeading && end.index === before.index && isSame(end.hash, before.hash)) return 'refuted'
    throw new SharedMismatch(`what is shared ended at commit ${end.index}, not at ${before.index}`)
  }

  /** Returns the windows from the one with an index on. */
  from(index: number): readonly Window[] {
    return this.#windows.filter(({ records }) => (records.at(-1)?.index ?? 0) >= index)
  }

  campaign(member: Member): Term | undefined {
    this.pass()
    if (this.leader) return undefined
    const term = { epoch: this.#begins.push(this.head), nonce: randomBytes(8).toString('hex') }
    this.leader = { ...term, id: member.id, address: member.address }
    this.tell()
    return term
  }

  /** Retains windows for later settlements, but hides them. */
  compact(floor: number): number {
    const window = this.from(Math.max(floor, this.floor))[0]
    this.floor = Math.max(this.floor, window?.first ?? this.head.index + 1)
    this.tell()
    return this.floor
  }

  /** Deletes everything before a head. */
  begin(foundation: ClusterSeed, head: Head): void {
    this.foundation = foundation
    this.#windows = []
    this.head = head
    this.floor = head.index + 1
    this.leader = undefined
    this.tell()
  }

  /** Restores an older backup, without the window of an index and all later ones. */
  putBack(index: number): void {
    this.#windows = this.#windows.filter(({ records }) => (records.at(-1)?.index ?? 0) < index)
    const last = this.#windows.at(-1)?.records.at(-1)
    this.head = last ? { index: last.index, hash: last.hash } : { index: 0, hash: NO_HASH }
    this.tell()
  }

  /** Resolves at the next change. */
  change(): Promise<void> {
    return new Promise(resolve => this.#wake.push(resolve))
  }

  tell(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

export class MemoryMembership implements Membership {
  readonly #listeners = new Set<() => void>()
  #term: Term | undefined
  /** The end of its renewals; undefined while it can be renewed. */
  #cutAt: number | undefined
  member: Member | undefined

  constructor(
    private readonly memory: SharedMemory,
    private readonly reached: () => Promise<void>
  ) {
    memory.memberships.add(this)
  }

  get validUntil(): number {
    return (this.#cutAt ?? this.memory.elapsed()) + this.memory.ttl
  }

  /** True for the leader's membership. */
  leads({ epoch, nonce }: Leader): boolean {
    return this.#term?.epoch === epoch && this.#term.nonce === nonce
  }

  cut(): void {
    this.#cutAt ??= this.memory.elapsed()
  }

  /** Resumes, unless it has ended. */
  heal(): void {
    this.memory.pass()
    this.#cutAt = undefined
    if (this.memory.memberships.has(this)) return
    for (const listener of this.#listeners) listener()
  }

  async announce(member: Member): Promise<void> {
    await this.reached()
    this.#checkThere()
    for (const { member: other } of this.memory.memberships)
      if (other && other.id !== member.id && other.name === member.name)
        throw new JoinRefused(`node_name ${member.name} belongs to the live server with node ID ${other.id}`)
    this.member = member
    this.memory.joined.set(member.id, member)
    this.memory.tell()
  }

  async campaign(member: Member): Promise<Term | undefined> {
    await this.reached()
    this.#checkThere()
    const term = this.memory.campaign(member)
    if (term) this.#term = term
    return term
  }

  async resign(term: Term): Promise<void> {
    await this.reached()
    if (this.memory.leader?.epoch === term.epoch) this.memory.leader = undefined
    this.memory.tell()
  }

  onLost(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.memory.end(this)
  }

  #checkThere(): void {
    if (!this.memory.memberships.has(this)) throw new SharedUnreachable('the membership has ended')
  }
}
