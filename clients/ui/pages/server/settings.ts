// Settings as a list: each with the path that leads to it, as the documentation names it.

interface Setting {
  readonly name: string
  readonly text: string
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Groups come after what stands beside them, each in the order of its names. */
export const settingsIn = (group: object, path = ''): readonly Setting[] => {
  const entries = Object.entries(group).toSorted(([one], [other]) => one.localeCompare(other))
  const single = entries.filter(([, value]) => !isGroup(value))
  const groups = entries.flatMap(([name, value]) => (isGroup(value) ? [[name, value] as const] : []))
  return [
    ...single.map(([name, value]) => ({ name: path + name, text: textOf(value) })),
    ...groups.flatMap(([name, value]) => settingsIn(value, `${path}${name}.`))
  ]
}
