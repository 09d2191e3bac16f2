import { isCursorMoved, type Cursor, cursorEvents, type CursorEvent } from '../events/cursor.js'
import { DEFAULT_TENANCY, type Commit, type Event } from '../events/envelope.js'
import { derivedState, type Fact } from './projection.js'
import { TableProjection } from './table-projection.js'
import type { Watch } from './watch.js'

interface CursorRow {
  readonly cursor: Cursor
  /** The signing key of its webhook; '' without one. */
  readonly secret: string
  readonly type: CursorEvent['Type']
}

interface Run {
  readonly from: number
  readonly to: number
}

const NONE: Run = { from: 0, to: 0 }

/** Cursors by name. Costs: look-ups O(1), a change O(1), a list O(cursors). Watch key: `cursors`. */
export class Cursors extends TableProjection<CursorRow, Cursor, CursorEvent, never, 'owner'> {
  /** The newest commits if they only moved cursors. */
  #moves = NONE
  override readonly memory = {
    indexes: this.table.indexes,
    moves: derivedState<Run>({
      clear: () => void (this.#moves = NONE),
      save: () => [this.#moves],
      load: run => void (this.#moves = run)
    })
  }

  constructor(watch: Watch) {
    super(watch, {
      events: cursorEvents,
      deletedBy: 'CursorDeleted',
      rowOf: ({ Payload, Secrets, Type }) => ({
        cursor: Payload.Cursor,
        secret: Secrets?.['Secret'] ?? '',
        type: Type
      }),
      resourceOf: row => row.cursor,
      watched: () => ['cursors'],
      secretsOf: ({ secret }) => (secret === '' ? undefined : { Secret: secret }),
      key: row => row.cursor.Name,
      order: row => row.cursor.Name,
      unique: {},
      multi: { owner: row => [row.cursor.Owner] }
    })
  }

  get(name: string): Cursor | undefined {
    return this.table.get(name)?.cursor
  }

  /** The signing key of a cursor's webhook; undefined without one. */
  secretOf(name: string): string | undefined {
    return this.table.get(name)?.secret || undefined
  }

  list(): readonly Cursor[] {
    return this.table.list(DEFAULT_TENANCY).map(({ cursor }) => cursor)
  }

  /** The cursors after a name, or all, by name; see `Table.behind`. */
  *behind(after: string | undefined): Iterable<Cursor> {
    for (const { cursor } of this.table.behind(DEFAULT_TENANCY, after)) yield cursor
  }

  ownedBy(accessor: string): number {
    return this.table.sharing('owner', accessor).size
  }

  /** Index of the newest commit that did more than move cursors. `head` is the index of the newest commit. */
  newestToTake(head: number): number {
    return this.#moves.to === head ? this.#moves.from - 1 : head
  }

  override apply(event: Event, commit: Commit): void {
    if (event === commit.Events[0] && commit.Events.every(isCursorMoved)) this.#note(commit.Index)
    super.apply(event, commit)
  }

  override reset(): void {
    super.reset()
    this.#moves = NONE
  }

  override factOf(row: CursorRow): Fact {
    return { ...super.factOf(row), Type: row.type }
  }

  #note(index: number): void {
    this.#moves = { from: this.#moves.to === index - 1 ? this.#moves.from : index, to: index }
  }
}
