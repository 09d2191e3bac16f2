import { LRUCache } from 'lru-cache'
import type { Commit } from '../../events/envelope.js'
import { Message } from './message.js'

/**
 * A window of consecutive indexes up to the newest durable one, shared by all streams that are up to date. Older commits are read from the log. A
 * commit costs O(1), and lines are created on demand. At least one message is retained.
 */
export class RecentMessages {
  readonly #messages: LRUCache<number, Message>
  /** Applied, but not known to be durable. */
  #pending: Message[] = []

  /** @param durable index of the newest durable commit, which is not in the window */
  constructor(
    private durable: number,
    { commits, size }: { readonly commits: number; readonly size: number }
  ) {
    const sizeCalculation = (message: Message): number => Math.max(1, Math.min(message.size, size))
    this.#messages = new LRUCache({ max: commits, maxSize: size, sizeCalculation })
  }

  get newest(): number {
    return this.durable
  }

  get(index: number): Message | undefined {
    return this.#messages.peek(index)
  }

  expect(commit: Commit): void {
    this.#pending.push(new Message(commit))
  }

  forgetExpected(): void {
    this.#pending = []
  }

  /** Drops all durable commits, because an erasure may have changed them. */
  forget(): void {
    this.#restart(this.durable)
  }

  /** Marks commits up to an index as durable. Commits that were never expected leave a gap, which empties the window. */
  advance(durable: number): void {
    let count = 0
    for (const message of this.#pending) {
      if (message.index > durable) break
      count++
      if (message.index !== this.durable + 1) this.#restart(message.index - 1)
      this.#messages.set(message.index, message)
      this.durable = message.index
    }
    if (count > 0) this.#pending.splice(0, count)
    if (this.durable < durable) this.#restart(durable)
  }

  #restart(newest: number): void {
    // Clearing costs as much as the window may hold, and without streams each flush comes here.
    if (this.#messages.size > 0) this.#messages.clear()
    this.durable = newest
  }
}
