/** Returns the first index of a sorted list for which `isBefore` is false, or `length`. Takes logarithmic time. */
export const lowerBound = (length: number, isBefore: (index: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
