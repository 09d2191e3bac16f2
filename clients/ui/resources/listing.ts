// How the things of a list become its rows. All of it runs in the worker of the lists, away from the page.
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { fieldsOf, type Fields, type Kind } from './kind.js'

interface ListingColumn<State> {
  readonly title: string
  /** What stands in it, what is searched in, and what is sorted by. @param id of the row @param fact of its thing */
  text(state: State, id: string, fact?: string): string
  /** Sorted by in place of the text. */
  order?(state: State, id: string): string
}

/** Rows that stand for several things each, such as the instances of a service. */
interface Groups<State> {
  /** What a row is without things. */
  readonly initial: State
  /** Which row a thing counts in; undefined for none. @param scope what of the list is looked at, such as a folder */
  rowOf(resource: StreamedEvent, scope: string): string | undefined
  /**
   * Changes a row for one of its things, which was `before` and is `now`; undefined where it was not in the row, or is no more.
   * @param state a draft of immer: it may be changed, and is not to be kept
   * @param id of the row
   */
  fold(state: State, before: StreamedEvent | undefined, now: StreamedEvent | undefined, id: string): void
}

export interface Listing<State extends object = Fields> {
  /** Of the stream. */
  readonly topics: readonly string[]
  readonly columns: readonly ListingColumn<State>[]
  /** Each thing is a row when absent, whose state are the fields of the thing. */
  readonly groups?: Groups<State>
  /** Path of the API that tells, by the keys of things, what no event tells of them: a text each. It is asked now and then. */
  readonly facts?: string
  /** Whether a row is listed; all are when absent. @param scope what of the list is looked at; nothing in particular when empty */
  isIn?(scope: string, fact: string | undefined): boolean
}

/** A list in which each thing of a kind is a row. */
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

/** What a row of a plain list shows. */
export const stateOf = (resource: StreamedEvent): Fields => fieldsOf(resource.Payload)
