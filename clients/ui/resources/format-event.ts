// What an event changed, in words.
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { identityOf, isDeletion } from './fold.js'
import { textInBase64 } from './base64.js'
import { fieldsOf, type Fields } from './kind.js'

/** Fields that follow from the others, or change with each write. */
const FOLLOWING = new Set(['CreateIndex', 'ModifyIndex', 'Hash', 'RaftIndex'])

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const changedFields = (before: Fields, now: Fields): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    name => !FOLLOWING.has(name) && !isSame(before[name], now[name])
  )

/** Texts of more letters do not fit into a line. */
const MOST_LETTERS = 40

/** A value as a part of a line; undefined where it does not fit into one. What a key holds is Base64. */
const inLine = (name: string, value: unknown): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = name === 'Value' ? textInBase64(String(value)) : String(value)
  if (text === undefined || text.length > MOST_LETTERS || text.includes('\n')) return undefined
  return text === '' ? '""' : text
}

const changeOf = (name: string, before: Fields, now: Fields): string => {
  const [was, is] = [inLine(name, before[name]), inLine(name, now[name])]
  return was === undefined || is === undefined ? name : `${name} from ${was} to ${is}`
}

/** What people call a thing whose key is another. */
const calling = ({ Key }: StreamedEvent, { Name, ServiceName, Description }: Fields): string => {
  const name = inLine('Name', Name || ServiceName || Description)
  return name === undefined || name === Key || name === '""' ? '' : ` ${name}`
}

/** Puts events into words, of which it remembers as many things as it is told to. */
export class EventFormatter {
  /** What was told last of each thing, the longest ago first. */
  readonly #last = new Map<string, Fields>()

  /** @param most things; of those beyond it the words are less exact */
  constructor(private readonly most: number) {}

  /** What an event changed of its thing. Events are given in their order, each once. */
  tell(event: StreamedEvent): string {
    const identity = `${event.Topic} ${identityOf(event)}`
    const now = fieldsOf(event.Payload)
    const before = this.#last.get(identity)
    this.#last.delete(identity)
    if (isDeletion(event)) return `removed${calling(event, before ?? now)}`
    this.#last.set(identity, now)
    const [oldest] = this.#last.keys()
    if (this.#last.size > this.most && oldest !== undefined) this.#last.delete(oldest)
    const { CreateIndex } = now
    if (CreateIndex === event.Index) return `made${calling(event, now)}`
    if (!before) return `changed${calling(event, now)}`
    const changes = changedFields(before, now).map(name => changeOf(name, before, now))
    return changes.length === 0 ? 'written again, the same' : `changed ${changes.join(', ')}`
  }
}
