// The LMDB environment of a log: its sub-databases, their keys, and the format they are in.
import type { Database, RootDatabase } from 'lmdb'
import { open } from 'lmdb'
import { LogUnusable } from './log.js'
import type { SecretsVault } from './secrets.js'

/** Raised when an older version could not read what this one writes. Format 1 had no journal. */
export const LOG_FORMAT = 2

/** File mode of all files of a log: they hold secrets. (lmdb-js knows the option, its types do not.) */
export const OWNER_ONLY = { permissionsMode: 0o600 }

/** Eight bytes, big-endian, so that LMDB's order of keys is the order of numbers. */
const numberKeys = {
  writeKey(key: number, target: Buffer, start: number): number {
    target.writeUInt32BE(Math.floor(key / 0x1_0000_0000), start)
    return target.writeUInt32BE(key >>> 0, start + 4)
  },
  readKey(source: Buffer, start: number): number {
    return source.readUInt32BE(start) * 0x1_0000_0000 + source.readUInt32BE(start + 4)
  }
}

/**
 * Values as they are. lmdb-js hands its one reading buffer to `decode`; copying from it into Node's buffer pool is cheaper than the
 * allocation per value that its own `binary` encoding makes.
 */
const values = {
  encode: (value: Buffer): Buffer => value,
  decode(shared: Buffer): Buffer {
    const size = shared.length
    const own = Buffer.allocUnsafe(size)
    // Not `shared.copy`: its `length` is not the length of its memory, which Node 20 copies whole.
    own.set(new Uint8Array(shared.buffer, shared.byteOffset, size))
    return own
  }
}

/**
 * A record and the secrets of its commit lie side by side in one tree: an append touches one leaf, and a replay reads both in one
 * pass. Even keys are records, odd ones secrets.
 */
export const recordKey = (index: number): number => 2 * index
export const secretsKey = (index: number): number => 2 * index + 1
/** The commit that a key belongs to. */
export const indexOf = (key: number): number => Math.floor(key / 2)

/** An open environment. Everything put in one `root.batch` is one transaction. */
export interface LmdbFiles {
  readonly root: RootDatabase<Buffer, string>
  /** Records and their secrets, by `recordKey` and `secretsKey`. */
  readonly commits: Database<Buffer, number>
  /** Finished history tables by segment number. */
  readonly history: Database<Buffer, number>
}

/**
 * Opens the environment in a folder.
 *
 * `overlappingSync` is off: with it a transaction is visible before it is on disk, and one whose flush fails stays visible. Without
 * it lmdb-js settles the promise of a put after `mdb_txn_commit` has returned, which flushes the pages (fdatasync) and then
 * writes the meta page through an O_DSYNC descriptor: fulfilled means on disk, and a reader sees nothing earlier. A commit that fails
 * before the meta page leaves nothing; one that fails there has the old meta page written back.
 * `eventTurnBatching` is off: with it a failed commit rejects a promise of lmdb-js's own that nobody can listen to, which ends the
 * process.
 * `noMemInit` stays off, so that no stray bytes of this process (secrets) get into the file. The map has no limit: it doubles.
 */
export function openFiles(path: string, readOnly: boolean, vault: SecretsVault): LmdbFiles {
  const root = open<Buffer, string>({
    ...OWNER_ONLY,
    path,
    readOnly,
    noSubdir: false,
    maxDbs: 8,
    maxReaders: 512,
    overlappingSync: false,
    eventTurnBatching: false,
    mapSize: 256 * 1024 * 1024,
    encoding: 'binary'
  })
  const openParts = (): LmdbFiles => {
    checkMeta(openPart<string>(root, 'meta'), readOnly, vault)
    return {
      root,
      commits: openPart(root, 'commits', { keyEncoder: numberKeys }),
      history: openPart(root, 'history', { keyEncoder: numberKeys })
    }
  }
  try {
    // What a new log needs is made in one transaction, so that it waits for the disk once.
    return readOnly ? openParts() : root.transactionSync(openParts)
  } catch (error) {
    void root.close()
    throw error
  }
}

function openPart<K extends string | number>(
  root: RootDatabase<Buffer, string>,
  name: string,
  options: { readonly keyEncoder?: object } = {}
): Database<Buffer, K> {
  const coding = { encoder: values, ...options }
  const part: Database<Buffer, K> | undefined = root.openDB<Buffer, K>({ name, ...coding })
  if (part === undefined) throw new LogUnusable('there is no log in this folder')
  return part
}

/** Refuses a newer format and a wrong key; otherwise writes down the format and, with a key, the marker that tells it. */
function checkMeta(meta: Database<Buffer, string>, readOnly: boolean, vault: SecretsVault): void {
  const format = meta.get('format')
  if (format !== undefined && Number(format.toString()) > LOG_FORMAT)
    throw new LogUnusable(
      `the log is in format ${format.toString()}, written by a newer version; this version reads up to ${LOG_FORMAT}`
    )
  if (format === undefined && readOnly) throw new LogUnusable('there is no log in this folder')
  const marker = meta.get('secrets')
  if (marker) vault.check(marker)
  if (readOnly) return
  if (format === undefined || Number(format.toString()) < LOG_FORMAT)
    meta.putSync('format', Buffer.from(String(LOG_FORMAT)))
  const sealed = marker ? undefined : vault.marker()
  if (sealed) meta.putSync('secrets', sealed)
}

/** Writes and flushes a few bytes, which shows whether the disk takes any. @throws what LMDB reports */
export function probe(root: RootDatabase<Buffer, string>): void {
  const meta: Database<Buffer, string> = openPart(root, 'meta')
  meta.transactionSync(() => {
    meta.putSync('probe', Buffer.alloc(512, String((meta.get('probe')?.[0] ?? 0) % 2)))
  })
}
