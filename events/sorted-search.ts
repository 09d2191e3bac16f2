/** Returns the first index of a sorted list for which `isBefore` is false, or its length. Takes logarithmic time. */
export const lowerBound = <Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && isBefore(item)) low = middle + 1
    else high = middle
  }
  return low
}
