// The parameters of an event stream (spec: stream.md §1, §2, §14).
import { invalid } from '../../actors/refusal.js'
import { parseMilliseconds } from '../../events/duration.js'
import { ALL } from '../../projections/stream/needs.js'
import { TopicFilter, type TopicChoice } from '../../projections/stream/topic-filter.js'
import { ALIASES, ALL_TOPICS, isTopic } from '../../projections/stream/topics.js'

const INTEGER = /^[+-]?\d+$/
const LARGEST = 2n ** 63n - 1n
/** Blank-free texts of this length at most are repeated in an error. */
const LONGEST_SHOWN = 200

const shown = (text: string): string => JSON.stringify(text.slice(0, LONGEST_SHOWN))

const integer = (text: string, name: string, unparsable: string): number => {
  if (!INTEGER.test(text)) throw invalid(`${unparsable}: ${shown(text)} is not an integer`)
  const value = BigInt(text)
  if (value > LARGEST) throw invalid(`${unparsable}: ${shown(text)} is out of range`)
  if (value < 0n) throw invalid(`Invalid ${name}: ${shown(text)} is negative`)
  return Number(value)
}

/** Where the parameters of a stream are: in the query of a request, or in a message over a WebSocket. */
export interface NamedValues {
  has(name: string): boolean
  /** The first value; undefined when the parameter is absent. */
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/**
 * Where a client wants to begin: the first index, inclusive, or undefined for the newest commits.
 * @param seen the last index seen, which wins over `index`
 * @throws Refusal `invalid`
 */
export const requestedStart = (values: NamedValues, seen: string | undefined): number | undefined => {
  const index = integer(values.get('index') || '0', 'index', 'Unable to parse index')
  if (seen) return integer(seen, 'resume index', 'Unable to parse resume index') + 1
  return index === 0 ? undefined : index
}

const refuse = (reason: string): Error => invalid(`Invalid topic query: ${reason}`)

const choice = (text: string): TopicChoice => {
  const at = text.indexOf(':')
  const topic = at < 0 ? text : text.slice(0, at)
  const key = at < 0 ? ALL : text.slice(at + 1)
  if (topic === '') throw refuse(`the topic is empty in ${shown(text)}; write Topic or Topic:key`)
  if (!isTopic(topic) && !ALIASES.has(topic)) throw refuse(`unknown topic ${shown(topic)}`)
  if (key === '') throw refuse(`the key is empty in ${shown(text)}; for all keys write ${topic}`)
  return { topic, key: key === ALL ? undefined : key }
}

/** The union of all `topic` parameters; everything when there is none. @throws Refusal `invalid` */
export const topicFilter = (values: NamedValues): TopicFilter =>
  new TopicFilter(
    values.has('topic') ? values.all('topic').map(choice) : [{ topic: ALL_TOPICS, key: undefined }]
  )

/** A parameter that is true with `true` or without a value. @throws Refusal `invalid` */
export const flag = (values: NamedValues, name: string): boolean => {
  const value = values.get(name)
  if (value === undefined || value === 'false') return false
  if (value === 'true' || value === '') return true
  throw invalid(`Invalid ${name}: ${shown(value)} is neither true nor false`)
}

/** `wait` has no effect, but must be a duration. @throws Refusal `invalid` */
export const checkWait = (values: NamedValues): void => {
  const wait = values.get('wait')
  if (wait && parseMilliseconds(wait) === undefined)
    throw invalid(`Invalid wait time: invalid duration ${shown(wait)}: it must be one such as 30s or 1h30m`)
}

/** What the log holds, and how much of it a stream without an index begins with. */
export interface Retained {
  readonly oldest: number
  readonly newest: number
  /** Newest commits that a stream without an index begins with; 0 for all. */
  readonly backlog: number
}

/** The first index that a stream sends, and whether what was asked for begins before the oldest retained index. */
export interface Start {
  readonly start: number
  readonly isCut: boolean
}

export const startOf = (requested: number | undefined, { oldest, newest, backlog }: Retained): Start => {
  if (requested === undefined)
    return { start: backlog === 0 ? oldest : Math.max(oldest, newest - backlog + 1), isCut: false }
  return requested < oldest ? { start: oldest, isCut: true } : { start: requested, isCut: false }
}
