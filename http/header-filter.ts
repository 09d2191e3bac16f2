// Which headers a request can have at all. Most of those that the server looks for are not there, which this tells at less
// cost than the object of the headers.

const LAST_BIT = 31
const LOWER_CASE = 0x20

/** The bit of a name in any letter case. By this mix what clients send shares few bits with what the server looks for. */
const bitOf = (name: string): number =>
  1 << ((name.length - 2 * (name.charCodeAt(name.length - 1) | LOWER_CASE)) & LAST_BIT)

/** A set of the names of headers, which may contain more than was put in. @param raw names and values in turn */
export const filterOf = (raw: readonly string[]): number => {
  let filter = 0
  for (let i = 0; i < raw.length; i += 2) filter |= bitOf(raw[i] ?? '')
  return filter
}

/** False when the name is certainly not in the set. */
export const canHave = (filter: number, name: string): boolean => (filter & bitOf(name)) !== 0
