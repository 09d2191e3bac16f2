// What tells the elements of a list apart, so that what has changed of a list can be told by its things.

/** Fields that name an element together, the first that it has all of. */
const NAMES: readonly (readonly string[])[] = [
  ['AccessorID'],
  ['Kind', 'Name'],
  ['Key'],
  ['Node', 'CheckID'],
  ['Node', 'ServiceID'],
  ['Node', 'Segment'],
  ['SourceNS', 'SourceName', 'DestinationNS', 'DestinationName'],
  ['ID'],
  ['Node'],
  ['Name'],
  ['Gateway', 'Service']
]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a name that is one itself, or an object that has one under the same name, as in `{"Node":{"Node":"n1"}}`. */
const nameIn = (element: Readonly<Record<string, unknown>>, field: string): string | undefined => {
  const value = element[field]
  if (typeof value === 'string') return value === '' ? undefined : value
  if (!isObject(value)) return undefined
  const own = value[field] ?? value['ID'] ?? value['Name']
  return typeof own === 'string' ? own : undefined
}

const keyOf = (element: unknown): string | undefined => {
  if (typeof element === 'string') return element
  if (!isObject(element)) return undefined
  const own = isObject(element['Service']) && isObject(element['Node']) ? ['Node', 'Service'] : undefined
  for (const names of own ? [own] : NAMES) {
    const found = names.flatMap(name => nameIn(element, name) ?? [])
    if (found.length < names.length) continue
    const namespace = element['Namespace']
    return [...(typeof namespace === 'string' ? [namespace] : []), ...found].join('/')
  }
  return undefined
}

/** A list as an object of its elements by what names them; anything else as it is, and so is a list whose elements have no names of their own. */
export const byName = (answer: unknown): unknown => {
  if (!Array.isArray(answer)) return answer
  const named = answer.map(element => [keyOf(element), element] as const)
  const names = new Set(named.map(([name]) => name))
  return names.size < named.length || names.has(undefined) ? answer : Object.fromEntries(named)
}
