// The identity of a log, and its data keys.
import { randomBytes } from 'node:crypto'
import { type Disk, readFile, replaceFile } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import { newDataKey, SecretsVault, unwrapKey, wrapKey } from '../secrets.js'
import { LOG_FORMAT, type LogIdentity } from './format.js'
import { decodeChecked, encodeChecked } from './durable-marks.js'

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
