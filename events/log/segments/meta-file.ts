// The identity of a log, its data keys, and checks of the small files beside the segments.
import { randomBytes } from 'node:crypto'
import { type Disk, readFile, replaceFile } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import { newDataKey, SecretsVault, unwrapKey, wrapKey } from '../secrets.js'
import { LOG_FORMAT, type LogIdentity } from './format.js'
import {
  decodeChecked,
  encodeChecked,
  HEAD_FILE,
  readHead,
  isPublishedDamaged,
  DURABLE_INDEX_FILE,
  readDurableIndex
} from './durable-marks.js'
import { readSigningKey } from '../tree/signing-key.js'

const META_FILE = 'meta.json'
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

// Checks the small files beside the segments. A start writes some of them again, so that only this tells how they were.

/** The log that the files must agree with. */
interface ReadLog {
  readonly identity: { readonly id: string }
  readonly firstIndex: number
  readonly durableIndex: number
  hashAt(index: number): Promise<string>
}

/** Returns the faults of `meta.json`, `head`, `durable` and `signing-key`, one sentence per file. A missing file is no fault. */
export async function fileFaults(disk: Disk, vault: SecretsVault, log: ReadLog): Promise<readonly string[]> {
  const faults = [
    await metaFault(disk),
    await headFault(disk, log),
    await durableFault(disk, log),
    await signingKeyFault(disk, vault)
  ]
  return faults.flatMap(fault => fault ?? [])
}

const MADE_AGAIN = 'the next start writes it again'

async function metaFault(disk: Disk): Promise<string | undefined> {
  return (await readMeta(disk, [])) === 'damaged'
    ? `${disk.path}/${META_FILE} is damaged: ${MADE_AGAIN} from the segments`
    : undefined
}

async function headFault(disk: Disk, log: ReadLog): Promise<string | undefined> {
  const head = await readHead(disk)
  const path = `${disk.path}/${HEAD_FILE}`
  if (head === undefined) return undefined
  if (head === 'damaged') return `${path} is damaged and proves nothing: ${MADE_AGAIN}`
  if (head.id !== log.identity.id)
    return `${path} belongs to log ${head.id} and proves nothing: ${MADE_AGAIN}`
  const { index } = head
  if (index < log.firstIndex - 1 || index > log.durableIndex || index === 0) return undefined
  return (await log.hashAt(index)) === head.hash.toString('hex')
    ? undefined
    : `${path} names another commit ${index} than the log has: one of the two was changed`
}

async function durableFault(disk: Disk, { identity }: ReadLog): Promise<string | undefined> {
  const path = `${disk.path}/${DURABLE_INDEX_FILE}`
  if (await isPublishedDamaged(disk))
    return `${path} is damaged, as a power failure can leave it, and proves nothing: ${MADE_AGAIN}`
  const published = await readDurableIndex(disk)
  return published && published.id !== identity.id
    ? `${path} belongs to log ${published.id} and proves nothing: ${MADE_AGAIN}`
    : undefined
}

async function signingKeyFault(disk: Disk, vault: SecretsVault): Promise<string | undefined> {
  try {
    await readSigningKey(disk, vault)
    return undefined
  } catch (error) {
    if (error instanceof LogUnusable) return error.message
    throw error
  }
}
