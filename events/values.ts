/** Replaces a secret that the reader may not see. */
export const HIDDEN = '<hidden>'

/** Detects a JSON object: neither an array nor null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value says nothing: '', 0, false, no items, no keys, or it is not there. */
export const isEmptyValue = (value: unknown): boolean => {
  if (typeof value !== 'object') return value === undefined || value === '' || value === 0 || value === false
  if (value === null) return true
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
}

/** Returns the value of a JSON text; undefined if it is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the object of a JSON text; undefined for any other text. */
export const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/** The texts that Go reads as true and as false. */
export const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
export const FALSE_TEXTS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])
