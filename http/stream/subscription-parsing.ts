// Parsing of a stream request (spec: stream.md §1, §2, §14).
import { invalidWith } from '../../actors/refusal.js'
import { isTenancyName } from '../../actors/tenancy.js'
import { parseMilliseconds } from '../../events/duration.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { Framing, Subscription } from '../../projections/stream/subscription.js'
import { ALL_TENANCIES } from '../../projections/stream/required-permissions.js'
import type { RequestContext } from '../wire/request-context.js'
import { firstValueOf, flag, formatOf, quoteValue, type NamedValues } from './parameter-values.js'
import { rangeOf, type LastSeenIndex, type StreamRange } from './range-parameters.js'
import { refusalOf } from '../wire/reads/filter.js'
import { EventFilter } from '../../projections/stream/event-filter.js'
import { STREAM_FORMATS } from '../../projections/stream/formats/event-format.js'
import { isEventType } from '../../projections/stream/event-types.js'
import { TopicFilter, topicChoiceOf, type TopicChoice } from '../../projections/stream/topic-filter.js'
import { isTopic } from '../../projections/stream/topics.js'
import { ALIASES, ALL_TOPICS } from '../../projections/stream/topic-filter.js'

const invalidStream = invalidWith('stream.invalid')

const ANY_TOPIC = 'any'

const refuse = (reason: string): Error => invalidStream(`Invalid topic query: ${reason}`)

const choice = (text: string): TopicChoice => {
  const { topic, key } = topicChoiceOf(text)
  if (topic === '') throw refuse(`the topic is empty in ${quoteValue(text)}; write Topic or Topic:key`)
  if (topic !== ANY_TOPIC && !isTopic(topic) && !ALIASES.has(topic))
    throw refuse(`unknown topic ${quoteValue(topic)}`)
  if (key === '') throw refuse(`the key is empty in ${quoteValue(text)}; for all keys write ${topic}`)
  return { topic, key }
}

const ALL_EVENTS: readonly TopicChoice[] = [{ topic: ALL_TOPICS, key: undefined }]

/**
 * Parses topics, of which the union is selected: `Topic`, `Topic:key`, or `Topic:folder/` for a key prefix; none for everything. `any`
 * selects all readable events without the permission for all of them, and excludes other topics.
 * @throws Refusal `invalid`
 */
const topicChoices = (
  topics: readonly string[]
): { readonly choices: readonly TopicChoice[]; readonly sees: Subscription['sees'] } => {
  const choices = topics.map(choice)
  const [first] = choices
  if (!first) return { choices: ALL_EVENTS, sees: 'whole' }
  const isAny = first.topic === ANY_TOPIC
  if (choices.some(({ topic }) => (topic === ANY_TOPIC) !== isAny))
    throw refuse('"any" cannot be combined with other topics; narrow it by type or filter')
  return isAny
    ? { choices: choices.map(({ key }) => ({ topic: ALL_TOPICS, key })), sees: 'any' }
    : { choices, sees: 'whole' }
}

const type = (text: string): string => {
  if (!isEventType(text)) throw invalidStream(`Invalid type query: unknown type ${quoteValue(text)}`)
  return text
}

const expressionOf = (text: string | undefined): EventFilter | undefined => {
  if (text === undefined) return undefined
  try {
    return new EventFilter(text)
  } catch (error) {
    throw refusalOf(error)
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

export interface ParameterSource {
  readonly values: NamedValues
  readonly seen?: LastSeenIndex
  readonly tenancy?: { readonly namespace?: string | undefined; readonly partition?: string | undefined }
}

export interface StreamRequest {
  readonly subscription: Subscription
  readonly range: StreamRange
  /** True to reject a start that is no longer retained instead of using the oldest index. */
  readonly strict: boolean
  readonly progress: boolean
  readonly snapshot: boolean
}

/** Reads the last seen index from `X-Service-Resume-Index`, then `Last-Event-ID`. */
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

/** Returns a name with two spellings of its parameter; `*` means all. @throws Refusal `invalid` */
const nameOf = (
  values: NamedValues,
  what: keyof Tenancy,
  twin: string,
  otherwise = DEFAULT_TENANCY[what]
): string => {
  const requested = [what, twin].flatMap(by => {
    const name = firstValueOf(values, by)?.toLowerCase()
    return name === undefined ? [] : [{ by, name }]
  })
  const [first, other] = requested
  if (first && other && first.name !== other.name)
    throw invalidStream(
      `Invalid ${what}: ${first.by} ${quoteValue(first.name)} and ${other.by} ${quoteValue(other.name)} are one parameter, and differ`
    )
  const name = first?.name ?? otherwise.toLowerCase()
  if (name !== ALL_TENANCIES && !isTenancyName(name))
    throw invalidStream(
      `Invalid ${what} ${quoteValue(name)}: it must be a DNS label of 1 to 63 letters, digits and hyphens, or * for all`
    )
  return name
}

/** Validates `wait`, which has no effect. @throws Refusal `invalid` */
export const checkWait = (values: NamedValues): void => {
  const wait = firstValueOf(values, 'wait')
  if (wait !== undefined && parseMilliseconds(wait) === undefined)
    throw invalidStream(
      `Invalid wait time: invalid duration ${quoteValue(wait)}: it must be one such as 30s or 1h30m`
    )
}

/** Parses the selection of a stream. @param formats that events may have. @throws Refusal `invalid` that names the parameter and the rule */
export const subscriptionOf = (
  { values, tenancy = {} }: ParameterSource,
  framing: Framing,
  formats: readonly string[] = STREAM_FORMATS
): Subscription => ({
  ...selectedEvents(values),
  tenancy: {
    partition: nameOf(values, 'partition', 'ap', tenancy.partition),
    namespace: nameOf(values, 'namespace', 'ns', tenancy.namespace)
  },
  framing,
  meta: flag(values, 'meta'),
  format: formatOf(values, formats)
})

/** @throws Refusal `invalid` that names the parameter and the rule */
export const parseStreamRequest = (source: ParameterSource, framing: Framing): StreamRequest => {
  const { values, seen } = source
  const range = rangeOf(values, seen)
  const subscription = subscriptionOf(source, framing)
  checkWait(values)
  const snapshot = flag(values, 'snapshot')
  if (snapshot && subscription.format)
    throw invalidStream('Invalid format: it cannot be given with snapshot, whose events have no origin')
  return {
    subscription,
    range,
    strict: flag(values, 'strict'),
    progress: flag(values, 'progress'),
    // A reconnecting browser repeats the original URL, but resumes after the last index that it received.
    snapshot: snapshot && !seen
  }
}
