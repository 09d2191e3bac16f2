// The log in memory: for unit tests and servers that keep nothing. Same rules as on disk, durable after a microtask.
import { NO_HASH } from '../codec.js'
import type { PrunableSegment } from './log.js'
import type { CommitErasure } from '../erasure.js'
import { partsToErase } from './erasure/erasable-parts.js'
import type { StoredTree, ProvableLog } from './provable-log.js'
import { GROUP_HEADER_RESERVE, ERASED_BYTE } from './record-format.js'
import type { RecordGroup } from './record-group.js'
import { HistoryEntries } from './history.js'
import { StoredRecord } from './record.js'
import { SecretsVault } from './secrets.js'
import { newIdentity } from './segments/checked-files.js'
import { WriteFailure, type Head, type LogLinks, type RecordStore } from './store.js'
import { StoredLog } from './stored-log.js'
import { EntryBundles } from './tree/entry-bundles.js'
import { LogTree } from './tree/log-tree.js'
import { newSigningKey } from './tree/signing-key.js'
import { MerkleTree } from './tree/tree.js'

interface MemoryLogOptions extends Pick<LogLinks, 'order'> {
  /** The flush of the group that holds the commit with this index fails, once. */
  readonly failAt?: number
  /** Called before a group becomes durable, with its highest index: to delay the flush, or to make it fail by rejecting. */
  readonly beforeFlush?: (upTo: number) => Promise<void>
}

const PAGE = 256

class MemoryStore implements RecordStore {
  readonly #records: StoredRecord[] = []
  readonly #entries = new HistoryEntries()
  #failAt: number | undefined
  head: Head = { index: 0, hash: NO_HASH }
  start: Head = { index: 0, hash: NO_HASH }

  constructor(private readonly options: MemoryLogOptions) {
    this.#failAt = options.failAt
  }

  async write(group: RecordGroup): Promise<void> {
    await this.options.beforeFlush?.(group.last).catch((cause: unknown) => {
      throw cause instanceof WriteFailure ? cause : new WriteFailure(String(cause), 'unchanged', { cause })
    })
    if (this.#failAt !== undefined && this.#failAt >= group.first && this.#failAt <= group.last) {
      this.#failAt = undefined
      throw new WriteFailure('no space left (made by the test)', 'unchanged')
    }
    const bytes = Buffer.from(group.bytes())
    for (let at = GROUP_HEADER_RESERVE; at < bytes.length;) {
      const record = StoredRecord.at(bytes, at)
      if (!record) throw new Error(`there is no record at byte ${at} of the group`)
      this.#records.push(record)
      at += record.bytes.length
    }
    this.#entries.addAll(group.entries)
    this.head = { index: group.last, hash: group.hash, version: group.version }
  }

  async page(from: number, to: number): Promise<readonly StoredRecord[]> {
    const at = from - this.start.index - 1
    return this.#records.slice(at, Math.min(to - this.start.index, at + PAGE))
  }

  async *candidates(hash: number, from: number): AsyncGenerator<number> {
    for (const index of this.#entries.find(hash)) if (index > this.start.index && index >= from) yield index
  }

  async *candidatesBack(hash: number, from: number): AsyncGenerator<number> {
    for (const index of this.#entries.findBack(hash, from)) if (index > this.start.index) yield index
  }

  async erase(parts: readonly CommitErasure[]): Promise<number> {
    let erased = 0
    for (const erasing of parts) {
      const record = this.#records[erasing.index - this.start.index - 1]
      if (!record) continue
      for (const { start, end } of await partsToErase(record, erasing)) {
        record.bytes.fill(ERASED_BYTE, start, end)
        erased++
      }
    }
    return erased
  }

  async prunableSegments(): Promise<readonly PrunableSegment[]> {
    return this.#records.slice(0, -1).map(({ index, bytes }) => ({ last: index, bytes: bytes.length }))
  }

  async prune(upTo: number): Promise<void> {
    const last = this.#records.findLast(({ index }) => index <= upTo)
    if (!last) return
    this.#records.splice(0, last.index - this.start.index)
    this.start = { index: last.index, hash: last.hash }
  }

  async reopen(): Promise<'all'> {
    return 'all'
  }

  async close(): Promise<void> {}
}

export class MemoryEventLog extends StoredLog implements ProvableLog {
  readonly identity = newIdentity()

  constructor(options: MemoryLogOptions = {}) {
    super(new MemoryStore(options), new SecretsVault(), options)
  }

  async openTree(): Promise<StoredTree> {
    const tree = new LogTree(this, new MerkleTree())
    return { tree, checkpoints: undefined, bundles: new EntryBundles(this, tree) }
  }

  async signingKey(): Promise<Buffer> {
    return newSigningKey()
  }
}
