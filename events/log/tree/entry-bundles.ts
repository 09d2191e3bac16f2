// The leaves of the log in bundles of 256 (c2sp.org/tlog-tiles), each leaf behind its length of 16 bits.
import { orUndefined } from '../../errors.js'
import { type Disk, readFile, replaceFile } from '../disk-port.js'
import { leafHash } from '../evidence/merkle.js'
import { CommitsPruned, LogUnusable } from '../log.js'
import type { LogTree, TreeLog } from './log-tree.js'
import { countAt, HASH_BYTES, TILE_WIDTH } from './tiles.js'

/** Folder in that of the log. */
export const BUNDLES = 'entries'

const LENGTH = 2
const MOST_BYTES = 2 ** 16 - 1
/** Limit of a bundle. */
export const MAX_BUNDLE_BYTES = TILE_WIDTH * (LENGTH + MOST_BYTES)

/** A leaf does not fit an entry. Those of version 1 grow with the parts of the commit. */
export class LeafTooLong extends LogUnusable {
  override readonly name = 'LeafTooLong'
}

/** Some leaves at the beginning of a bundle, which the tree has. */
interface Bundle {
  readonly number: number
  readonly leaves: readonly Buffer[]
}

const bundleName = (number: number): string => String(number).padStart(16, '0')

/** Returns the entries of leaves. @throws LeafTooLong */
const encodeEntries = ({ number, leaves }: Bundle, width: number): Buffer =>
  Buffer.concat(
    leaves.slice(0, width).flatMap((leaf, at) => {
      if (leaf.length > MOST_BYTES)
        throw new LeafTooLong(
          `the leaf of commit ${number * TILE_WIDTH + at + 1} has ${leaf.length} bytes, and an entry has at most ${MOST_BYTES}`
        )
      const length = Buffer.alloc(LENGTH)
      length.writeUInt16BE(leaf.length)
      return [length, leaf]
    })
  )

/** Returns the leaves of entries, as far as they are whole. */
export function decodeEntries(bytes: Buffer): readonly Buffer[] {
  const leaves: Buffer[] = []
  for (let at = 0; at + LENGTH <= bytes.length && leaves.length < TILE_WIDTH;) {
    const start = at + LENGTH
    at = start + bytes.readUInt16BE(at)
    if (at <= bytes.length) leaves.push(bytes.subarray(start, at))
  }
  return leaves
}

export class EntryBundles {
  /** The newest bundle, which is not full. */
  #edge: Bundle | undefined
  #loading: Promise<unknown> = Promise.resolve()

  /** @param disk has full bundles and those of pruned commits, which a writer stores; undefined to read all from the records */
  constructor(
    private readonly log: Pick<TreeLog, 'firstIndex' | 'records'>,
    private readonly tree: LogTree,
    private readonly disk?: Disk,
    private readonly isWriter = true
  ) {}

  /**
   * Returns the first entries of a bundle. Full bundles are stored, so that their records are read once.
   * @param number from 0
   * @param width at most 256; the tree must have the leaves
   * @throws LeafTooLong; CommitsPruned if they were pruned before their leaves were stored; LogUnusable
   */
  async read(number: number, width: number): Promise<Buffer> {
    const isFull = countAt(1, this.tree.size) > number
    const bundle = await this.#load(number, isFull ? TILE_WIDTH : width)
    return encodeEntries(bundle, width)
  }

  /** Stores the leaves of the commits up to an index, which may be pruned then. The tree must have them. */
  async keep(upTo: number): Promise<void> {
    if (!this.disk) return
    for (let number = countAt(1, this.log.firstIndex - 1); number * TILE_WIDTH < upTo; number++) {
      const width = Math.min(upTo - number * TILE_WIDTH, TILE_WIDTH)
      // An earlier version may have pruned the commits of a bundle without it.
      const bundle = await orUndefined(this.#load(number, width), error => error instanceof CommitsPruned)
      if (bundle) await this.#store(bundle)
    }
  }

  /** One after another, so that many requests for one bundle read its records once. */
  #load(number: number, width: number): Promise<Bundle> {
    const loading = this.#loading.then(() => this.#extended(number, width))
    this.#loading = loading.catch(() => {})
    return loading
  }

  async #extended(number: number, width: number): Promise<Bundle> {
    const known = await this.#known(number)
    if (known.length >= width) return { number, leaves: known }
    const first = number * TILE_WIDTH + known.length + 1
    if (first < this.log.firstIndex) throw new CommitsPruned(first, this.log.firstIndex)
    const leaves = [...known]
    for await (const page of this.log.records(first, { to: number * TILE_WIDTH + width }))
      // A copy, since the leaf would retain the whole record.
      for (const { leaf } of page) leaves.push(Buffer.from(leaf))
    const bundle = { number, leaves }
    if (leaves.length !== width || !(await this.#isInTree(bundle)))
      throw new LogUnusable(`the leaves of commits from ${first} on are not those of the tree`)
    if (width < TILE_WIDTH) this.#edge = bundle
    // The disk may be full, and nothing is lost.
    else await this.#store(bundle).catch(() => {})
    return bundle
  }

  /** Leaves in memory or in the files; none if they are damaged, or of a log that was cut since. */
  async #known(number: number): Promise<readonly Buffer[]> {
    const stored = this.disk && (await readFile(this.disk, bundleName(number)))
    const leaves = stored ? decodeEntries(stored) : []
    const edge = this.#edge?.number === number ? this.#edge.leaves : []
    const longest = edge.length > leaves.length ? edge : leaves
    return (await this.#isInTree({ number, leaves: longest })) ? longest : []
  }

  async #isInTree({ number, leaves }: Bundle): Promise<boolean> {
    const first = number * TILE_WIDTH
    const hashes = await orUndefined(
      this.tree.tree.hashes(0, first, first + leaves.length),
      error => error instanceof RangeError
    )
    return (
      hashes !== undefined &&
      leaves.every((leaf, at) =>
        leafHash(leaf).equals(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))
      )
    )
  }

  async #store(bundle: Bundle): Promise<void> {
    if (!this.disk || !this.isWriter) return
    let entries: Buffer
    try {
      entries = encodeEntries(bundle, bundle.leaves.length)
    } catch (error) {
      if (error instanceof LeafTooLong) return
      throw error
    }
    await this.disk.make()
    await replaceFile(this.disk, bundleName(bundle.number), entries)
  }
}
