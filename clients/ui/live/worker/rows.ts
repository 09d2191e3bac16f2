// The rows of a list, folded from the events of its things.
import { createDraft, finishDraft, type Draft } from 'immer'
import type { EventMessage } from '../../../typescript/events.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { identityOf, isDeletion } from '../../resources/fold.js'
import { stateOf, type Listing } from '../../resources/listing.js'
import type { ResourceRow } from './protocol.js'
import { CHUNK_LIMIT } from './worker-chunks.js'

/** A row with what it is sorted by. It is never changed: a row that changes is another one. */
export interface Row extends ResourceRow {
  readonly order: string
  /** Whether the scope has it. */
  readonly isIn: boolean
}

interface Resource {
  readonly event: StreamedEvent
  /** The row that it counts in. */
  readonly row: string | undefined
  /** Of which telling of what is there: things that the newest one does not tell of are gone. */
  readonly telling: number
}

/** A row that changes. */
interface Group {
  readonly id: string
  /** How many things are in it. */
  size: number
  state: object
  /** While the row changes. */
  draft: Draft<object> | undefined
  event: StreamedEvent
  /** As it was shown last. */
  row: Row | undefined
}

export interface RowChanges {
  readonly gone: readonly Row[]
  readonly come: readonly Row[]
}

/** Texts in the order of people, as far as capitals and numbers go. */
const orderOf = (text: string): string =>
  /^\d{1,20}$/.test(text) ? text.padStart(20, '0') : text.normalize('NFKD').toLowerCase()

/** Of things, by their keys. */
export type Facts = ReadonlyMap<string, string>

export class Rows {
  readonly #resources = new Map<string, Resource>()
  #groups = new Map<string, Group>()
  #touched = new Set<Group>()
  #telling = 0
  #scope = ''
  #column = 0
  #facts: Facts = new Map()

  constructor(private readonly listing: Listing<object>) {}

  /** Folds messages into the rows. */
  fold(messages: readonly EventMessage[]): RowChanges {
    for (const { Events, Snapshot } of messages) {
      if (Snapshot === 'restart') this.#telling++
      for (const event of Events) this.#put(identityOf(event), isDeletion(event) ? undefined : event)
      if (Snapshot === 'end') this.#forgetOthers()
    }
    return this.#changes()
  }

  /** What is told of things besides. Rows show it once they are made anew. */
  tell(facts: Facts): void {
    this.#facts = facts
  }

  /** Takes all things out. */
  clear(): void {
    this.#resources.clear()
    this.#groups.clear()
  }

  /** Makes all rows anew, for another scope or another column to sort by. @param rows gets them */
  *regroup(scope: string, column: number, rows: Row[]): Generator<void> {
    this.#column = column
    const isSameScope = scope === this.#scope
    this.#scope = scope
    let steps = 0
    if (!isSameScope) {
      this.#groups = new Map()
      this.#touched = new Set()
      for (const [identity, { event, telling }] of this.#resources) {
        const row = this.#rowOf(identity, event)
        this.#resources.set(identity, { event, row, telling })
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
    if (now) this.#resources.set(identity, { event: now, row, telling: this.#telling })
    else this.#resources.delete(identity)
    if (before?.row === row) return this.#change(row, before?.event, now)
    this.#change(before?.row, before?.event, undefined)
    this.#change(row, undefined, now)
  }

  #forgetOthers(): void {
    for (const [identity, { telling }] of this.#resources)
      if (telling !== this.#telling) this.#put(identity, undefined)
  }

  #rowOf(identity: string, event: StreamedEvent): string | undefined {
    const { groups } = this.listing
    return groups ? groups.rowOf(event, this.#scope) : identity
  }

  #change(id: string | undefined, before: StreamedEvent | undefined, now: StreamedEvent | undefined): void {
    const event = now ?? before
    if (id === undefined || !event) return
    const group = this.#groups.get(id) ?? this.#open(id, event)
    this.#touched.add(group)
    group.size += (now ? 1 : 0) - (before ? 1 : 0)
    group.event = event
    const { groups } = this.listing
    if (!groups) group.state = stateOf(event)
    else groups.fold((group.draft ??= createDraft(group.state)), before, now, id)
    if (group.size === 0) this.#groups.delete(id)
  }

  #open(id: string, event: StreamedEvent): Group {
    const state = this.listing.groups?.initial ?? {}
    const group: Group = { id, size: 0, state, draft: undefined, event, row: undefined }
    this.#groups.set(id, group)
    return group
  }

  #changes(): RowChanges {
    const gone: Row[] = []
    const come: Row[] = []
    for (const group of this.#touched) {
      if (group.row) gone.push(group.row)
      group.row = group.size === 0 ? undefined : this.#shown(group)
      if (group.row) come.push(group.row)
    }
    this.#touched = new Set()
    return { gone, come }
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
    const order = orderOf(sorted?.order?.(state, id) ?? cells[this.#column] ?? '')
    return { id, cells, state, event, order, isIn }
  }
}
