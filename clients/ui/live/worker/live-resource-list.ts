import type { EventMessage } from '../../../typescript/events.js'
import type { Span, ResourcesViewport, ResourcesView } from './protocol.js'
import type { Facts, Listing, RowContent, RowModel } from './row-model.js'
import { CHUNK_LIMIT, inWorkerChunks } from './worker-chunks.js'
import { SortedList, sortInSteps, type Compare } from './sorted-list.js'

/** An immutable row with its sort key. */
interface Row extends RowContent {
  readonly id: string
  readonly order: string
}

interface RowChanges {
  readonly removed: readonly Row[]
  readonly added: readonly Row[]
}

/** Returns a sort key that ignores case and accents and orders numbers by value. */
const sortKeyOf = (text: string): string =>
  /^\d{1,20}$/.test(text) ? text.padStart(20, '0') : text.normalize('NFKD').toLowerCase()

/** The displayed versions of the rows. */
class Rows {
  readonly #shown = new Map<string, Row>()
  #scope = ''
  #column = 0

  constructor(
    private readonly columns: Listing['columns'],
    private readonly model: RowModel
  ) {}

  fold(messages: readonly EventMessage[]): RowChanges {
    const changed = [...this.model.apply(messages)]
    return {
      removed: changed.flatMap(id => this.#shown.get(id) ?? []),
      added: changed.flatMap(id => this.#render(id) ?? [])
    }
  }

  clear(): void {
    this.model.clear()
    this.#shown.clear()
  }

  /** Recreates all rows for a scope and a sort column. @param rows receives them */
  *renderAll(scope: string, column: number, rows: Row[]): Generator<void> {
    this.#scope = scope
    this.#column = column
    let steps = 0
    for (const id of this.model.ids) {
      const row = this.#render(id)
      if (row) rows.push(row)
      if (++steps % CHUNK_LIMIT === 0) yield
    }
  }

  /** Returns the row of a resource; undefined after its deletion. */
  #render(id: string): Row | undefined {
    const content = this.model.contentOf(id, this.#scope)
    if (!content) {
      this.#shown.delete(id)
      return undefined
    }
    const text = content.cells[this.#column] ?? ''
    const row = { id, ...content, order: sortKeyOf(this.columns[this.#column]?.order?.(text) ?? text) }
    this.#shown.set(id, row)
    return row
  }
}

const compare: Compare<Row> = (one, other) => {
  if (one.order !== other.order) return one.order < other.order ? -1 : 1
  if (one.id === other.id) return 0
  return one.id < other.id ? -1 : 1
}

interface Selection extends ResourcesViewport {
  readonly ids: ReadonlySet<string> | undefined
}

const ANY: Selection = {
  search: '',
  scope: '',
  sorting: { column: 0, isDescending: false },
  ids: undefined
}

/** @param search in lower case */
const isFound = ({ id, cells, isIn }: Row, { search, ids }: Selection): boolean =>
  isIn && (!ids || ids.has(id)) && (search === '' || cells.some(cell => cell.toLowerCase().includes(search)))

export class LiveResourceList {
  readonly #rows: Rows
  readonly #model: RowModel
  #viewport = ANY
  #shownViewport: Selection | undefined
  /** All rows, sorted. */
  #all = new SortedList<Row>(compare)
  /** Rows that match the search; the same list without a search. */
  #found = this.#all
  /** Serializes changes. */
  #queue: Promise<void> = Promise.resolve()

  /** @param show is called after each change */
  constructor(
    listing: Listing,
    private readonly show: () => void
  ) {
    this.#model = listing.createModel()
    this.#rows = new Rows(listing.columns, this.#model)
  }

  take(messages: readonly EventMessage[]): Promise<void> {
    return this.#enqueue(() => this.#change(this.#rows.fold(messages)))
  }

  setFacts(facts: Facts): Promise<void> {
    return this.#enqueue(() => {
      this.#model.setFacts?.(facts)
      this.#shownViewport = undefined
      return this.#reorder()
    })
  }

  /** Removes all rows after the loss of the permission. */
  clear(): Promise<void> {
    return this.#enqueue(() => {
      this.#rows.clear()
      this.#shownViewport = undefined
      return this.#reorder()
    })
  }

  setViewport(viewport: ResourcesViewport): Promise<void> {
    const { search, only } = viewport
    this.#viewport = { ...viewport, search: search.trim().toLowerCase(), ids: only && new Set(only) }
    return this.#enqueue(() => this.#reorder())
  }

  view({ first, last }: Span): ResourcesView {
    const { rows } = this.#found
    const { length } = rows
    const { summary } = this.#model
    const shown = this.#shownViewport?.sorting.isDescending
      ? rows.slice(Math.max(0, length - last), Math.max(0, length - first)).toReversed()
      : rows.slice(first, last)
    return {
      count: length,
      total: this.#all.rows.length,
      first,
      rows: shown.map(({ id, cells }) => ({ id, cells, links: this.#model.linksOf(id) })),
      ...(summary ? { summary } : {})
    }
  }

  #enqueue(work: () => void | Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).then(() => this.show())
    return this.#queue
  }

  #change({ removed, added }: RowChanges): void {
    this.#all.change(removed, added)
    if (this.#found === this.#all) return
    const isShown = (row: Row): boolean => isFound(row, this.#shownViewport ?? ANY)
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
      this.#shownViewport = { ...viewport, search: '', ids: undefined }
    }
    const isUnfiltered = viewport.search === '' && viewport.scope === '' && !viewport.ids
    const found: Row[] = []
    if (!isUnfiltered && !(await inWorkerChunks(this.#search(viewport, found), isCurrent))) return
    this.#found = isUnfiltered ? this.#all : new SortedList(compare, found)
    this.#shownViewport = viewport
  }

  *#sorted({ scope, sorting: { column } }: ResourcesViewport, all: Row[]): Generator<void> {
    const rows: Row[] = []
    yield* this.#rows.renderAll(scope, column, rows)
    yield* sortInSteps(rows, compare, all)
  }

  *#search(selection: Selection, found: Row[]): Generator<void> {
    let steps = 0
    for (const row of this.#all.rows) {
      if (isFound(row, selection)) found.push(row)
      if (++steps % CHUNK_LIMIT === 0) yield
    }
  }
}
