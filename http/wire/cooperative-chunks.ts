import { setImmediate } from 'node:timers/promises'

export const CHUNK_MS = 2

/** Calls `each` with every item in chunks, between which other requests are handled. Concurrent changes of the iterable may or may not be included. */
export const inCooperativeChunks = async <T>(items: Iterable<T>, each: (item: T) => void): Promise<void> => {
  let until = performance.now() + CHUNK_MS
  for (const item of items) {
    each(item)
    if (performance.now() < until) continue
    await setImmediate()
    until = performance.now() + CHUNK_MS
  }
}
