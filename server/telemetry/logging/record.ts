// A line of the log as it is made, before it takes the form in which it is written.

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of a line of JSON; undefined for a line that is none. */
export const recordIn = (line: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
