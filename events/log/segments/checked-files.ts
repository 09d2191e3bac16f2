// The small files beside the segments, with checksums: the identity of the log, its data keys, and the head.
import { crc32 } from 'node:zlib'
import { parseObject } from '../../values.js'
import { type Disk, readFile, replaceFile } from '../disk-port.js'
import type { Head } from '../store.js'
import { LOG_FORMAT, type LogIdentity } from './format.js'
import { randomBytes } from 'node:crypto'
import { LogUnusable } from '../log.js'
import { newDataKey, SecretsVault, unwrapKey, wrapKey } from '../secrets.js'

// The head file: the newest commit as of a second ago, which proves that the log had it.

/** One line of JSON: the fields, and `Check`, the CRC-32 of the JSON of the fields. */
export const encodeChecked = (fields: object): Buffer =>
  Buffer.from(`${JSON.stringify({ ...fields, Check: crc32(JSON.stringify(fields)) })}\n`)

/** The fields of such a file; undefined when its checksum does not hold or it is something else. */
export function decodeChecked(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  const { Check, ...fields } = parseObject(bytes.toString()) ?? {}
  return Check === crc32(JSON.stringify(fields)) ? fields : undefined
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

// The identity of a log, and its data keys.

export const META_FILE = 'meta.json'
/** What a log of 0.1 kept in its folder. */
const OLD_FILES: readonly string[] = ['data.mdb', 'journal']

export const newIdentity = (): LogIdentity => ({ id: randomBytes(16).toString('hex'), incarnation: 1 })

/** @param format of its newest segment */
export const writeMeta = (disk: Disk, { id, incarnation }: LogIdentity, format = LOG_FORMAT): Promise<void> =>
  replaceFile(disk, META_FILE, encodeChecked({ Format: format, Log: id, Incarnation: incarnation }))

/** Reads meta.json: undefined if missing, `damaged` if altered. @throws LogUnusable for another format or a log of the old form */
export async function readMeta(
  disk: Disk,
  names: readonly string[]
): Promise<LogIdentity | 'damaged' | undefined> {
  if (OLD_FILES.some(name => names.includes(name)))
    throw new LogUnusable(
      `the log in ${disk.path} was written by version 0.1: start that version on it, save GET /v1/snapshot, and PUT the file to /v1/snapshot of this version with a new data folder`
    )
  const bytes = await readFile(disk, META_FILE)
  if (!bytes) return undefined
  const { Format, Log, Incarnation } = decodeChecked(bytes) ?? {}
  if (typeof Format !== 'number' || typeof Log !== 'string' || typeof Incarnation !== 'number')
    return 'damaged'
  if (Format > LOG_FORMAT)
    throw new LogUnusable(
      `the log in ${disk.path} is in format ${Format}, written by a newer version; this version reads up to ${LOG_FORMAT}`
    )
  return { id: Log, incarnation: Incarnation }
}

export const KEYS_FILE = 'keys'

/** Opens the vault. Creates a missing data key if a key is configured. @throws LogUnusable for a missing or wrong key or a damaged file */
export async function openVault(
  disk: Disk,
  key: Buffer | undefined,
  { readOnly }: { readonly readOnly: boolean }
): Promise<SecretsVault> {
  const bytes = await readFile(disk, KEYS_FILE)
  if (bytes) return new SecretsVault(unwrapAll(disk, bytes, key))
  if (key === undefined) return new SecretsVault()
  const { number, dataKey } = newDataKey()
  const wrapped = wrapKey(key, number, dataKey)
  if (readOnly) return new SecretsVault()
  await writeKeys(disk, new Map([[number, wrapped]]))
  return new SecretsVault(new Map([[number, dataKey]]))
}

const writeKeys = (disk: Disk, wrapped: ReadonlyMap<number, Buffer>): Promise<void> =>
  replaceFile(
    disk,
    KEYS_FILE,
    encodeChecked({
      Keys: [...wrapped].map(([Number, Wrapped]) => ({ Number, Wrapped: Wrapped.toString('base64') }))
    })
  )

function unwrapAll(disk: Disk, bytes: Buffer, key: Buffer | undefined): ReadonlyMap<number, Buffer> {
  const list = decodeChecked(bytes)?.['Keys']
  if (!Array.isArray(list))
    throw new LogUnusable(
      `${disk.path}/${KEYS_FILE} is damaged: put the file back from a backup; without it the secrets of the log cannot be read`
    )
  if (key === undefined)
    throw new LogUnusable('the secrets in this log are encrypted; configure the key it was written with')
  const wrapped: readonly { readonly Number: number; readonly Wrapped: string }[] = list
  return new Map(
    wrapped.map(({ Number, Wrapped }) => [Number, unwrapKey(key, Buffer.from(Wrapped, 'base64'))])
  )
}
