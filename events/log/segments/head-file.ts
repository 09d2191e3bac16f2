// The head file: the newest commit as of a second ago, which proves that the log had it.
import { crc32 } from 'node:zlib'
import { isObject } from '../../values.js'
import { type Disk, readFile, replaceFile } from '../disk-port.js'
import type { Head } from '../store.js'

/** One line of JSON: the fields, and `Check`, the CRC-32 of the JSON of the fields. */
export const encodeChecked = (fields: object): Buffer =>
  Buffer.from(`${JSON.stringify({ ...fields, Check: crc32(JSON.stringify(fields)) })}\n`)

/** The fields of such a file; undefined when its checksum does not hold or it is something else. */
export function decodeChecked(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    if (!isObject(value)) return undefined
    const { Check, ...fields } = value
    return Check === crc32(JSON.stringify(fields)) ? fields : undefined
  } catch {
    return undefined
  }
}

export const HEAD_FILE = 'head'

/** What the head file tells. */
export interface HeadMark {
  readonly index: number
  readonly hash: Buffer
  readonly id: string
  /** True after an orderly shutdown: no commit may follow this one. */
  readonly clean: boolean
}

/** Puts a new head file in place of the old one; durable when it resolves. */
export const writeHead = (disk: Disk, { index, hash }: Head, id: string, clean: boolean): Promise<void> =>
  replaceFile(
    disk,
    HEAD_FILE,
    encodeChecked({ Index: index, Hash: Buffer.from(hash).toString('hex'), Log: id, Clean: clean })
  )

/** The head file of a folder; undefined when there is none, `damaged` when it is not what was written. */
export async function readHead(disk: Disk): Promise<HeadMark | 'damaged' | undefined> {
  const bytes = await readFile(disk, HEAD_FILE)
  if (!bytes) return undefined
  const { Index, Hash, Log, Clean } = decodeChecked(bytes) ?? {}
  if (typeof Index !== 'number' || typeof Hash !== 'string' || typeof Log !== 'string') return 'damaged'
  return { index: Index, hash: Buffer.from(Hash, 'hex'), id: Log, clean: Clean === true }
}
