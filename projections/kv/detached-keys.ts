// Deletions of all keys below a prefix, which a tree applies at once.
import type { Event } from '../../events/envelope.js'
import { isKvEvent, type KvDelete } from '../../events/kv.js'
import { commonPrefix } from '../radix-nodes.js'

const isFoldedDeletion = (event: Event | undefined): event is KvDelete =>
  event !== undefined && isKvEvent(event) && event.Type === 'KVDelete' && !event.Erased

/** Returns true for deletions of entries of one tenancy that are both folded. */
export const isSameRun = (a: Event | undefined, b: Event | undefined): b is KvDelete =>
  isFoldedDeletion(a) && isFoldedDeletion(b) && a.Namespace === b.Namespace && a.Partition === b.Partition

/** Consecutive deletions of a commit that were prepared: those of all entries of a tenancy below a prefix. */
export interface PreparedKeys {
  /** Position of the first event. */
  readonly from: number
  /** In byte order, in groups that are not empty. */
  readonly keys: readonly string[][]
}

/** Deletions that are applied together. */
export interface DetachedTree {
  readonly count: number
  /** The longest text with which all keys begin. */
  readonly prefix: string
}

interface DeletedKeys extends DetachedTree {
  readonly groups: readonly string[][]
}

/** Returns the keys of the consecutive deletions that begin with an event. */
export const deletedKeys = (events: readonly Event[], from: number): DeletedKeys => {
  const first = events[from]
  const keys: string[] = []
  for (let at = from; ; at++) {
    const event = events[at]
    if (event === undefined || !isSameRun(first, event)) break
    keys.push(event.Key)
  }
  return { count: keys.length, prefix: commonPrefix(keys), groups: [keys] }
}

/** Returns the prepared keys after the first one. */
export const continuedKeys = ({ keys: [first = [], ...others] }: PreparedKeys): DeletedKeys => {
  const groups = [first.slice(1), ...others].filter(keys => keys.length > 0)
  const count = groups.reduce((sum, keys) => sum + keys.length, 0)
  // In byte order the first and the last key have the least in common.
  const ends = [groups[0]?.[0], groups.at(-1)?.at(-1)].filter(key => key !== undefined)
  return { count, prefix: commonPrefix(ends), groups }
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
