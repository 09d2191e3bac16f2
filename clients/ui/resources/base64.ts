// Bytes and texts in Base64.

/** @throws InvalidCharacterError when the text is no Base64 */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))

export const base64Of = (bytes: Uint8Array): string => {
  let letters = ''
  for (const byte of bytes) letters += String.fromCharCode(byte)
  return btoa(letters)
}

/** Strictly as RFC 4648 §4 has it: undefined when the text is not what Base64 makes of any bytes. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    const bytes = bytesOf(text)
    return base64Of(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

/** The text whose UTF-8 this is in Base64; undefined where it is no text. */
export const textInBase64 = (base64: string): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(base64))
  } catch {
    return undefined
  }
}
