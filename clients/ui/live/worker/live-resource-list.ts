import type { EventMessage } from '../../../typescript/events.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { fieldsOf, type Kind, identityOf, isDeletion } from '../../resources/kind.js'
import type { ResourceRow, Span, ResourcesViewport, ResourcesView } from './protocol.js'
import { CHUNK_LIMIT, inWorkerChunks } from './worker-chunks.js'
import { SortedList, sortInSteps, type Compare } from './sorted-list.js'

/** An immutable row with its sort key. */
interface Row extends ResourceRow {
  readonly order: string
  /** The row belongs to the scope. */
  readonly isIn: boolean
}

interface Resource {
  readonly event: StreamedEvent
  /** Number of the snapshot that contained it. Resources of an older snapshot were deleted. */
  readonly snapshot: number
  /** The displayed version. */
  row: Row | undefined
}

interface RowChanges {
  readonly removed: readonly Row[]
  readonly added: readonly Row[]
}

/** Returns a sort key that ignores case and accents and orders numbers by value. */
const sortKeyOf = (text: string): string =>
  /^\d{1,20}$/.test(text) ? text.padStart(20, '0') : text.normalize('NFKD').toLowerCase()

/** Additional data by resource key. */
type Facts = ReadonlyMap<string, string>

class Rows {
  readonly #resources = new Map<string, Resource>()
  #snapshot = 0
  #scope = ''
  #column = 0
  #facts: Facts = new Map()

  constructor(private readonly kind: Kind) {}

  fold(messages: readonly EventMessage[]): RowChanges {
    /** The displayed versions of the changed resources. */
    const shown = new Map<string, Row | undefined>()
    const put = (identity: string, event: StreamedEvent | undefined): void => {
      const row = this.#resources.get(identity)?.row
      if (!shown.has(identity)) shown.set(identity, row)
      if (event) this.#resources.set(identity, { event, snapshot: this.#snapshot, row })
      else this.#resources.delete(identity)
    }
    for (const { Events, Snapshot } of messages) {
      if (Snapshot === 'restart') this.#snapshot++
      for (const event of Events) put(identityOf(event), isDeletion(event) ? undefined : event)
      if (Snapshot !== 'end') continue
      for (const [identity, { snapshot }] of this.#resources)
        if (snapshot !== this.#snapshot) put(identity, undefined)
    }
    return {
      removed: [...shown.values()].filter(row => row !== undefined),
      added: [...shown.keys()].flatMap(identity => this.#render(identity) ?? [])
    }
  }

  /** Sets the additional data, which rows adopt with the next `renderAll`. */
  setFacts(facts: Facts): void {
    this.#facts = facts
  }

  clear(): void {
    this.#resources.clear()
  }

  /** Recreates all rows for a scope and a sort column. @param rows receives them */
  *renderAll(scope: string, column: number, rows: Row[]): Generator<void> {
    this.#scope = scope
    this.#column = column
    let steps = 0
    for (const identity of this.#resources.keys()) {
      const row = this.#render(identity)
      if (row) rows.push(row)
      if (++steps % CHUNK_LIMIT === 0) yield
    }
  }

  /** Returns the row of a resource; undefined after its deletion. */
  #render(id: string): Row | undefined {
    const resource = this.#resources.get(id)
    if (!resource) return undefined
    const { event } = resource
    const { columns, isIn } = this.kind
    const fields = { Namespace: event.Namespace, ...fieldsOf(event.Payload) }
    const fact = this.#facts.get(event.Key)
    const cells = columns.map(column => column.text(fields, fact))
    const order = sortKeyOf(cells[this.#column] ?? '')
    return (resource.row = { id, cells, event, order, isIn: isIn?.(this.#scope, fact) ?? true })
  }
}

const ANY: ResourcesViewport = { search: '', scope: '', sorting: { column: 0, isDescending: false } }

const compare: Compare<Row> = (one, other) => {
  if (one.order !== other.order) return one.order < other.order ? -1 : 1
  if (one.id === other.id) return 0
  return one.id < other.id ? -1 : 1
}

/** @param search in lower case */
const isFound = ({ cells, isIn }: Row, search: string): boolean =>
  isIn && (search === '' || cells.some(cell => cell.toLowerCase().includes(search)))

export class LiveResourceList {
  readonly #rows: Rows
  #viewport = ANY
  #shownViewport: ResourcesViewport | undefined
  /** All rows, sorted. */
  #all = new SortedList<Row>(compare)
  /** Rows that match the search; the same list without a search. */
  #found = this.#all
  /** Serializes changes. */
  #queue: Promise<void> = Promise.resolve()

  /** @param show is called after each change */
  constructor(
    private readonly kind: Kind,
    private readonly show: () => void
  ) {
    this.#rows = new Rows(kind)
  }

  take(messages: readonly EventMessage[]): Promise<void> {
    return this.#enqueue(() => this.#change(this.#rows.fold(messages)))
  }

  setFacts(facts: Facts): Promise<void> {
    return this.#enqueue(() => {
      this.#rows.setFacts(facts)
      this.#shownViewport = undefined
      return this.#reorder()
    })
  }

  /** Removes all rows after the loss of the permission. */
  clear(): Promise<void> {
    return this.#enqueue(() => {
      this.#rows.clear()
      this.#all = new SortedList(compare)
      this.#found = this.#all
    })
  }

  setViewport(viewport: ResourcesViewport): Promise<void> {
    this.#viewport = { ...viewport, search: viewport.search.trim().toLowerCase() }
    return this.#enqueue(() => this.#reorder())
  }

  view({ first, last }: Span): ResourcesView {
    const { rows } = this.#found
    const all = { count: rows.length, total: this.#all.rows.length }
    if (!this.#shownViewport?.sorting.isDescending) return { ...all, first, rows: rows.slice(first, last) }
    const end = Math.max(0, rows.length - first)
    return { ...all, first, rows: rows.slice(Math.max(0, rows.length - last), end).toReversed() }
  }

  #enqueue(work: () => void | Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).then(() => this.show())
    return this.#queue
  }

  #change({ removed, added }: RowChanges): void {
    this.#all.change(removed, added)
    if (this.#found === this.#all) return
    const isShown = (row: Row): boolean => isFound(row, this.#shownViewport?.search ?? '')
    this.#found.change(removed.filter(isShown), added.filter(isShown))
  }

  async #reorder(): Promise<void> {
    const viewport = this.#viewport
    const isCurrent = (): boolean => viewport === this.#viewport
    const shown = this.#shownViewport
    const isSameOrder = shown?.scope === viewport.scope && shown.sorting.column === viewport.sorting.column
    if (!isSameOrder) {
      const all: Row[] = []
      // Must not be cancelled, because `renderAll` changes the sort keys of the rows.
      await inWorkerChunks(this.#sorted(viewport, all), () => true)
      this.#all = new SortedList(compare, all)
      this.#found = this.#all
      this.#shownViewport = { ...viewport, search: '' }
    }
    const isUnfiltered = viewport.search === '' && (viewport.scope === '' || !this.kind.isIn)
    const found: Row[] = []
    if (!isUnfiltered && !(await inWorkerChunks(this.#search(viewport.search, found), isCurrent))) return
    this.#found = isUnfiltered ? this.#all : new SortedList(compare, found)
    this.#shownViewport = viewport
  }

  *#sorted({ scope, sorting: { column } }: ResourcesViewport, all: Row[]): Generator<void> {
    const rows: Row[] = []
    yield* this.#rows.renderAll(scope, column, rows)
    yield* sortInSteps(rows, compare, all)
  }

  *#search(text: string, found: Row[]): Generator<void> {
    let steps = 0
    for (const row of this.#all.rows) {
      if (isFound(row, text)) found.push(row)
      if (++steps % CHUNK_LIMIT === 0) yield
    }
  }
}
