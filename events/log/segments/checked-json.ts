// Small files of JSON with a checksum of their own.
import { crc32 } from 'node:zlib'

/** One line of JSON: the fields, and `Check`, the CRC-32 of the JSON of the fields. */
export const encodeChecked = (fields: object): Buffer =>
  Buffer.from(`${JSON.stringify({ ...fields, Check: crc32(JSON.stringify(fields)) })}\n`)

/** The fields of such a file; undefined when its checksum does not hold or it is something else. */
export function decodeChecked(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    if (typeof value !== 'object' || value === null) return undefined
    const { Check, ...fields }: Record<string, unknown> = { ...value }
    return Check === crc32(JSON.stringify(fields)) ? fields : undefined
  } catch {
    return undefined
  }
}
