import type { StreamedEvent } from '../../typescript/stream-line.js'
import { DERIVED, identityOf, isDeletion, fieldsOf, type Fields } from './kind.js'
import { textInBase64 } from './base64.js'

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const changedFields = (before: Fields, now: Fields): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    name => !DERIVED.has(name) && !isSame(before[name], now[name])
  )

/** The maximum length of a value within a line, in characters. */
const MAX_LENGTH = 40

/** Formats a value for a line; undefined if it does not fit. The value of a key is Base64. */
const inLine = (name: string, value: unknown): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = name === 'Value' ? textInBase64(String(value)) : String(value)
  if (text === undefined || text.length > MAX_LENGTH || text.includes('\n')) return undefined
  return text === '' ? '""' : text
}

const changeOf = (name: string, before: Fields, now: Fields): string => {
  const [was, is] = [inLine(name, before[name]), inLine(name, now[name])]
  return was === undefined || is === undefined ? name : `${name}: ${was} → ${is}`
}

/** Words without values. */
export const UNSPECIFIC = /^(?:created|changed|deleted|unchanged|)$/

/** Describes events, by comparison with the previous states of a bounded number of resources. */
export class EventFormatter {
  /** Latest fields by identity, the least recently changed first. */
  readonly #last = new Map<string, Fields>()

  /** @param most number of remembered resources; others get less precise descriptions */
  constructor(private readonly most: number) {}

  describe(event: StreamedEvent): string {
    const identity = `${event.Topic} ${identityOf(event)}`
    const now = fieldsOf(event.Payload)
    const before = this.#last.get(identity)
    this.#last.delete(identity)
    if (isDeletion(event)) return 'deleted'
    this.#last.set(identity, now)
    const [oldest] = this.#last.keys()
    if (this.#last.size > this.most && oldest !== undefined) this.#last.delete(oldest)
    const { CreateIndex } = now
    if (CreateIndex === event.Index) return 'created'
    if (!before) return 'changed'
    const changes = changedFields(before, now).map(name => changeOf(name, before, now))
    return changes.length === 0 ? 'unchanged' : changes.join(', ')
  }
}
