// Checks the small files beside the segments. A start writes some of them again, so that only this tells how they were.
import { messageOf, recovery } from '../../errors.js'
import type { Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import type { HashedLog } from '../received-records.js'
import type { SecretsVault } from '../secrets.js'
import { readSigningKey } from '../tree/signing-key.js'
import { HEAD_FILE, readHead, META_FILE, readMeta } from './checked-files.js'
import { DURABLE_INDEX_FILE, isPublishedDamaged, readDurableIndex } from '../durable-index.js'

/** The log that the files must agree with. */
interface ReadLog extends HashedLog {
  readonly identity: { readonly id: string }
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

const signingKeyFault = (disk: Disk, vault: SecretsVault): Promise<string | undefined> =>
  readSigningKey(disk, vault).then(() => undefined, recovery(LogUnusable, messageOf))
