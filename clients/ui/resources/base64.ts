/** @throws InvalidCharacterError when the text is no Base64 */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))

export const base64Of = (bytes: Uint8Array): string => {
  let letters = ''
  for (const byte of bytes) letters += String.fromCharCode(byte)
  return btoa(letters)
}

/** Formats bytes as lines of 16 pairs of hexadecimal digits. */
export const hexOf = (bytes: Uint8Array): string => {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16)
    lines.push(Array.from(bytes.subarray(at, at + 16), byte => byte.toString(16).padStart(2, '0')).join(' '))
  return lines.join('\n')
}

/** Decodes strictly by RFC 4648 §4; undefined when the text is not canonical Base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    const bytes = bytesOf(text)
    return base64Of(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Decodes Base64 of UTF-8 text; undefined when the bytes are not text. */
export const textInBase64 = (base64: string): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(base64))
  } catch {
    return undefined
  }
}
