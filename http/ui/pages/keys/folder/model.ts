// What is directly in a folder of keys: names as they were listed, and what events make of them since.
import type { StreamedEvent } from '../../../../../client/stream-line.js'
import { isEnd } from '../../../things/fold.js'
import { fieldsOf } from '../../../things/kind.js'
import { keyRowOf, type KeyRow } from '../entry.js'

/** A list that changes in place; whoever shows it looks again after each change. */
export class FolderModel {
  readonly #under: string
  readonly #names = new Set<string>()
  readonly #rows = new Map<string, KeyRow>()
  /** Folders of which something was deleted: nobody knows whether there is more in them. */
  readonly #doubtful = new Set<string>()
  #sorted: readonly string[] | undefined
  /** What happens while names are listed. */
  #early: StreamedEvent[] | undefined = []

  /** @param under path of the folder, with `/` at its end; empty for the top */
  constructor(under: string) {
    this.#under = under
  }

  /** Names of folders, which end with `/`, then those of keys. */
  get names(): readonly string[] {
    if (this.#sorted) return this.#sorted
    const folders: string[] = []
    const keys: string[] = []
    for (const name of this.#names) (name.endsWith('/') ? folders : keys).push(name)
    this.#sorted = [...folders.toSorted(), ...keys.toSorted()]
    return this.#sorted
  }

  /** Undefined for a folder, and for a key that was not read. */
  row(name: string): KeyRow | undefined {
    return this.#rows.get(name)
  }

  /** Names are listed from now on, for the first time or anew. */
  begin(): void {
    this.#early ??= []
  }

  /** All names have been listed: what happened meanwhile counts after them. */
  list(names: readonly string[]): void {
    this.#names.clear()
    this.#sorted = undefined
    for (const name of names) this.#add(name)
    const early = this.#early ?? []
    this.#early = undefined
    this.take(early)
  }

  take(events: readonly StreamedEvent[]): void {
    if (this.#early) this.#early.push(...events)
    else for (const event of events) this.#take(event)
  }

  /** What was read of keys. What an event told since counts more. */
  put(rows: readonly KeyRow[]): void {
    for (const row of rows) {
      const { index = -1 } = this.#rows.get(row.name) ?? {}
      if (row.index >= index) this.#rows.set(row.name, row)
    }
  }

  remove(name: string): void {
    this.#rows.delete(name)
    if (this.#names.delete(name)) this.#sorted = undefined
  }

  get isDoubtful(): boolean {
    return this.#doubtful.size > 0
  }

  /** A folder that may be empty now; it is told of once. */
  nextDoubtful(): string | undefined {
    const [name] = this.#doubtful
    if (name !== undefined) this.#doubtful.delete(name)
    return name
  }

  #add(name: string): void {
    if (this.#names.has(name)) return
    this.#names.add(name)
    this.#sorted = undefined
  }

  #take(event: StreamedEvent): void {
    const { Key } = event
    if (!Key.startsWith(this.#under)) return
    const end = Key.indexOf('/', this.#under.length)
    if (end >= 0) {
      const folder = Key.slice(0, end + 1)
      // Keys of folders in it are known where they were searched for.
      if (isEnd(event)) this.#rows.delete(Key)
      else if (this.#rows.has(Key)) this.put([keyRowOf(fieldsOf(event.Payload))])
      if (!isEnd(event)) this.#add(folder)
      else if (this.#names.has(folder)) this.#doubtful.add(folder)
    } else if (isEnd(event)) this.remove(Key)
    else {
      this.#add(Key)
      this.put([keyRowOf(fieldsOf(event.Payload))])
    }
  }
}
