// The resources behind the rows of a list, from the events of their topics.
import type { EventMessage } from '../../../typescript/events.js'
import type { ResourceRow } from './protocol.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import type { ServiceSummary } from '../../resources/catalog/facts.js'
import {
  addressOf,
  fieldsOf,
  identityOf,
  isDeletion,
  type Column,
  type ColumnHead,
  type Kind
} from '../../resources/kind.js'

export interface RowContent {
  /** Texts of the columns. */
  readonly cells: readonly string[]
  /** The row belongs to the scope. */
  readonly isIn: boolean
}

/** Additional data by resource key. */
export type Facts = ReadonlyMap<string, string>

export interface RowModel {
  readonly ids: Iterable<string>
  readonly summary?: ServiceSummary | undefined
  /** Returns the IDs of the rows that changed. */
  apply(messages: readonly EventMessage[]): Iterable<string>
  /** Returns undefined after a deletion. */
  contentOf(id: string, scope: string): RowContent | undefined
  /** Returns the pages that the cells of a row link to. */
  linksOf(id: string): ResourceRow['links']
  setFacts?(facts: Facts): void
  clear(): void
}

export interface Listing extends Pick<Kind, 'facts' | 'list'> {
  readonly topics: readonly string[]
  readonly columns: readonly (ColumnHead & Pick<Column, 'order'>)[]
  readonly createModel: () => RowModel
}

interface Resource {
  readonly event: StreamedEvent
  /** Number of the snapshot that contained it. Resources of an older snapshot were deleted. */
  readonly snapshot: number
}

/** A row for each resource of a kind. */
class ResourceModel implements RowModel {
  readonly #resources = new Map<string, Resource>()
  #snapshot = 0
  #facts: Facts = new Map()

  constructor(private readonly kind: Kind) {}

  get ids(): Iterable<string> {
    return this.#resources.keys()
  }

  apply(messages: readonly EventMessage[]): Iterable<string> {
    const changed = new Set<string>()
    const put = (identity: string, event: StreamedEvent | undefined): void => {
      changed.add(identity)
      if (event) this.#resources.set(identity, { event, snapshot: this.#snapshot })
      else this.#resources.delete(identity)
    }
    for (const { Events, Snapshot } of messages) {
      if (Snapshot === 'restart') this.#snapshot++
      for (const event of Events) put(identityOf(event), this.#isGone(event) ? undefined : event)
      if (Snapshot !== 'end') continue
      for (const [identity, { snapshot }] of this.#resources)
        if (snapshot !== this.#snapshot) put(identity, undefined)
    }
    return changed
  }

  #isGone(event: StreamedEvent): boolean {
    return isDeletion(event) || this.kind.list?.isGone?.(fieldsOf(event.Payload)) === true
  }

  contentOf(id: string, scope: string): RowContent | undefined {
    const { event } = this.#resources.get(id) ?? {}
    if (!event) return undefined
    const fact = this.#facts.get(event.Key)
    const fields = { Namespace: event.Namespace, ...fieldsOf(event.Payload) }
    const { columns, isIn } = this.kind
    return { cells: columns.map(({ text }) => text(fields, fact)), isIn: isIn?.(scope, fact) ?? true }
  }

  linksOf(id: string): ResourceRow['links'] {
    const { event } = this.#resources.get(id) ?? {}
    return [event && addressOf(this.kind, event)]
  }

  /** Rows adopt the data when they are rendered again. */
  setFacts(facts: Facts): void {
    this.#facts = facts
  }

  clear(): void {
    this.#resources.clear()
  }
}

export const listingOf = (kind: Kind): Listing => ({
  ...kind,
  topics: [kind.topic],
  createModel: () => new ResourceModel(kind)
})
