// Numbers of eight bytes, big-endian, of which a double holds 53 bits.

export const writeNumber = (bytes: Buffer, value: number, at: number): void => {
  bytes.writeUInt16BE(0, at)
  bytes.writeUIntBE(value, at + 2, 6)
}

export const readNumber = (bytes: Buffer, at: number): number => bytes.readUIntBE(at + 2, 6)
