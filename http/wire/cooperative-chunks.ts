// Long work of an answer in short slices, between which others have their turns.
import { setImmediate } from 'node:timers/promises'

/** The length of a slice, in ms. */
export const CHUNK_MS = 2

/** Does something with each of the items. What changes while it is done counts or not, as it is reached. */
export const inCooperativeChunks = async <T>(items: Iterable<T>, each: (item: T) => void): Promise<void> => {
  let until = performance.now() + CHUNK_MS
  for (const item of items) {
    each(item)
    if (performance.now() < until) continue
    await setImmediate()
    until = performance.now() + CHUNK_MS
  }
}
