// What clients saw, checked against the log that is left: every acknowledged write is in it once, no refused one, and reads are linearizable.
import { lowerBound } from '../../events/sorted-search.js'

/** A write of a key or a token, which `key` names. */
export interface WriteSeen {
  readonly kind: 'write'
  readonly key: string
  /** Unique among all writes; undefined for a deletion of a token. */
  readonly value: string | undefined
  /** For a write that checks: the index that the key must have had. */
  readonly cas?: number | undefined
  /** For a release: the session that must have held the lock. */
  readonly holder?: string
  /** `failed`: the answer says that the check or the lock did not allow it. */
  outcome: 'acknowledged' | 'failed' | 'refused' | 'unknown'
}

export interface ReadSeen {
  readonly kind: 'read'
  readonly isStale: boolean
  /** The keys that were asked for and what they had; undefined for nothing. */
  seen: ReadonlyMap<string, string | undefined> | undefined
}

export interface Seen {
  readonly client: string
  /** Positions in the order of all beginnings and ends. */
  readonly begun: number
  ended: number
  readonly operation: WriteSeen | ReadSeen
}

/** A change of a key or a token in the log. */
export interface Change {
  readonly index: number
  /** What a check compares: of a restored key, that of its snapshot. */
  readonly modifyIndex: number
  readonly key: string
  /** Undefined for a deletion. */
  readonly value: string | undefined
  /** False if the commit only took the lock from an entry, whose value stayed, or restored a snapshot. */
  readonly isWrite: boolean
  /** The session that holds the lock from then on. */
  readonly session?: string | undefined
}

/** Indexes from the first on, below the second. */
type Interval = readonly [number, number]

export class HistoryError extends Error {
  override readonly name = 'HistoryError'
}

/** A read of a key as of an earlier index. */
interface PastRead {
  readonly client: string
  readonly key: string
  readonly index: number
  readonly value: string | undefined
}

/** A list of the versions of a key, as of an index at least. */
interface ListedVersions {
  readonly client: string
  readonly key: string
  readonly index: number
  /** Those in the log, oldest first. Earlier ones may have been pruned. */
  readonly indexes: readonly number[]
  /** Of the version in the base snapshot, if it is listed: a restored resource keeps an index before the commit of the restore. */
  readonly base: number | undefined
}

/** A session that a client found ended, although it had renewed it in time. */
interface EarlyEnd {
  readonly session: string
  /** In ms, since it was renewed. */
  readonly age: number
}

export class History {
  readonly earlyEnds: EarlyEnd[] = []
  readonly operations: Seen[] = []
  readonly past: PastRead[] = []
  readonly listed: ListedVersions[] = []
  #position = 0

  begin(client: string, operation: WriteSeen | ReadSeen): Seen {
    const seen: Seen = { client, begun: ++this.#position, ended: Infinity, operation }
    this.operations.push(seen)
    return seen
  }

  end(seen: Seen): void {
    seen.ended = ++this.#position
  }

  /** @throws HistoryError */
  check(changes: readonly Change[]): void {
    const log = new KeyLog(changes)
    const byEnd = this.operations
      .filter(({ ended }) => ended < Infinity)
      .toSorted((a, b) => a.ended - b.ended)
    for (const listed of this.listed) checkVersions(log, listed)
    const shown = new ShownIndexes()
    for (const { client, key, index, value } of this.past)
      if (log.valueAt(key, index) !== value)
        throw new HistoryError(
          `${client} read ${value} as ${key} of commit ${index}: it was ${log.valueAt(key, index)}`
        )
    for (const { operation } of this.operations) if (operation.kind === 'write') checkOutcome(log, operation)
    for (const seen of byEnd) {
      const floor = shown.before(seen.begun)
      const index =
        seen.operation.kind === 'write' ? indexOfWrite(log, seen, floor) : indexOfRead(log, seen, floor)
      if (index !== undefined) shown.add(seen.ended, index)
    }
  }
}

/** The newest index that operations have shown, by when they ended. */
class ShownIndexes {
  readonly #ends: number[] = []
  readonly #newest: number[] = []

  add(ended: number, index: number): void {
    this.#ends.push(ended)
    this.#newest.push(Math.max(index, this.#newest.at(-1) ?? 0))
  }

  /** Of the operations that ended before a position. */
  before(position: number): number {
    return this.#newest[lowerBound(this.#ends, end => end < position) - 1] ?? 0
  }
}

class KeyLog {
  readonly #changes = new Map<string, Change[]>()
  readonly #values = new Map<string, Change[]>()

  constructor(changes: readonly Change[]) {
    for (const change of changes) {
      add(this.#changes, change.key, change)
      if (change.value !== undefined && change.isWrite) add(this.#values, change.value, change)
    }
  }

  /** The changes that a write made. */
  of({ key, value }: WriteSeen): readonly Change[] {
    if (value !== undefined) return this.#values.get(value) ?? []
    return (this.#changes.get(key) ?? []).filter(change => change.value === undefined)
  }

  /** What a check of a key before an index compares; 0 if there is none, or if it was deleted. */
  before(key: string, index: number): number {
    return comparedBy(this.#changes.get(key)?.findLast(change => change.index < index))
  }

  /** Indexes of the changes of a key. */
  indexesOf(key: string): readonly number[] {
    return (this.#changes.get(key) ?? []).map(({ index }) => index)
  }

  valueAt(key: string, index: number): string | undefined {
    return this.#changes.get(key)?.findLast(change => change.index <= index)?.value
  }

  holderBefore(key: string, index: number): string | undefined {
    return this.#changes.get(key)?.findLast(change => change.index < index)?.session
  }

  /** When a key had a value. */
  intervals(key: string, value: string | undefined): readonly Interval[] {
    return this.#intervals(key, change => change?.value === value)
  }

  /** When a check of a key for an index would fail. */
  intervalsWithout(key: string, cas: number): readonly Interval[] {
    return this.#intervals(key, change => comparedBy(change) !== cas)
  }

  /** @param isThen of the newest change of the key; undefined before the first */
  #intervals(key: string, isThen: (change: Change | undefined) => boolean): readonly Interval[] {
    const states = [undefined, ...(this.#changes.get(key) ?? [])]
    return states.flatMap((change, at): Interval[] =>
      isThen(change) ? [[change?.index ?? 0, states[at + 1]?.index ?? Infinity]] : []
    )
  }
}

/** What a check compares after a change; 0 without a key. */
const comparedBy = (change: Change | undefined): number =>
  change?.value === undefined ? 0 : change.modifyIndex

const add = <T>(map: Map<string, T[]>, key: string, value: T): void => {
  const all = map.get(key)
  if (all) all.push(value)
  else map.set(key, [value])
}

const checkOutcome = (log: KeyLog, operation: WriteSeen): void => {
  const { value = 'of nothing', outcome, key, cas, holder } = operation
  const found = log.of(operation)
  // A token that a restore brought back is deleted again.
  if (found.length > 1 && operation.value !== undefined)
    throw new HistoryError(`the write ${value} of ${key} is in the log ${found.length} times`)
  const [change] = found
  if (outcome === 'acknowledged' && !change)
    throw new HistoryError(`the acknowledged write ${value} of ${key} is not in the log`)
  // A deletion is also refused because an earlier one was carried out.
  if ((outcome === 'refused' || outcome === 'failed') && change && operation.value !== undefined)
    throw new HistoryError(`the refused write ${value} of ${key} is commit ${change.index}`)
  if (change && cas !== undefined && log.before(key, change.index) !== cas)
    throw new HistoryError(
      `commit ${change.index} of ${key} checked index ${cas}, which the key did not have`
    )
  if (change && holder !== undefined && log.holderBefore(key, change.index) !== holder)
    throw new HistoryError(
      `commit ${change.index} released ${key} for session ${holder}, which did not hold it`
    )
}

/** @throws HistoryError if a version is missing between the oldest that is listed and the index of the list */
const checkVersions = (log: KeyLog, { client, key, index, indexes, base }: ListedVersions): void => {
  const [oldest = Infinity] = indexes
  const before = log.before(key, Math.min(oldest, index + 1))
  if (base !== undefined && base !== before)
    throw new HistoryError(
      `${client} was shown version ${base} of ${key} in a base snapshot: it was ${before}`
    )
  // It may show versions that came while it was read.
  const newest = Math.max(index, ...indexes)
  const expected = log.indexesOf(key).filter(each => each >= oldest && each <= newest)
  if (indexes.join() !== expected.join())
    throw new HistoryError(
      `${client} was shown the versions ${indexes.join()} of ${key}: the log has ${expected.join()}`
    )
}

const indexOfWrite = (log: KeyLog, { client, operation }: Seen, floor: number): number | undefined => {
  if (operation.kind !== 'write') return undefined
  const { key, cas, outcome } = operation
  if (outcome === 'failed' && cas !== undefined) {
    const [first] = log.intervalsWithout(key, cas).flatMap(then => overlap([floor, Infinity], then))
    if (first) return first[0]
    throw new HistoryError(
      `${client} was answered that ${key} did not have index ${cas}, which it had from commit ${floor} on`
    )
  }
  if (outcome !== 'acknowledged') return undefined
  const index = log.of(operation)[0]?.index ?? 0
  if (index <= floor && operation.value !== undefined)
    throw new HistoryError(
      `the write ${operation.value} is commit ${index}, although commit ${floor} was shown before it began`
    )
  return index
}

/** Returns the oldest state that a read can have seen. @throws HistoryError if there is none that is new enough */
const indexOfRead = (log: KeyLog, { client, operation }: Seen, floor: number): number | undefined => {
  if (operation.kind !== 'read' || !operation.seen) return undefined
  let possible: readonly Interval[] = [[operation.isStale ? 0 : floor, Infinity]]
  for (const [key, value] of operation.seen) {
    const then = log.intervals(key, value)
    possible = possible.flatMap(a => then.flatMap(b => overlap(a, b)))
  }
  const [first] = possible
  if (first) return operation.isStale ? undefined : first[0]
  const text = JSON.stringify([...operation.seen])
  throw new HistoryError(
    `${client} read ${text}, which the log never held${operation.isStale ? '' : ` from commit ${floor} on`}`
  )
}

const overlap = ([a, b]: Interval, [c, d]: Interval): readonly Interval[] => {
  const [from, to] = [Math.max(a, c), Math.min(b, d)]
  return from < to ? [[from, to]] : []
}
