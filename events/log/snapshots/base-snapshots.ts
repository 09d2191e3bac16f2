// The base snapshot of a log with pruned commits, stored in two copies. Unlike state snapshots it is not disposable.
// A commit tells its digest, so that no other file can stand in for it.
import { namesIn, readAll, readFile, replaceFile, unlinkAll, type Disk } from '../disk-port.js'
import { CommitsPruned, LogUnusable } from '../log.js'
import { baseSnapshotIndexes, COPIES, type Copy, nameOf, namesOf, RECEIVED } from './base-names.js'
import {
  DIGEST_BYTES,
  DamagedSnapshot,
  type Block,
  type BlockSeal,
  type SnapshotBuilder,
  type SnapshotSource
} from './format.js'
import { SnapshotReader } from './read.js'
import { writePieces, writeSnapshotFile } from './write.js'
import { hasCode } from '../../errors.js'

/** Behind the name of a file that has not come whole yet. */
const COMING = '.coming'
const PIECE_BYTES = 1024 * 1024

/** A copy of a base that is whole. */
interface SoundCopy {
  readonly copy: Copy
  /** What it ends with: the SHA-256 of all before it, hex. */
  readonly digest: string
  /** Of the commit up to which it holds the state, hex. */
  readonly hash: string
}

/** Which copies of a base are whole. */
export async function intactCopies(disk: Disk, index: number): Promise<readonly SoundCopy[]> {
  const sound: SoundCopy[] = []
  for (const copy of COPIES) {
    const found = await contentOf(disk, nameOf(index, copy), index)
    if (found) sound.push({ copy, ...found })
  }
  return sound
}

export class BaseSnapshots {
  /** @param disk the folder of the bases, which need not exist */
  constructor(
    private readonly disk: Disk,
    private readonly log: SnapshotSource,
    private readonly builder: SnapshotBuilder
  ) {}

  /** Indexes of those that are there, the newest first. */
  indexes(): Promise<readonly number[]> {
    return baseSnapshotIndexes(this.disk)
  }

  /** Where the first copy of a base is, for messages. */
  pathOf(index: number, copy: Copy = 1): string {
    return `${this.disk.path}/${nameOf(index, copy)}`
  }

  /** Writes a base, two copies; durable when it resolves. @returns its digest */
  async write(index: number, blocks: Iterable<Block>): Promise<string> {
    const [first, second] = COPIES
    const { log, builder } = this
    await writeSnapshotFile(this.disk, nameOf(index, first), { index, blocks, log, builder })
    const bytes = (await readFile(this.disk, nameOf(index, first))) ?? Buffer.alloc(0)
    await replaceFile(this.disk, nameOf(index, second), bytes)
    return bytes.subarray(-DIGEST_BYTES).toString('hex')
  }

  /**
   * Takes the base that another server has made of the same log, piece by piece; durable when it resolves. What is there of it stays until
   * all has come and is proved.
   * @param digest what it must have
   * @throws DamagedSnapshot when it is not that; what `pieces` throws
   */
  take(index: number, digest: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    return takeBase(this.disk, { index, digest, bytes })
  }

  /** True if the base snapshots are of a received one, which commits do not name. */
  async isReceived(): Promise<boolean> {
    return (await namesIn(this.disk)).includes(RECEIVED)
  }

  /** Returns the bytes of an intact copy, in pieces; undefined if there is none. */
  async soundPieces(index: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    const [sound] = await intactCopies(this.disk, index)
    return sound && piecesOf(this.disk, nameOf(index, sound.copy))
  }

  /**
   * Opens the first intact copy.
   * @throws LogUnusable if none is intact, of this log and of a form that this version reads; CommitsPruned if another base has replaced it
   */
  async open(index: number): Promise<SnapshotReader> {
    try {
      return await this.#openIntact(index)
    } catch (error) {
      const left = await this.indexes()
      if (left.includes(index) && !hasCode(error, 'ENOENT')) throw error
      throw new CommitsPruned(index + 1, (left[0] ?? index) + 1)
    }
  }

  async #openIntact(index: number): Promise<SnapshotReader> {
    const [intact] = await intactCopies(this.disk, index)
    if (!intact) throw this.#damaged(index)
    const file = await this.disk.open(nameOf(index, intact.copy), 'read')
    const reader = await SnapshotReader.begin(file, this.log)
    const { Form, Hash } = reader.header
    try {
      if (Form > this.builder.form)
        throw new LogUnusable(`${this.pathOf(index)} is of form ${Form}, written by a newer version`)
      if ((await this.log.hashAt(index)) !== Hash)
        throw new LogUnusable(`${this.pathOf(index)} is of another log: commit ${index} has another hash`)
      return reader
    } catch (error) {
      await reader.close()
      throw error
    }
  }

  /** Replaces a damaged copy by the sound one. @returns its digest and the damaged or missing paths. @throws LogUnusable if neither is sound */
  async check(
    index: number,
    { repair }: { readonly repair: boolean }
  ): Promise<{ readonly digest: string; readonly repaired: readonly string[] }> {
    const sound = await intactCopies(this.disk, index)
    const [first] = sound
    if (!first) throw this.#damaged(index)
    const missing = COPIES.filter(
      copy => !sound.some(one => one.copy === copy && one.digest === first.digest)
    )
    if (repair && missing.length > 0) {
      const bytes = await readFile(this.disk, nameOf(index, first.copy))
      if (bytes) for (const copy of missing) await replaceFile(this.disk, nameOf(index, copy), bytes)
    }
    return { digest: first.digest, repaired: missing.map(copy => this.pathOf(index, copy)) }
  }

  /** Whether a copy of it is whole, and of this log as it is now. */
  async isSound(index: number): Promise<boolean> {
    const [sound] = await intactCopies(this.disk, index)
    return sound !== undefined && sound.hash === (await this.log.hashAt(index))
  }

  /** Removes all base snapshots but one, including those that no commit refers to; none as long as that one is not here. */
  async keepOnly(index: number): Promise<void> {
    const all = await this.indexes()
    if (!all.includes(index)) return
    // Its name is durable before the others go.
    await this.disk.flushNames()
    await unlinkAll(this.disk, all.filter(other => other !== index).flatMap(namesOf))
    await this.disk.flushNames().catch(() => {})
  }

  #damaged(index: number): LogUnusable {
    return new LogUnusable(
      `the base of the log, ${this.pathOf(index)} and ${this.pathOf(index, 2)}, is damaged or missing, and the commits that it stands for are gone: put one of the two files back from a backup`
    )
  }
}

interface IncomingBase {
  readonly index: number
  readonly bytes: AsyncIterable<Uint8Array>
  /** Undefined if no commit names it. */
  readonly digest?: string
}

/** See `BaseSnapshots.take`. */
async function takeBase(disk: Disk, { index, digest, bytes }: IncomingBase): Promise<void> {
  await disk.make()
  const [first, second] = COPIES
  const coming = `${nameOf(index, first)}${COMING}`
  try {
    await writePieces(disk, coming, bytes)
    const content = await contentOf(disk, coming, index)
    if (!content || (digest !== undefined && content.digest !== digest))
      throw new DamagedSnapshot('what another server gave is not the base that the log tells of')
  } catch (error) {
    await unlinkAll(disk, [coming])
    throw error
  }
  await disk.rename(coming, nameOf(index, first))
  const again = `${nameOf(index, second)}${COMING}`
  await writePieces(disk, again, piecesOf(disk, nameOf(index, first)))
  await disk.rename(again, nameOf(index, second))
  await disk.flushNames()
}

/**
 * Stores the base of a source, with which a log begins, and which no commit names; durable when it resolves.
 * @throws DamagedSnapshot if it is not intact, or of another commit
 */
export async function receiveBase(disk: Disk, base: Omit<IncomingBase, 'digest'>): Promise<void> {
  await disk.make()
  await replaceFile(disk, RECEIVED, Buffer.alloc(0))
  await takeBase(disk, base)
}

async function* piecesOf(disk: Disk, name: string): AsyncGenerator<Uint8Array> {
  const file = await disk.open(name, 'read')
  try {
    for (let at = 0; ;) {
      const piece = Buffer.alloc(PIECE_BYTES)
      const length = await readAll(file, piece, at)
      if (length === 0) return
      yield piece.subarray(0, length)
      at += length
    }
  } finally {
    await file.close()
  }
}

/** Its content need not be read to know whether it is whole. */
const AS_IT_IS: BlockSeal = { sealBlock: bytes => bytes, openBlock: bytes => bytes }

/** What a whole file is; undefined when it is none. */
async function contentOf(
  disk: Disk,
  name: string,
  index: number
): Promise<Omit<SoundCopy, 'copy'> | undefined> {
  try {
    const reader = await SnapshotReader.begin(await disk.open(name, 'read'), AS_IT_IS)
    try {
      const digest = await reader.check()
      const { Index, Hash } = reader.header
      return Index === index ? { digest, hash: Hash } : undefined
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (error instanceof DamagedSnapshot || hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
