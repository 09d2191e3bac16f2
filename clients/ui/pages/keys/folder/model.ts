// The direct contents of a folder of keys: listed names, updated by events.
import type { StreamedEvent } from '../../../../typescript/stream-line.js'
import { isDeletion } from '../../../resources/kind.js'
import { SortedList } from '../../../live/worker/sorted-list.js'

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
  /** Indexes of the latest events of keys. */
  readonly #indexes = new Map<string, number>()
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

  /** Returns the index of the latest event of a key; 0 before any. */
  indexOf(name: string): number {
    return this.#indexes.get(name) ?? 0
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

  remove(name: string): void {
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
    const { Key, Index } = event
    if (!Key.startsWith(this.under)) return
    this.#indexes.set(Key, Index)
    const end = Key.indexOf('/', this.under.length)
    const name = end < 0 ? Key : Key.slice(0, end + 1)
    if (!isDeletion(event)) this.#names.add(name)
    else if (end < 0) this.remove(Key)
    else if (this.#names.has(name)) this.#doubtful.add(name)
  }
}
