// Ordered prefetch of asynchronous results.

/**
 * Yields the result of `load` for each item, in order. The number of concurrent loads doubles up to `most`, so that a reader
 * of one result causes one load. Errors of unread results are ignored.
 * @param limit number of results that will be read: so many are loaded at once, and none beyond
 */
export async function* prefetch<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  load: (item: T) => Promise<R>,
  limit = Infinity
): AsyncGenerator<R> {
  const pending: Promise<R>[] = []
  let count = limit === Infinity ? 1 : Math.min(most, Math.max(limit, 1))
  let taken = 0
  for await (const item of items) {
    const loading = load(item)
    loading.catch(() => {})
    pending.push(loading)
    while (pending.length >= count) {
      const first = pending.shift()
      if (first) yield await first
      count = Math.max(1, Math.min(2 * count, most, limit - ++taken))
    }
  }
  for (const result of pending) yield await result
}
