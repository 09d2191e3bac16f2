// A list of things, in order and searched, of which the page gets what is in view.
import type { EventMessage } from '../../../typescript/events.js'
import type { Listing } from '../../resources/listing.js'
import { SortedList, sortInSteps, type Compare } from './sorted-list.js'
import type { Span, ResourcesViewport, ResourcesView } from './protocol.js'
import { Rows, type Facts, type Row, type RowChanges } from './rows.js'
import { inWorkerChunks, CHUNK_LIMIT } from './worker-chunks.js'

const ANY: ResourcesViewport = { search: '', scope: '', sorting: { column: 0, isDescending: false } }

const compare: Compare<Row> = (one, other) => {
  if (one.order !== other.order) return one.order < other.order ? -1 : 1
  if (one.id === other.id) return 0
  return one.id < other.id ? -1 : 1
}

/** @param search in small letters */
const isFound = ({ cells, isIn }: Row, search: string): boolean =>
  isIn && (search === '' || cells.some(cell => cell.toLowerCase().includes(search)))

export class LiveResourceList {
  readonly #rows: Rows
  #look = ANY
  #shownLook: ResourcesViewport | undefined
  /** All rows, in order. */
  #all = new SortedList<Row>(compare)
  /** Those of them that are searched for: the same when nothing is. */
  #found = this.#all
  /** Changes and looks are dealt with one after the other. */
  #turn: Promise<void> = Promise.resolve()

  /** @param show is called when the list shows something else */
  constructor(
    private readonly listing: Listing<object>,
    private readonly show: () => void
  ) {
    this.#rows = new Rows(listing)
  }

  take(messages: readonly EventMessage[]): Promise<void> {
    return this.#inTurn(() => this.#change(this.#rows.fold(messages)))
  }

  /** What no event tells of the things. */
  tell(facts: Facts): Promise<void> {
    return this.#inTurn(() => {
      this.#rows.tell(facts)
      this.#shownLook = undefined
      return this.#reorder()
    })
  }

  /** Nothing of it may be seen any more. */
  clear(): Promise<void> {
    return this.#inTurn(() => {
      this.#rows.clear()
      this.#all = new SortedList(compare)
      this.#found = this.#all
    })
  }

  look(look: ResourcesViewport): Promise<void> {
    this.#look = { ...look, search: look.search.trim().toLowerCase() }
    return this.#inTurn(() => this.#reorder())
  }

  view({ first, last }: Span): ResourcesView {
    const { rows } = this.#found
    const all = { count: rows.length, total: this.#all.rows.length }
    if (!this.#shownLook?.sorting.isDescending) return { ...all, first, rows: rows.slice(first, last) }
    const end = Math.max(0, rows.length - first)
    return { ...all, first, rows: rows.slice(Math.max(0, rows.length - last), end).toReversed() }
  }

  #inTurn(work: () => void | Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).then(() => this.show())
    return this.#turn
  }

  #change({ gone, come }: RowChanges): void {
    this.#all.change(gone, come)
    if (this.#found === this.#all) return
    const isShown = (row: Row): boolean => isFound(row, this.#shownLook?.search ?? '')
    this.#found.change(gone.filter(isShown), come.filter(isShown))
  }

  async #reorder(): Promise<void> {
    const look = this.#look
    const isWanted = (): boolean => look === this.#look
    const shown = this.#shownLook
    const isSameOrder = shown?.scope === look.scope && shown.sorting.column === look.sorting.column
    if (!isSameOrder) {
      const all: Row[] = []
      // What the rows are sorted by is in them: once begun, all of it is done.
      await inWorkerChunks(this.#sorted(look, all), () => true)
      this.#all = new SortedList(compare, all)
      this.#found = this.#all
      this.#shownLook = { ...look, search: '' }
    }
    const isWhole = look.search === '' && (look.scope === '' || !this.listing.isIn)
    const found: Row[] = []
    if (!isWhole && !(await inWorkerChunks(this.#search(look.search, found), isWanted))) return
    this.#found = isWhole ? this.#all : new SortedList(compare, found)
    this.#shownLook = look
  }

  *#sorted({ scope, sorting: { column } }: ResourcesViewport, all: Row[]): Generator<void> {
    const rows: Row[] = []
    yield* this.#rows.regroup(scope, column, rows)
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
