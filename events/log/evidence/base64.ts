// Base64 as RFC 4648 §4 has it, read strictly: one text for one value, so that nothing can be signed in two spellings.

/** @returns undefined when the text is not what Base64 makes of any bytes */
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** The 32 bytes of a SHA-256 hash in Base64; undefined for anything else. */
export const hashFromBase64 = (text: string): Buffer | undefined => {
  const bytes = fromBase64(text)
  return bytes?.length === 32 ? bytes : undefined
}
