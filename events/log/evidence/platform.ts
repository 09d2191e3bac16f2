// What checks of evidence ask of the machine that they run on: a server, or the browser of somebody who does not believe it.

export interface Platform<Bytes extends Uint8Array = Uint8Array> {
  readonly sha256: (bytes: Uint8Array) => Bytes
  /** Strictly as RFC 4648 §4 has it; undefined when the text is not what Base64 makes of any bytes. */
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
