// The direct contents of a folder of keys: listed names, updated by events.
import type { StreamedEvent } from '../../../../typescript/stream-line.js'
import { isDeletion, fieldsOf } from '../../../resources/kind.js'
import { SortedList } from '../../../live/worker/sorted-list.js'
import { keyRowOf, type KeyRow } from '../entry.js'

/** Folders first. */
const compare = (one: string, other: string): number => {
  const isFolder = one.endsWith('/')
  if (isFolder !== other.endsWith('/')) return isFolder ? -1 : 1
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Names of folders, which end with `/`, and those of keys. Changes apply when the sorted names are read. */
class Names {
  readonly #all = new Set<string>()
  readonly #added = new Set<string>()
  readonly #removed = new Set<string>()
  #sorted: readonly string[] = []

  has(name: string): boolean {
    return this.#all.has(name)
  }

  add(name: string): void {
    if (this.#all.has(name)) return
    this.#all.add(name)
    if (!this.#removed.delete(name)) this.#added.add(name)
  }

  delete(name: string): void {
    if (this.#all.delete(name) && !this.#added.delete(name)) this.#removed.add(name)
  }

  /** The same array until a change. */
  get sorted(): readonly string[] {
    if (this.#added.size + this.#removed.size === 0) return this.#sorted
    // A copy, because callers retain the previous list.
    const list = new SortedList(compare, [...this.#sorted])
    list.change([...this.#removed], [...this.#added])
    this.#added.clear()
    this.#removed.clear()
    return (this.#sorted = list.rows)
  }
}

/** A list that changes in place. Its view renders again after each change. */
export class FolderModel {
  #names = new Names()
  /** The names of the latest listing. */
  #listed = new Names()
  readonly #rows = new Map<string, KeyRow>()
  /** Folders with deletions, which may be empty. */
  readonly #doubtful = new Set<string>()
  /** Events that arrive during a listing. */
  #early: StreamedEvent[] | undefined = []

  /** @param under path of the folder, with `/` at its end; empty for the root */
  constructor(private readonly under: string) {}

  /** Names of folders, which end with `/`, then those of keys. */
  get names(): readonly string[] {
    return this.#names.sorted
  }

  /** Returns undefined for a folder, and for a key that was not read. */
  row(name: string): KeyRow | undefined {
    return this.#rows.get(name)
  }

  /** Starts a listing of names. */
  begin(): void {
    this.#early ??= []
    this.#listed = new Names()
  }

  list(names: readonly string[]): void {
    for (const name of names) this.#listed.add(name)
  }

  /** Completes a listing, and applies the events that arrived during it. */
  end(): void {
    this.#names = this.#listed
    const early = this.#early ?? []
    this.#early = undefined
    this.take(early)
  }

  take(events: readonly StreamedEvent[]): void {
    if (this.#early) this.#early.push(...events)
    else for (const event of events) this.#take(event)
  }

  /** Adds keys that were read. Later events take precedence. */
  put(rows: readonly KeyRow[]): void {
    for (const row of rows) {
      const { index = -1 } = this.#rows.get(row.name) ?? {}
      if (row.index >= index) this.#rows.set(row.name, row)
    }
  }

  remove(name: string): void {
    this.#rows.delete(name)
    this.#names.delete(name)
  }

  get isDoubtful(): boolean {
    return this.#doubtful.size > 0
  }

  /** Returns each folder that may be empty now once. */
  nextDoubtful(): string | undefined {
    const [name] = this.#doubtful
    if (name !== undefined) this.#doubtful.delete(name)
    return name
  }

  #take(event: StreamedEvent): void {
    const { Key } = event
    if (!Key.startsWith(this.under)) return
    const end = Key.indexOf('/', this.under.length)
    if (end >= 0) {
      const folder = Key.slice(0, end + 1)
      // A search may have read keys of subfolders.
      if (isDeletion(event)) this.#rows.delete(Key)
      else if (this.#rows.has(Key)) this.put([keyRowOf(fieldsOf(event.Payload))])
      if (!isDeletion(event)) this.#names.add(folder)
      else if (this.#names.has(folder)) this.#doubtful.add(folder)
    } else if (isDeletion(event)) this.remove(Key)
    else {
      this.#names.add(Key)
      this.put([keyRowOf(fieldsOf(event.Payload))])
    }
  }
}
