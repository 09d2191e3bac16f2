// meta.json: what log a folder holds, and in which format.
import { randomBytes } from 'node:crypto'
import { readFile, replaceFile, type Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import { decodeChecked, encodeChecked } from './checked-json.js'
import { LOG_FORMAT, type LogIdentity } from './format.js'

export const META_FILE = 'meta.json'
/** What a log of 0.1 kept in its folder. */
const OLD_FILES: readonly string[] = ['data.mdb', 'journal']

export const newIdentity = (): LogIdentity => ({ id: randomBytes(16).toString('hex'), incarnation: 1 })

export const writeMeta = (disk: Disk, { id, incarnation }: LogIdentity): Promise<void> =>
  replaceFile(disk, META_FILE, encodeChecked({ Format: LOG_FORMAT, Log: id, Incarnation: incarnation }))

/**
 * What meta.json tells; undefined when there is none, `damaged` when it is not what was written.
 * @throws LogUnusable when it is of another format, or the folder holds a log of the old form
 */
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
