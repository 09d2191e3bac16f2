import type { EventMessage } from '../../../typescript/events.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { fieldsOf, type Kind } from '../../resources/kind.js'
import { identityOf, isDeletion } from '../../resources/versions.js'
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
  /** Number of the snapshot that contained it. Resources of an older snapshot were deleted. */
  readonly snapshot: number
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
