// Waits for several things at a time, and gives them in their order.

/**
 * What `make` makes of each item, in the order of the items. More and more are being made ahead of the one that is taken: whoever takes
 * one alone has one made. When no more are taken, what became of the others is nobody's business.
 * @param most how many are being made at a time in the end
 * @param wanted how many whoever takes them means to take: as many are made from the beginning, and none ahead behind those
 */
export async function* prefetch<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  make: (item: T) => Promise<R>,
  wanted = Infinity
): AsyncGenerator<R> {
  const made: Promise<R>[] = []
  let count = wanted === Infinity ? 1 : Math.min(most, Math.max(wanted, 1))
  let taken = 0
  for await (const item of items) {
    const making = make(item)
    // Told when it is waited for.
    making.catch(() => {})
    made.push(making)
    while (made.length >= count) {
      const first = made.shift()
      if (first) yield await first
      count = Math.max(1, Math.min(2 * count, most, wanted - ++taken))
    }
  }
  for (const each of made) yield await each
}
