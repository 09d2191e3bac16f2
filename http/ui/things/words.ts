// What an event changed, in words.
import type { StreamedEvent } from '../../../client/stream-line.js'
import { identityOf, isEnd } from './fold.js'
import { fieldsOf, type Fields } from './kind.js'

/** Fields that follow from the others, or change with each write. */
const FOLLOWING = new Set(['CreateIndex', 'ModifyIndex', 'Hash', 'RaftIndex'])

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const changedFields = (before: Fields, now: Fields): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    name => !FOLLOWING.has(name) && !isSame(before[name], now[name])
  )

/** Puts events into words, of which it remembers as many things as it is told to. */
export class Narrator {
  readonly #most: number
  /** What was told last of each thing, the longest ago first. */
  readonly #last = new Map<string, Fields>()

  /** @param most things; of those beyond it the words are less exact */
  constructor(most: number) {
    this.#most = most
  }

  /** What an event changed of its thing. Events are given in their order, each once. */
  tell(event: StreamedEvent): string {
    const identity = `${event.Topic} ${identityOf(event)}`
    const now = fieldsOf(event.Payload)
    const before = this.#last.get(identity)
    this.#last.delete(identity)
    if (isEnd(event)) return 'removed'
    this.#last.set(identity, now)
    const [oldest] = this.#last.keys()
    if (this.#last.size > this.#most && oldest !== undefined) this.#last.delete(oldest)
    const { CreateIndex } = now
    if (CreateIndex === event.Index) return 'made'
    if (!before) return 'changed'
    const fields = changedFields(before, now)
    return fields.length === 0 ? 'written again, the same' : `changed ${fields.join(', ')}`
  }
}
