// Which events a stream asks for: `topic`, `type` and `filter` (spec: stream.md §1, §6, §14 row 10).
import { invalid } from '../../actors/refusal.js'
import { FilterError } from '../../projections/language/filter.js'
import { EventFilter } from '../../projections/stream/event-filter.js'
import { isEventType } from '../../projections/stream/event-types.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import { TopicFilter, type TopicChoice } from '../../projections/stream/topic-filter.js'
import { ALIASES, ALL_TOPICS, isTopic } from '../../projections/stream/topics.js'
import { filled, shown, type NamedValues } from './parameter-values.js'

/** In place of a topic: of every topic what may be seen. */
const WHAT_MAY_BE_SEEN = 'any'
/** In place of a key: every one. */
const EVERY_KEY = '*'

const refuse = (reason: string): Error => invalid(`Invalid topic query: ${reason}`)

const choice = (text: string): TopicChoice => {
  const at = text.indexOf(':')
  const topic = at < 0 ? text : text.slice(0, at)
  const key = at < 0 ? EVERY_KEY : text.slice(at + 1)
  if (topic === '') throw refuse(`the topic is empty in ${shown(text)}; write Topic or Topic:key`)
  if (topic !== WHAT_MAY_BE_SEEN && !isTopic(topic) && !ALIASES.has(topic))
    throw refuse(`unknown topic ${shown(topic)}`)
  if (key === '') throw refuse(`the key is empty in ${shown(text)}; for all keys write ${topic}`)
  return { topic, key: key === EVERY_KEY ? undefined : key }
}

const EVERYTHING: readonly TopicChoice[] = [{ topic: ALL_TOPICS, key: undefined }]

/**
 * The union of topics: `Topic`, `Topic:key`, or `Topic:folder/` for the keys below one; everything for none. `any` in place of a topic
 * asks of every topic for what may be seen, without the right to all of it, and stands for itself.
 * @throws Refusal `invalid`
 */
export const topicChoices = (
  topics: readonly string[]
): { readonly choices: readonly TopicChoice[]; readonly sees: Subscription['sees'] } => {
  const choices = topics.map(choice)
  const [first] = choices
  if (!first) return { choices: EVERYTHING, sees: 'whole' }
  const isAny = first.topic === WHAT_MAY_BE_SEEN
  if (choices.some(({ topic }) => (topic === WHAT_MAY_BE_SEEN) !== isAny))
    throw refuse('"any" cannot be combined with other topics; narrow it by type or filter')
  return isAny
    ? { choices: choices.map(({ key }) => ({ topic: ALL_TOPICS, key })), sees: 'any' }
    : { choices, sees: 'whole' }
}

const type = (text: string): string => {
  if (!isEventType(text)) throw invalid(`Invalid type query: unknown type ${shown(text)}`)
  return text
}

const expressionOf = (text: string | undefined): EventFilter | undefined => {
  if (text === undefined) return undefined
  try {
    return new EventFilter(text)
  } catch (error) {
    if (error instanceof FilterError)
      throw invalid(`Failed to create boolean expression evaluator: ${error.message}`)
    throw error
  }
}

/** @throws Refusal `invalid` */
export const selectedEvents = (values: NamedValues): Pick<Subscription, 'filter' | 'expression' | 'sees'> => {
  const { choices, sees } = topicChoices(values.all('topic'))
  return {
    filter: new TopicFilter(choices, values.all('type').map(type)),
    expression: expressionOf(filled(values, 'filter')),
    sees
  }
}
