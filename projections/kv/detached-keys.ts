// Deletions of all keys below a prefix, which a tree applies at once.
import type { Event } from '../../events/envelope.js'
import { isKvEvent, type KvDelete } from '../../events/kv.js'

const isFoldedDeletion = (event: Event | undefined): event is KvDelete =>
  event !== undefined && isKvEvent(event) && event.Type === 'KVDelete' && !event.Erased

/** Returns true for deletions of entries of one tenancy that are both folded. */
export const isSameRun = (a: Event | undefined, b: Event | undefined): b is KvDelete =>
  isFoldedDeletion(a) && isFoldedDeletion(b) && a.Namespace === b.Namespace && a.Partition === b.Partition

/** Returns the keys of the consecutive deletions that begin with an event. */
export const deletedKeys = (events: readonly Event[], from: number): string[] => {
  const first = events[from]
  const keys: string[] = []
  for (let at = from; ; at++) {
    const event = events[at]
    if (event === undefined || !isSameRun(first, event)) return keys
    keys.push(event.Key)
  }
}

interface DetachedSpace {
  release(key: string): void
}

/** Keys whose values a change frees, besides its own. */
const RELEASED_KEYS = 16

/** Keys of detached subtrees, whose values are freed by later changes. */
export class DetachedKeys {
  readonly #subtrees: { readonly space: DetachedSpace; readonly keys: readonly string[]; next: number }[] = []

  add(space: DetachedSpace, keys: readonly string[]): void {
    this.#subtrees.push({ space, keys, next: 0 })
  }

  release(): void {
    for (let count = 0; count < RELEASED_KEYS; count++) {
      const [oldest] = this.#subtrees
      const key = oldest?.keys[oldest.next++]
      if (!oldest) return
      if (key === undefined) this.#subtrees.shift()
      else oldest.space.release(key)
    }
  }

  clear(): void {
    this.#subtrees.length = 0
  }
}
