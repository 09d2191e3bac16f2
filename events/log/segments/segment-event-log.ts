// The log on disk. One process writes it; others may read and follow it.
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf } from '../../errors.js'
import { flushPath } from '../../files.js'
import type { Disk } from '../disk-port.js'
import { eraseInTruncatedCopies } from '../erasure/truncated-copies.js'
import { LogUnusable, type TruncatedCopyErasure } from '../log.js'
import { NodeDisk } from '../node-disk.js'
import type { ProvableLog, StoredTree } from '../provable-log.js'
import type { Report } from '../report.js'
import { SecretsVault } from '../secrets.js'
import { BASE_SNAPSHOT_FOLDER } from '../snapshots/base-names.js'
import { BaseSnapshots } from '../snapshots/base-snapshots.js'
import type { SnapshotBuilder } from '../snapshots/format.js'
import { Snapshots } from '../snapshots/snapshots.js'
import type { Head, LogLinks } from '../store.js'
import { StoredLog } from '../stored-log.js'
import type { IsDamaged } from '../tree/checkpoint-files.js'
import { BUNDLES, EntryBundles } from '../tree/entry-bundles.js'
import { openStoredTree, TREE } from '../tree/open-stored-tree.js'
import { openSigningKey } from '../tree/signing-key.js'
import { type Copied, copyLog, retryWhilePruning } from './copy-log.js'
import { fileFaults } from './file-faults.js'
import { openVault } from './checked-files.js'
import type { LogIdentity } from './format.js'
import { forkLog } from './incarnation.js'
import { FedStore, ReadOnlyStore } from './read-only-store.js'
import { SegmentStore } from './segment-store.js'

const asideOf = (folder: string): string => `${folder}.replaced`

/** Replaces the log in `folder` by the complete, durable log in `coming`. @throws errors of the file system */
const swapLogFolders = async (folder: string, coming: string): Promise<void> => {
  const aside = asideOf(folder)
  await rm(aside, { recursive: true, force: true })
  await rename(folder, aside)
  await rename(coming, folder)
  await flushPath(dirname(folder))
  await rm(aside, { recursive: true, force: true })
}

/** Ends an exchange that a crash cut: from the moment on that the old folder went, the new one counts. One that had not begun is dropped. */
export const finishLogSwap = async (folder: string, coming: string): Promise<void> => {
  const aside = asideOf(folder)
  if (existsSync(folder)) await rm(coming, { recursive: true, force: true })
  else if (existsSync(aside) && existsSync(coming)) {
    await rename(coming, folder)
    await flushPath(dirname(folder))
  }
  await rm(aside, { recursive: true, force: true })
}

export interface SegmentLogOptions extends LogLinks {
  /** Folder of the log; made when it is missing, unless `readOnly`. */
  readonly path: string
  /** 32 bytes: wraps the keys that encrypt the secrets at rest. Once given, it must always be given. */
  readonly key?: Buffer | undefined
  /** False: secrets are not read, and no key is needed; commits come without them. For `readOnly`; default: true. */
  readonly withSecrets?: boolean
  /**
   * Beside a writer in another process, or without any: nothing can be appended and nothing is changed; what a writer appends is seen
   * some ms after its flush. The process does not end by itself before such a log is closed.
   */
  readonly readOnly?: boolean
  /** For `readOnly`: what a writer appends is taken from its feed, by `fed` and `ingest`, and not from the files. */
  readonly isFed?: boolean
  /** Groups begin on multiples of so many bytes, which the device writes whole or not at all. */
  readonly sectorBytes?: number
  /** Size of a segment, 1 MiB at least. */
  readonly segmentBytes?: number
  readonly allowNetworkFileSystem?: boolean
  /** How long the disk may take for a write, in ms, before it counts as failed. */
  readonly patience?: number
  /** Every sealed segment is read again, to find damage, once in so many ms; 0 (the default) for never. */
  readonly scrubInterval?: number
  /** Whether sealed segments are kept in compressed blocks. */
  readonly compress?: boolean
  /** Of a log that begins now. Default: one of its own. */
  readonly begunAs?: LogIdentity
  /** The commit after which a log begins, whose state a base snapshot in the folder has. Default: none. */
  readonly begunAfter?: Head
  readonly report?: Report
  /** Called when the folder was taken from under the log: nothing more may be acknowledged. Default: throws. */
  readonly fatal?: (error: LogUnusable) => void
  /** In place of the disk of this machine, for tests. */
  readonly disk?: Disk
}

const DEFAULTS = {
  sectorBytes: 512,
  segmentBytes: 32 * 1024 * 1024,
  patience: 10_000,
  scrubInterval: 0,
  compress: false,
  report: (): void => {},
  fatal: (error: LogUnusable): void => {
    throw error
  }
}

export class SegmentEventLog extends StoredLog implements ProvableLog {
  private constructor(
    private files: OpenFiles,
    private readonly disk: Disk,
    private readonly options: SegmentLogOptions
  ) {
    super(files.store, files.vault, options)
  }

  get identity(): LogIdentity {
    return this.files.store.identity
  }

  get path(): string {
    return this.disk.path
  }

  /** Whether it is read beside the one that writes it, or without any. */
  get isReadOnly(): boolean {
    return this.files.store instanceof ReadOnlyStore
  }

  /** The store, if the log is opened with `isFed`. */
  get fed(): FedStore | undefined {
    return this.files.store instanceof FedStore ? this.files.store : undefined
  }

  get newestSegment(): string {
    return this.files.store.newestSegment
  }

  /**
   * Copies what is durable now to another folder, also while more is appended: a log of its own, with the same identity.
   * Restarts if commits are pruned meanwhile.
   * @returns its newest commit, and what was copied
   * @throws LogUnusable, and what the file system reports
   */
  copyTo(folder: string): Promise<Head & Copied> {
    return retryWhilePruning(this.disk, async () => {
      const index = this.durableIndex
      const head = { index, hash: Buffer.from(await this.hashAt(index), 'hex') }
      const copied = await copyLog(this.path, folder, { head, identity: this.identity })
      return { ...head, ...copied }
    })
  }

  /**
   * Continues with a copy in another folder under a new incarnation. The copy must be longer and in the same file system. Appends
   * are not allowed meanwhile.
   * @param time RFC 3339, of its first commit
   * @throws LogUnusable if the copy is invalid; this log then remains in use
   */
  async exchange(coming: string, time: string): Promise<void> {
    const head = await readFrom(coming, log => ({
      index: log.durableIndex,
      hash: Buffer.from(log.headHash, 'hex')
    }))
    await forkLog(coming, head, head.index, time)
    await this.#replaceBy(coming)
  }

  /**
   * Continues with a peer's copy of the same log in another folder, which must be longer and in the same file system. Appends and
   * ingestion are not allowed meanwhile.
   * @throws LogUnusable if it is another log or not longer; this log then remains in use
   */
  async takeOver(coming: string): Promise<void> {
    const { durableIndex: index, headHash: hash, identity } = this
    await readFrom(coming, async log => {
      if (log.identity.id !== identity.id || log.identity.incarnation !== identity.incarnation)
        throw new LogUnusable(`what was copied is another log than that in ${this.path}`)
      if (log.durableIndex <= index)
        throw new LogUnusable(`what was copied ends at commit ${log.durableIndex}, and this log at ${index}`)
      if (index >= log.firstIndex - 1 && (await log.hashAt(index)) !== hash)
        throw new LogUnusable(`commit ${index} of what was copied is another one than in ${this.path}`)
    })
    await this.#replaceBy(coming)
  }

  #replaceBy(coming: string): Promise<void> {
    return this.handOver(async () => {
      await swapLogFolders(this.path, coming)
      this.files = await openFiles(this.disk, this.options)
      return this.files
    })
  }

  /** The base snapshots, which cover pruned commits. */
  bases(maker: SnapshotBuilder): BaseSnapshots {
    return new BaseSnapshots(this.disk.folder(BASE_SNAPSHOT_FOLDER), this, maker)
  }

  eraseInTruncatedCopies(erasureOf: (first: number) => TruncatedCopyErasure): Promise<readonly string[]> {
    return eraseInTruncatedCopies(this.disk, erasureOf)
  }

  async openTree(report: Report = DEFAULTS.report, isDamaged: IsDamaged = () => false): Promise<StoredTree> {
    const { identity, isReadOnly } = this
    const options = { identity, isWriter: !isReadOnly, report, isDamaged }
    const { tree, checkpoints } = await openStoredTree(this, this.disk.folder(TREE), options)
    const folder = this.disk.folder(BUNDLES)
    return { tree, checkpoints, bundles: tree && new EntryBundles(this, tree, folder, !isReadOnly) }
  }

  signingKey(): Promise<Buffer> {
    return openSigningKey(this.disk, this.files.vault)
  }

  /** Returns what is wrong with the small files beside the segments, one sentence for each. */
  fileFaults(): Promise<readonly string[]> {
    return fileFaults(this.disk, this.files.vault, {
      identity: this.identity,
      firstIndex: this.firstIndex,
      durableIndex: this.durableIndex,
      hashAt: index => this.hashAt(index)
    })
  }

  snapshots(maker: SnapshotBuilder): Snapshots {
    return new Snapshots(this.disk.folder('snapshots'), this, maker)
  }

  /** @throws LogUnusable when another process writes it, its format is newer, its key another; LogDamage */
  static async open(options: SegmentLogOptions): Promise<SegmentEventLog> {
    const { path, readOnly = false, allowNetworkFileSystem = false, disk = new NodeDisk(path) } = options
    try {
      if (!readOnly) await disk.make()
      const network = readOnly || allowNetworkFileSystem ? undefined : await disk.network()
      if (network !== undefined)
        throw new LogUnusable(
          `${path} is on a network file system (${network}), where a flush or a lock may not hold; log.allow_network_filesystem allows it`
        )
      return new SegmentEventLog(await openFiles(disk, options), disk, options)
    } catch (error) {
      if (error instanceof LogUnusable) throw error
      throw new LogUnusable(`the log in ${path} cannot be opened: ${messageOf(error)}`, { cause: error })
    }
  }
}

/** Looks at the log in a folder. @throws LogUnusable */
async function readFrom<T>(folder: string, look: (log: SegmentEventLog) => T | Promise<T>): Promise<T> {
  const log = await SegmentEventLog.open({ path: folder, readOnly: true, withSecrets: false })
  try {
    return await look(log)
  } finally {
    await log.close()
  }
}

/** What the files of a folder are read and written by. */
interface OpenFiles {
  readonly store: SegmentStore | ReadOnlyStore
  readonly vault: SecretsVault
}

async function openFiles(disk: Disk, options: SegmentLogOptions): Promise<OpenFiles> {
  const { key, readOnly = false, isFed = false, withSecrets = true, report = DEFAULTS.report } = options
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const store = readOnly
    ? await (isFed ? ReadOnlyStore.openFed(disk, report) : ReadOnlyStore.open(disk, report))
    : await SegmentStore.open(disk, { ...DEFAULTS, ...given })
  try {
    const vault = withSecrets
      ? await openVault(disk, key, { readOnly })
      : new SecretsVault(undefined, { opens: false })
    return { store, vault }
  } catch (error) {
    await store.close()
    throw error
  }
}
