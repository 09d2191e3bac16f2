// Warnings about what a request holds that is taken and has no effect.

/** Characters of the header; what is left out is counted. */
const LONGEST = 1000
const NOT_PLAIN = /[^ -~]/g

/** Names in a body are its author's: what no header can hold is written as JSON writes it. */
const plainText = (text: string): string =>
  text.replace(NOT_PLAIN, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The header that names what has no effect; none for nothing. */
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
