// Which events a subscription asks for: the union of its topics and keys (spec: stream.md §6, §14 rows 9 and 10).
import type { Event } from '../../events/envelope.js'
import type { Need } from './needs.js'
import { ALIASES, ALL_TOPICS, gateOf } from './topics.js'

/** One `topic` parameter. Without a key it means all keys of the topic. */
export interface TopicChoice {
  /** A topic, an alias of one, or `*`. */
  readonly topic: string
  readonly key: string | undefined
}

/** Undefined: every key. */
type Keys = ReadonlySet<string> | undefined

const holds = (keys: Keys, { Key, FilterKeys }: Event): boolean =>
  keys === undefined || keys.has(Key) || (FilterKeys !== null && FilterKeys.some(key => keys.has(key)))

/** The keys asked for of each topic, type or all topics. */
const grouped = (choices: readonly TopicChoice[]): ReadonlyMap<string, Keys> => {
  const groups = new Map<string, Set<string> | undefined>()
  for (const { topic, key } of choices) {
    const known = groups.get(topic)
    if (key === undefined) groups.set(topic, undefined)
    else if (known) known.add(key)
    else if (!groups.has(topic)) groups.set(topic, new Set([key]))
  }
  return groups
}

/** Made once for a subscription; an event costs a look-up for each of its keys, however many are asked for. */
export class TopicFilter {
  /** Equal for filters that ask for the same, whatever the order of the choices. */
  readonly id: string
  readonly #choices: readonly TopicChoice[]
  readonly #everything: boolean
  readonly #ofAll: Keys
  readonly #ofTopic: ReadonlyMap<string, Keys>
  readonly #ofType: ReadonlyMap<string, Keys>

  /** @param choices none means everything */
  constructor(choices: readonly TopicChoice[]) {
    const real = (choices.length > 0 ? choices : [{ topic: ALL_TOPICS, key: undefined }]).map(
      ({ topic, key }) => ({ ...(ALIASES.get(topic) ?? { topic }), key })
    )
    this.#choices = real
    const all = grouped(real.filter(({ topic }) => topic === ALL_TOPICS))
    this.#everything = all.has(ALL_TOPICS) && all.get(ALL_TOPICS) === undefined
    this.#ofAll = all.get(ALL_TOPICS) ?? new Set()
    this.#ofTopic = grouped(real.filter(({ type }) => type === undefined))
    this.#ofType = grouped(
      real.flatMap(({ topic, type, key }) => (type === undefined ? [] : [{ topic: `${topic}/${type}`, key }]))
    )
    this.id = JSON.stringify(
      this.#everything ? [] : [...new Set(real.map(each => JSON.stringify(each)))].toSorted()
    )
  }

  matches(event: Event): boolean {
    if (this.#everything || holds(this.#ofAll, event)) return true
    if (this.#ofTopic.has(event.Topic) && holds(this.#ofTopic.get(event.Topic), event)) return true
    if (this.#ofType.size === 0) return false
    const type = `${event.Topic}/${event.Type}`
    return this.#ofType.has(type) && holds(this.#ofType.get(type), event)
  }

  /** Everything that must be allowed for the subscription to stand. */
  needs(): readonly Need[] {
    if (this.#everything) return [gateOf(ALL_TOPICS, undefined)]
    return this.#choices.map(({ topic, key }) => gateOf(topic, key))
  }
}
