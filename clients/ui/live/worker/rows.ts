import { createDraft, finishDraft, type Draft } from 'immer'
import type { EventMessage } from '../../../typescript/events.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { identityOf, isDeletion } from '../../resources/versions.js'
import { stateOf, type Listing } from '../../resources/listing.js'
import type { ResourceRow } from './protocol.js'
import { CHUNK_LIMIT } from './worker-chunks.js'

/** An immutable row with its sort key. */
export interface Row extends ResourceRow {
  readonly order: string
  /** The row belongs to the scope. */
  readonly isIn: boolean
}

interface Resource {
  readonly event: StreamedEvent
  /** ID of its row. */
  readonly row: string | undefined
  /** Number of the snapshot that contained it. Resources of an older snapshot were deleted. */
  readonly snapshot: number
}

/** The mutable state of a row. */
interface Group {
  readonly id: string
  size: number
  state: object
  /** Is present while events are folded. */
  draft: Draft<object> | undefined
  event: StreamedEvent
  /** The displayed version. */
  row: Row | undefined
}

export interface RowChanges {
  readonly removed: readonly Row[]
  readonly added: readonly Row[]
}

/** Returns a sort key that ignores case and accents and orders numbers by value. */
const sortKeyOf = (text: string): string =>
  /^\d{1,20}$/.test(text) ? text.padStart(20, '0') : text.normalize('NFKD').toLowerCase()

/** Additional data by resource key. */
export type Facts = ReadonlyMap<string, string>

export class Rows {
  readonly #resources = new Map<string, Resource>()
  #groups = new Map<string, Group>()
  #touched = new Set<Group>()
  #snapshot = 0
  #scope = ''
  #column = 0
  #facts: Facts = new Map()

  constructor(private readonly listing: Listing<object>) {}

  fold(messages: readonly EventMessage[]): RowChanges {
    for (const { Events, Snapshot } of messages) {
      if (Snapshot === 'restart') this.#snapshot++
      for (const event of Events) this.#put(identityOf(event), isDeletion(event) ? undefined : event)
      if (Snapshot === 'end') this.#deleteOutdated()
    }
    return this.#changes()
  }

  /** Sets the additional data, which rows adopt with the next `regroup`. */
  setFacts(facts: Facts): void {
    this.#facts = facts
  }

  clear(): void {
    this.#resources.clear()
    this.#groups.clear()
  }

  /** Recreates all rows for a scope and a sort column. @param rows receives them */
  *regroup(scope: string, column: number, rows: Row[]): Generator<void> {
    this.#column = column
    const isSameScope = scope === this.#scope
    this.#scope = scope
    let steps = 0
    if (!isSameScope) {
      this.#groups = new Map()
      this.#touched = new Set()
      for (const [identity, { event, snapshot }] of this.#resources) {
        const row = this.#rowOf(identity, event)
        this.#resources.set(identity, { event, row, snapshot })
        this.#change(row, undefined, event)
        if (++steps % CHUNK_LIMIT === 0) yield
      }
      this.#touched = new Set()
    }
    for (const group of this.#groups.values()) {
      rows.push((group.row = this.#shown(group)))
      if (++steps % CHUNK_LIMIT === 0) yield
    }
  }

  #put(identity: string, now: StreamedEvent | undefined): void {
    const before = this.#resources.get(identity)
    const row = now && this.#rowOf(identity, now)
    if (now) this.#resources.set(identity, { event: now, row, snapshot: this.#snapshot })
    else this.#resources.delete(identity)
    if (before?.row === row) return this.#change(row, before?.event, now)
    this.#change(before?.row, before?.event, undefined)
    this.#change(row, undefined, now)
  }

  #deleteOutdated(): void {
    for (const [identity, { snapshot }] of this.#resources)
      if (snapshot !== this.#snapshot) this.#put(identity, undefined)
  }

  #rowOf(identity: string, event: StreamedEvent): string | undefined {
    const { groups } = this.listing
    return groups ? groups.rowOf(event, this.#scope) : identity
  }

  #change(id: string | undefined, before: StreamedEvent | undefined, now: StreamedEvent | undefined): void {
    const event = now ?? before
    if (id === undefined || !event) return
    const group = this.#groups.get(id) ?? this.#createGroup(id, event)
    this.#touched.add(group)
    group.size += (now ? 1 : 0) - (before ? 1 : 0)
    group.event = event
    const { groups } = this.listing
    if (!groups) group.state = stateOf(event)
    else groups.fold((group.draft ??= createDraft(group.state)), before, now, id)
    if (group.size === 0) this.#groups.delete(id)
  }

  #createGroup(id: string, event: StreamedEvent): Group {
    const state = this.listing.groups?.initial ?? {}
    const group: Group = { id, size: 0, state, draft: undefined, event, row: undefined }
    this.#groups.set(id, group)
    return group
  }

  #changes(): RowChanges {
    const removed: Row[] = []
    const added: Row[] = []
    for (const group of this.#touched) {
      if (group.row) removed.push(group.row)
      group.row = group.size === 0 ? undefined : this.#shown(group)
      if (group.row) added.push(group.row)
    }
    this.#touched = new Set()
    return { removed, added }
  }

  #shown(group: Group): Row {
    if (group.draft) group.state = finishDraft(group.draft)
    group.draft = undefined
    const { id, state, event } = group
    const { columns } = this.listing
    const fact = this.#facts.get(event.Key)
    const cells = columns.map(column => column.text(state, id, fact))
    const isIn = this.listing.isIn?.(this.#scope, fact) ?? true
    const sorted = columns[this.#column]
    const order = sortKeyOf(sorted?.order?.(state, id) ?? cells[this.#column] ?? '')
    return { id, cells, state, event, order, isIn }
  }
}
