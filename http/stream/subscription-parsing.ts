// What a request says of the stream that it asks for (spec: stream.md §1, §2, §14).
import { invalid } from '../../actors/refusal.js'
import { isTenancyName } from '../../actors/tenancy.js'
import { parseMilliseconds } from '../../events/duration.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { Framing } from '../../projections/stream/framing.js'
import { ALL_TENANCIES } from '../../projections/stream/required-permissions.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import type { RequestContext } from '../wire/request-context.js'
import { firstValueOf, flag, quoteValue, type NamedValues } from './parameter-values.js'
import { rangeOf, type LastSeenIndex, type StreamRange } from './range-parameters.js'
import { FilterError } from '../../projections/language/filter.js'
import { EventFilter } from '../../projections/stream/event-filter.js'
import { isEventType } from '../../projections/stream/event-types.js'
import { TopicFilter, type TopicChoice } from '../../projections/stream/topic-filter.js'
import { ALIASES, ALL_TOPICS, isTopic } from '../../projections/stream/topics.js'

/** In place of a topic: of every topic what may be seen. */
const WHAT_MAY_BE_SEEN = 'any'
/** In place of a key: every one. */
const EVERY_KEY = '*'

const refuse = (reason: string): Error => invalid(`Invalid topic query: ${reason}`)

const choice = (text: string): TopicChoice => {
  const at = text.indexOf(':')
  const topic = at < 0 ? text : text.slice(0, at)
  const key = at < 0 ? EVERY_KEY : text.slice(at + 1)
  if (topic === '') throw refuse(`the topic is empty in ${quoteValue(text)}; write Topic or Topic:key`)
  if (topic !== WHAT_MAY_BE_SEEN && !isTopic(topic) && !ALIASES.has(topic))
    throw refuse(`unknown topic ${quoteValue(topic)}`)
  if (key === '') throw refuse(`the key is empty in ${quoteValue(text)}; for all keys write ${topic}`)
  return { topic, key: key === EVERY_KEY ? undefined : key }
}

const EVERYTHING: readonly TopicChoice[] = [{ topic: ALL_TOPICS, key: undefined }]

/**
 * The union of topics: `Topic`, `Topic:key`, or `Topic:folder/` for the keys below one; everything for none. `any` in place of a topic
 * asks of every topic for what may be seen, without the right to all of it, and stands for itself.
 * @throws Refusal `invalid`
 */
const topicChoices = (
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
  if (!isEventType(text)) throw invalid(`Invalid type query: unknown type ${quoteValue(text)}`)
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
const selectedEvents = (values: NamedValues): Pick<Subscription, 'filter' | 'expression' | 'sees'> => {
  const { choices, sees } = topicChoices(values.all('topic'))
  return {
    filter: new TopicFilter(choices, values.all('type').map(type)),
    expression: expressionOf(firstValueOf(values, 'filter')),
    sees
  }
}

/** Where a stream is asked for: a request, or a message that stands for one. */
export interface ParameterSource {
  readonly values: NamedValues
  /** Last index that the reader of an earlier stream saw. */
  readonly seen?: LastSeenIndex
  /** What counts where the parameters name none. */
  readonly tenancy?: { readonly namespace?: string | undefined; readonly partition?: string | undefined }
}

/** A stream as it was asked for, before the log is looked at. */
export interface StreamRequest {
  readonly subscription: Subscription
  readonly range: StreamRange
  /** Whether a start that is no longer kept is refused, in place of the oldest that is. */
  readonly strict: boolean
  /** Whether heartbeats tell how far the stream is. */
  readonly progress: boolean
  readonly snapshot: boolean
}

/** `X-Service-Resume-Index`, then `Last-Event-ID`, name the last index seen. */
export const parameterSourceOf = (request: RequestContext): ParameterSource => {
  const { query, settings } = request
  const seen =
    request.header('x-service-resume-index') ||
    (settings.compat && request.header('x-consul-resume-index')) ||
    request.header('last-event-id') ||
    undefined
  const tenancy = {
    namespace: request.serviceHeader('namespace'),
    partition: request.serviceHeader('partition')
  }
  return { values: query, seen, tenancy }
}

/** A name that two parameters may say; `*` means all. @throws Refusal `invalid` */
const nameOf = (
  values: NamedValues,
  what: keyof Tenancy,
  twin: string,
  otherwise = DEFAULT_TENANCY[what]
): string => {
  const given = [what, twin].flatMap(by => {
    const name = firstValueOf(values, by)?.toLowerCase()
    return name === undefined ? [] : [{ by, name }]
  })
  const [first, other] = given
  if (first && other && first.name !== other.name)
    throw invalid(
      `Invalid ${what}: ${first.by} ${quoteValue(first.name)} and ${other.by} ${quoteValue(other.name)} are one parameter, and differ`
    )
  const name = first?.name ?? otherwise.toLowerCase()
  if (name !== ALL_TENANCIES && !isTenancyName(name))
    throw invalid(
      `Invalid ${what} ${quoteValue(name)}: it must be a DNS label of 1 to 63 letters, digits and hyphens, or * for all`
    )
  return name
}

/** `wait` has no effect, but must be a duration. @throws Refusal `invalid` */
export const checkWait = (values: NamedValues): void => {
  const wait = firstValueOf(values, 'wait')
  if (wait !== undefined && parseMilliseconds(wait) === undefined)
    throw invalid(
      `Invalid wait time: invalid duration ${quoteValue(wait)}: it must be one such as 30s or 1h30m`
    )
}

/** What a stream selects, without where it starts and ends. @throws Refusal `invalid` that names the parameter and the rule */
export const subscriptionOf = (
  { values, tenancy = {} }: ParameterSource,
  framing: Framing
): Subscription => ({
  ...selectedEvents(values),
  tenancy: {
    partition: nameOf(values, 'partition', 'ap', tenancy.partition),
    namespace: nameOf(values, 'namespace', 'ns', tenancy.namespace)
  },
  framing,
  meta: flag(values, 'meta')
})

/** @throws Refusal `invalid` that names the parameter and the rule */
export const parseStreamRequest = (asking: ParameterSource, framing: Framing): StreamRequest => {
  const { values, seen } = asking
  const range = rangeOf(values, seen)
  const subscription = subscriptionOf(asking, framing)
  checkWait(values)
  return {
    subscription,
    range,
    strict: flag(values, 'strict'),
    progress: flag(values, 'progress'),
    // Who has seen an index goes on behind it: a browser that connects again asks for the same address.
    snapshot: flag(values, 'snapshot') && !seen
  }
}
