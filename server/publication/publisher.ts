// Publishes a log: its entries, then the tiles, then the checkpoint that covers them (c2sp.org/tlog-tiles).
import type { NoteKey } from '../../events/log/evidence/note-keys.js'
import { leafHash } from '../../events/log/evidence/merkle.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import type { TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import { decodeEntries, MAX_BUNDLE_BYTES } from '../../events/log/tree/entry-bundles.js'
import { countAt, TILE_WIDTH } from '../../events/log/tree/tiles.js'
import type { MerkleTree } from '../../events/log/tree/tree.js'
import { publicPath, requiredFile, type PublicFiles } from './public-files.js'
import type { PayloadPublisher } from './payload-publisher.js'
import type { PublicationTarget } from './published-folder.js'
import {
  CHECKPOINT_FILE,
  MAX_NOTE_BYTES,
  openHead,
  openSourceTree,
  readHead,
  type SourceHead
} from './verified-tree.js'

/** Bundles that are requested at the same time. */
const CONCURRENT = 8

interface PublisherOptions {
  readonly source: PublicFiles
  readonly target: PublicationTarget
  /** Public keys of the log. */
  readonly keys: readonly NoteKey[]
  /** Publishes the parts of commits, too. */
  readonly payloads?: PayloadPublisher | undefined
}

export class Publisher {
  constructor(private readonly options: PublisherOptions) {}

  /**
   * Publishes everything up to the newest checkpoint of the source. An interrupted call can be repeated.
   * @returns the published checkpoint, and whether it is new
   * @throws ProofFailed MalformedNote TreeDamage if the source has another log, or an earlier checkpoint; LogUnusable for a published
   *   file with other bytes; SourceUnavailable; errors of the file system
   */
  async publish(): Promise<{ readonly head: TreeHead; readonly isNew: boolean }> {
    const { source, target, keys, payloads } = this.options
    const before = await this.#published()
    const { head, note } = await readHead(source, keys)
    // Servers of a cluster sign their own checkpoints, and caches may have earlier ones.
    const isEarlier = before !== undefined && head.size < before.head.size
    if (isEarlier) await openSourceTree(target, before.head, head)
    const isNew = !isEarlier && before?.note.equals(note) !== true
    if (isEarlier || (!isNew && !payloads?.isDue)) return { head, isNew }
    const tree = await openSourceTree(source, head, before?.head)
    const from = before?.head.size ?? 0
    if (head.size > from) {
      await this.#putEntries(tree, from)
      await this.#putTiles(tree, from)
    }
    await payloads?.publish(head, tree)
    if (!isNew) return { head, isNew }
    await target.replace(CHECKPOINT_FILE, note)
    await this.#removePartial(from, head.size)
    return { head, isNew }
  }

  /** The checkpoint in the folder. */
  async #published(): Promise<SourceHead | undefined> {
    const { target, keys } = this.options
    const note = await target.read(CHECKPOINT_FILE, MAX_NOTE_BYTES)
    return note && openHead(target, note, keys)
  }

  async #putEntries(tree: MerkleTree, from: number): Promise<void> {
    const end = Math.ceil(tree.size / TILE_WIDTH)
    for (let first = countAt(1, from); first < end; first += CONCURRENT) {
      const numbers = Array.from({ length: Math.min(CONCURRENT, end - first) }, (_, at) => first + at)
      const bundles = await Promise.all(numbers.map(number => this.#bundle(tree, number)))
      for (const { path, bytes } of bundles) await this.options.target.put(path, bytes)
    }
  }

  /** Returns an entry bundle, which is verified. @throws ProofFailed naming the first entry that differs */
  async #bundle(tree: MerkleTree, number: number) {
    const first = number * TILE_WIDTH
    const width = Math.min(tree.size - first, TILE_WIDTH)
    const path = publicPath('entries', number, width)
    const bytes = await requiredFile(this.options.source, path, MAX_BUNDLE_BYTES)
    const leaves = decodeEntries(bytes)
    for (let at = 0; at < width; at++) {
      const leaf = leaves[at]
      if (!leaf || !leafHash(leaf).equals(await tree.leafHash(first + at)))
        throw new ProofFailed(`the entry of commit ${first + at + 1} in ${path} is not that of the tree`)
    }
    const used = leaves.reduce((sum, { length }) => sum + 2 + length, 0)
    if (leaves.length !== width || used !== bytes.length)
      throw new ProofFailed(`${path} has more than ${width} entries`)
    return { path, bytes }
  }

  async #putTiles(tree: MerkleTree, from: number): Promise<void> {
    for (let level = 0; countAt(level, tree.size) > 0; level++) {
      const count = countAt(level, tree.size)
      for (let number = countAt(level + 1, from); number * TILE_WIDTH < count; number++) {
        const first = number * TILE_WIDTH
        const width = Math.min(count - first, TILE_WIDTH)
        const hashes = await tree.hashes(level, first, first + width)
        await this.options.target.put(publicPath(level, number, width), hashes)
      }
    }
  }

  /** Removes the partial tiles and bundles of which the full ones are published now. */
  async #removePartial(from: number, size: number): Promise<void> {
    const { target } = this.options
    for (let level = 0; countAt(level, size) > 0; level++)
      for (let number = countAt(level + 1, from); number < countAt(level + 1, size); number++) {
        await target.remove(`${publicPath(level, number, TILE_WIDTH)}.p`)
        if (level === 0) await target.remove(`${publicPath('entries', number, TILE_WIDTH)}.p`)
      }
  }
}
