import { recover } from '../../events/errors.js'
import type { Event } from '../../events/envelope.js'
import {
  compileFilter,
  FilterError,
  parseFilter,
  type Expression,
  type Fields,
  type Predicate
} from '../language/filter.js'
import { number, object, string, strings, type Match } from '../language/filter-syntax.js'
import { expandedSize } from '../language/pattern.js'
import { PAYLOAD_FIELDS } from './payload-fields.js'
import { eventViewOf } from './event-view.js'

const FIELDS: Fields = {
  Topic: string,
  Type: string,
  Key: string,
  Namespace: string,
  Partition: string,
  FilterKeys: strings,
  Index: number,
  Payload: object(PAYLOAD_FIELDS)
}

const matchesOf = (expression: Expression): readonly Match[] => {
  switch (expression.type) {
    case 'match':
      return [expression]
    case 'not':
      return matchesOf(expression.operand)
    case 'and':
    case 'or':
      return expression.operands.flatMap(matchesOf)
  }
}

/** The approximate number of steps for each character of a text. */
const weightOf = ({ operator, value }: Match): number => {
  if (operator === 'Matches' || operator === 'Not Matches') return expandedSize(value)
  return operator === 'In' || operator === 'Not In' ? 1 : 0
}

/** A stream's expression whose patterns are too expensive for the texts of an event. */
export class FilterTooExpensive extends Error {
  override readonly name = 'UnfitFilter'

  constructor(
    readonly index: number,
    reason: string
  ) {
    super(reason)
  }
}

/** A filter over events (spec: state.md §13), compiled once for a subscription. The cost of its patterns is bounded for each event. */
export class EventFilter {
  /** The approximate maximum of steps for each character of an event. */
  readonly weight: number
  readonly looksIntoPayload: boolean
  readonly #passes: Predicate

  /** @throws FilterError for an expression that is invalid or does not fit the fields of events */
  constructor(readonly text: string) {
    const expression = parseFilter(text)
    const matches = matchesOf(expression)
    this.weight = matches.reduce((sum, match) => sum + weightOf(match), 0)
    this.looksIntoPayload = matches.some(({ field }) => field.path[0] === 'Payload')
    this.#passes = compileFilter(expression, FIELDS)
  }

  /** Evaluates the expression for an event, with the payload that the stream shows. @throws FilterTooExpensive */
  passes(event: Event, index: number): boolean {
    const { Topic, Type, Key, Namespace, Partition, FilterKeys } = event
    const Payload = this.looksIntoPayload ? eventViewOf(event).Payload : undefined
    const fields = { Topic, Type, Key, Namespace, Partition, FilterKeys, Index: index, Payload }
    return recover(
      () => this.#passes(fields),
      FilterError,
      ({ message }) => {
        throw new FilterTooExpensive(index, message)
      }
    )
  }
}
