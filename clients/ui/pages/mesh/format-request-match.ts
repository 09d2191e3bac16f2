const get = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const PATHS = [
  ['PathExact', ''],
  ['PathPrefix', '*'],
  ['PathRegex', ' (regex)']
] as const

const condition = (of: string, given: unknown): string => {
  const name = String(get(given, 'Name'))
  const test = ['Exact', 'Prefix', 'Suffix', 'Regex'].find(each => get(given, each))
  const not = get(given, 'Invert') === true ? 'not ' : ''
  return test === undefined
    ? `${not}${of} ${name}`
    : `${not}${of} ${name} ${test.toLowerCase()} ${String(get(given, test))}`
}

/** Returns an empty text if all HTTP requests match. */
export const formatRequestMatch = (http: unknown): string => {
  const path = PATHS.flatMap(([name, sign]) => {
    const found = get(http, name)
    return typeof found === 'string' && found !== '' ? [found + sign] : []
  })
  const methods = list(get(http, 'Methods')).map(String)
  return [
    ...(methods.length > 0 ? [methods.join('|')] : []),
    ...path,
    ...list(get(http, 'Header')).map(each => condition('header', each)),
    ...list(get(http, 'QueryParam')).map(each => condition('query', each))
  ].join(', ')
}
