// The functions that the verification of evidence needs from a server or a browser.

export interface Platform<Bytes extends Uint8Array = Uint8Array> {
  readonly sha256: (bytes: Uint8Array) => Bytes
  /** Strict as in RFC 4648 §4; undefined for a text that is not canonical. */
  readonly fromBase64: (text: string) => Bytes | undefined
}

export const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])
