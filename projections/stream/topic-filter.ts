import { ERASURE_TOPIC, isErasureEvent } from '../../events/erasure.js'
import { CURSOR_TOPIC, isCursorMoved } from '../../events/cursor.js'
import type { Event } from '../../events/envelope.js'

export const ALL_TOPICS = '*'

/** Further names of topics, with their topic and type (decisions.md 25). */
export const ALIASES: ReadonlyMap<string, { readonly topic: string; readonly type?: string }> = new Map([
  ['ACLRoles', { topic: 'ACLRole' }],
  ['NodeDrain', { topic: 'Node', type: 'NodeDrain' }]
])

/** One `topic` parameter. Without a key it means all keys of the topic; a key that ends in `/` includes those below it. */
export interface TopicChoice {
  /** A topic, an alias of one, or `*`. */
  readonly topic: string
  readonly key: string | undefined
}

const ALL_KEYS = '*'

/** Splits `Topic` or `Topic:key`, where the key `*` means all keys. */
export const topicChoiceOf = (text: string): TopicChoice => {
  const at = text.indexOf(':')
  if (at < 0) return { topic: text, key: undefined }
  const key = text.slice(at + 1)
  return { topic: text.slice(0, at), key: key === ALL_KEYS ? undefined : key }
}

interface RealChoice extends TopicChoice {
  readonly type?: string
}

/** Undefined: every key. */
export type Keys = ReadonlySet<string> | undefined

/** Looks for a key that is a folder of another key; costs a look-up for each slash. */
const holdsFolderOf = (keys: ReadonlySet<string>, key: string): boolean => {
  for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1))
    if (keys.has(key.slice(0, at + 1))) return true
  return false
}

const holds = (keys: Keys, { Key, FilterKeys }: Event): boolean =>
  keys === undefined ||
  keys.has(Key) ||
  (FilterKeys !== null && FilterKeys.some(key => keys.has(key))) ||
  holdsFolderOf(keys, Key)

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

const isWhole = (groups: ReadonlyMap<string, Keys>, group: string): boolean =>
  groups.has(group) && groups.get(group) === undefined

/** Created once for a subscription (spec: stream.md §6, §14 rows 9 and 10); an event costs a look-up for each of its keys. */
export class TopicFilter {
  /** Equal for equivalent filters, whatever the order of the choices. */
  readonly id: string
  readonly #types: ReadonlySet<string>
  readonly #real: readonly RealChoice[]
  readonly #everything: boolean
  readonly #ofAll: Keys
  readonly #ofTopic: ReadonlyMap<string, Keys>
  readonly #ofType: ReadonlyMap<string, Keys>

  /** @param choices an empty list selects everything */
  constructor(
    readonly choices: readonly TopicChoice[],
    /** Restricts the types of events; an empty list means all. */
    readonly types: readonly string[] = []
  ) {
    this.#types = new Set(types)
    const real: readonly RealChoice[] = (
      choices.length > 0 ? choices : [{ topic: ALL_TOPICS, key: undefined }]
    ).map(({ topic, key }) => ({ ...(ALIASES.get(topic) ?? { topic }), key }))
    this.#real = real
    const all = grouped(real.filter(({ topic }) => topic === ALL_TOPICS))
    this.#everything = all.has(ALL_TOPICS) && all.get(ALL_TOPICS) === undefined
    this.#ofAll = all.get(ALL_TOPICS) ?? new Set()
    this.#ofTopic = grouped(real.filter(({ type }) => type === undefined))
    this.#ofType = grouped(
      real.flatMap(({ topic, type, key }) => (type === undefined ? [] : [{ topic: `${topic}/${type}`, key }]))
    )
    this.id = JSON.stringify([
      this.#everything && !this.#ofTopic.has(CURSOR_TOPIC)
        ? []
        : [...new Set(real.map(each => JSON.stringify(each)))].toSorted(),
      [...this.#types].toSorted()
    ])
  }

  /** The resources whose events match, by topic and key; undefined for all. Types restrict them further. */
  get resources(): readonly { readonly topic: string | undefined; readonly key: string | undefined }[] {
    return this.#real.map(({ topic, key }) => ({ topic: topic === ALL_TOPICS ? undefined : topic, key }))
  }

  matches(event: Event): boolean {
    if (this.#types.size > 0 && !this.#types.has(event.Type)) return false
    // These events need an explicit topic: a reader of everything would otherwise acknowledge its own acknowledgements.
    if (!isCursorMoved(event) && !isErasureEvent(event) && (this.#everything || holds(this.#ofAll, event)))
      return true
    if (this.#ofTopic.has(event.Topic) && holds(this.#ofTopic.get(event.Topic), event)) return true
    if (this.#ofType.size === 0) return false
    const type = `${event.Topic}/${event.Type}`
    return this.#ofType.has(type) && holds(this.#ofType.get(type), event)
  }

  /** True if all events of a topic and type match. */
  matchesAll({ Topic, Type }: Pick<Event, 'Topic' | 'Type'>): boolean {
    if (this.#types.size > 0 && !this.#types.has(Type)) return false
    const isNamedAlone = Topic === CURSOR_TOPIC || Topic === ERASURE_TOPIC
    return (
      (this.#everything && !isNamedAlone) ||
      isWhole(this.#ofTopic, Topic) ||
      isWhole(this.#ofType, `${Topic}/${Type}`)
    )
  }

  /** The keys of a topic: undefined for all of them, an empty set for none. */
  keysOf(topic: string): Keys {
    if (this.#everything) return undefined
    const choices = this.#real.filter(choice => choice.topic === topic || choice.topic === ALL_TOPICS)
    const keys = new Set<string>()
    for (const { key } of choices) {
      if (key === undefined) return undefined
      keys.add(key)
    }
    return keys
  }
}
