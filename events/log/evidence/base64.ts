// Strict Base64 (RFC 4648 §4): one text per value, so that a signature covers only one spelling.

/** Returns undefined for a text that is not canonical. */
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
