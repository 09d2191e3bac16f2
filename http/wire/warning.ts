// Warnings about ineffective parts of accepted requests.

/** Maximum characters of the header; omitted warnings are counted. */
const LONGEST = 1000
const NOT_PLAIN = /[^ -~]/g

/** Escapes as in JSON what a header cannot contain. */
const plainText = (text: string): string =>
  text.replace(NOT_PLAIN, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the header with the warnings; empty for none. */
export const warningHeaders = (warnings: readonly string[]): readonly string[] => {
  if (warnings.length === 0) return []
  const shown: string[] = []
  let length = 0
  for (const warning of warnings) {
    const text = plainText(warning.slice(0, LONGEST))
    length += text.length
    if (length > LONGEST) break
    shown.push(text)
  }
  const left = warnings.length - shown.length
  if (left > 0) shown.push(`and ${left} more`)
  return ['X-Service-Warning', shown.join('; ')]
}
