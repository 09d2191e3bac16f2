// Values of keys as texts, where answers have them in Base64.

/** A text that people can read; what was given for other bytes, and for what is no text. */
export const textOfValue = (base64: unknown): unknown => {
  if (typeof base64 !== 'string') return base64
  const text = Buffer.from(base64, 'base64').toString()
  return /[\uFFFD\p{Cc}]/u.test(text.replaceAll('\n', '')) ? base64 : text
}
