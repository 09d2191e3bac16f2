// The conversion of resources into list rows. Listings run in the list worker.
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { fieldsOf, type Fields, type Kind } from './kind.js'

interface ListingColumn<State> {
  readonly title: string
  /** Returns the displayed and searched text, which also is the default sort key. @param id of the row @param fact the data of `facts` */
  text(state: State, id: string, fact?: string): string
  /** Returns a sort key in place of the text. */
  order?(state: State, id: string): string
}

/** Rows that aggregate several resources each, such as the instances of a service. */
interface Groups<State> {
  /** State of a row without resources. */
  readonly initial: State
  /** Returns the row of a resource, if any. @param scope the selected part of the list, such as a folder */
  rowOf(resource: StreamedEvent, scope: string): string | undefined
  /** Updates a row. A resource without `before` enters the row, without `now` leaves it. @param state an immer draft; do not retain it */
  fold(state: State, before: StreamedEvent | undefined, now: StreamedEvent | undefined, id: string): void
}

export interface Listing<State extends object = Fields> {
  readonly topics: readonly string[]
  readonly columns: readonly ListingColumn<State>[]
  /** Without groups, each resource is a row, and its fields are the state. */
  readonly groups?: Groups<State>
  /** Path of a GET that returns data without events by resource key. It is repeated on request. */
  readonly facts?: string
  /** Filters the rows. @param scope the selected part of the list; empty for all */
  isIn?(scope: string, fact: string | undefined): boolean
}

/** A list with one row per resource. */
export const plain = ({
  topic,
  columns,
  facts,
  isIn
}: Pick<Kind, 'topic' | 'columns' | 'facts' | 'isIn'>): Listing => ({
  topics: [topic],
  columns,
  ...(facts === undefined ? {} : { facts }),
  ...(isIn ? { isIn } : {})
})

/** Returns the state of a row of a list without groups. */
export const stateOf = (resource: StreamedEvent): Fields => fieldsOf(resource.Payload)
