// The known name that somebody probably meant.

/** Letters to insert, delete or replace to make `b` of `a`. Time is the product of the lengths. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of Array.from(a).entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/**
 * The name nearest to `given`, or undefined when none is near: few letters differ, one begins with the other, or the
 * last parts of both dotted paths are equal.
 */
export const nearestKey = (given: string, names: Iterable<string>): string | undefined => {
  if (given.length > 100) return undefined
  let best: string | undefined
  let least = Math.max(2, Math.floor(given.length / 3)) + 1
  for (const name of names) {
    const related =
      given.startsWith(`${name}_`) || name.startsWith(`${given}_`) || lastPart(given) === lastPart(name)
    const apart = Math.min(distance(given.toLowerCase(), name.toLowerCase()), related ? 2 : Infinity)
    if (apart < least) [best, least] = [name, apart]
  }
  return best
}
