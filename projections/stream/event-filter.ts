// A filter expression over the events of a stream, as `filter=` has it for lists (spec: state.md §13).
import type { Event } from '../../events/envelope.js'
import { compileFilter, parseFilter, type Fields, type Predicate } from '../language/filter.js'
import { number, string, strings } from '../language/fields.js'

/** What an expression may select of an event. */
const FIELDS: Fields = {
  Topic: string,
  Type: string,
  Key: string,
  Namespace: string,
  Partition: string,
  FilterKeys: strings,
  Index: number
}

/** Compiled once for a subscription. What its patterns cost is bounded for each event. */
export class EventFilter {
  /** As it was asked for. */
  readonly text: string
  readonly #passes: Predicate

  /** @throws FilterError for an expression that cannot be read or does not fit the fields of events */
  constructor(text: string) {
    this.text = text
    this.#passes = compileFilter(parseFilter(text), FIELDS)
  }

  /**
   * Whether the event of the commit with this index is selected.
   * @throws FilterError when its patterns are too large for the texts of the event
   */
  passes(event: Event, index: number): boolean {
    const { Topic, Type, Key, Namespace, Partition, FilterKeys } = event
    return this.#passes({ Topic, Type, Key, Namespace, Partition, FilterKeys, Index: index })
  }
}
