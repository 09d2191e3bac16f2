// Waits for several things at a time, and gives them in their order.

/**
 * What `make` makes of each item, in the order of the items. More and more are being made ahead of the one that is taken: whoever takes
 * one alone has one made. When no more are taken, what became of the others is nobody's business.
 * @param most how many are being made at a time in the end
 */
export async function* ahead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  make: (item: T) => Promise<R>
): AsyncGenerator<R> {
  const made: Promise<R>[] = []
  let count = 1
  for await (const item of items) {
    const making = make(item)
    // Told when it is waited for.
    making.catch(() => {})
    made.push(making)
    const first = made.length >= count ? made.shift() : undefined
    if (!first) continue
    yield await first
    count = Math.min(2 * count, most)
  }
  for (const each of made) yield await each
}
