// Publishes the parts of each commit, without secrets, in segments that a signed manifest names. An erasure replaces segments.
import type { CommitErasure, Erasure } from '../../events/erasure.js'
import { vkeyOf, type NoteSigner } from '../../events/log/evidence/note-keys.js'
import { LogUnusable } from '../../events/log/log.js'
import type { TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import type { StoredRecord } from '../../events/log/record.js'
import type { MerkleTree } from '../../events/log/tree/tree.js'
import type { PayloadCipher } from './payload-cipher.js'
import {
  encodePage,
  MANIFEST_FILE,
  openManifest,
  PAGE_SEGMENTS,
  payloadFile,
  payloadPath,
  PAYLOADS,
  readPage,
  readPayloadFile,
  segmentPlace,
  signManifest,
  type PayloadFile,
  type PayloadManifest
} from './payload-manifest.js'
import { partsOfOrders, withoutParts } from './published-erasures.js'
import type { PublicationTarget } from './published-folder.js'
import { recordsIn, verifiedRecords } from './verified-records.js'
import { MAX_NOTE_BYTES } from './verified-tree.js'

/** A segment ends with so many commits or bytes. */
const SEGMENT_COMMITS = 1024
const SEGMENT_BYTES = 4 * 1024 * 1024
/** Segments at the end that are not full. More are merged. */
const MAX_OPEN = 16

/** An ordered erasure of the server. */
interface ErasureOrder {
  readonly index: number
  readonly erasure: Erasure
  readonly isDone: boolean
}

export interface RecordSource {
  /** Returns the bytes of consecutive records from an index on, at least one, without secrets. */
  readonly records: (from: number) => Promise<Buffer>
  /** Ordered erasures, oldest first. */
  readonly erasures: () => Promise<readonly ErasureOrder[]>
}

interface PayloadOptions {
  readonly source: RecordSource
  readonly target: PublicationTarget
  readonly cipher: PayloadCipher
  /** Of the origin of the manifest. */
  readonly signerOf: (head: TreeHead) => NoteSigner
}

const isFull = ({ count, bytes }: PayloadFile): boolean => count >= SEGMENT_COMMITS || bytes >= SEGMENT_BYTES

export class PayloadPublisher {
  #isDue = true
  #isClean = false
  /** The segments of the manifest that was written or read last. */
  #known: { readonly note: Buffer; readonly segments: readonly PayloadFile[] } | undefined
  #vkey: string | undefined

  constructor(private readonly options: PayloadOptions) {}

  /** Public key of the manifest; undefined before the first call of `publish`. */
  get vkey(): string | undefined {
    return this.#vkey
  }

  /** True at first, and while an erasure runs, after which segments are replaced. */
  get isDue(): boolean {
    return this.#isDue
  }

  /** Publishes the payloads of the commits up to a checkpoint, and obeys erasures. @throws as `Publisher.publish` */
  async publish(head: TreeHead, tree: MerkleTree): Promise<void> {
    const { source, target, cipher, signerOf } = this.options
    const signer = signerOf(head)
    this.#vkey = vkeyOf(signer.key)
    const note = await target.read(MANIFEST_FILE, MAX_NOTE_BYTES)
    const before = note && openManifest(note, signer.key)
    if (before && before.cipher !== cipher.name)
      throw new LogUnusable(
        `the payloads in ${target.place} were published with ${before.cipher}, and this key is ${cipher.name}`
      )
    if (before && (before.size > tree.size || !(await tree.rootAt(before.size)).equals(before.root)))
      throw new LogUnusable(`the payloads in ${target.place} are of another log, or of one that went back`)
    // Listed before records are read: these obey all orders that are done.
    const orders = await source.erasures()
    const open = orders.find(({ isDone }) => !isDone)
    this.#isDue = open !== undefined
    const done = orders.filter(({ index }) => index < (open?.index ?? Infinity))
    const erasedUpTo = done.at(-1)?.index ?? 0
    const old = note && before ? await this.#segmentsOf(note, before) : []
    const stale = done.filter(({ index }) => index > (before?.erasedUpTo ?? 0))
    const kept = await this.#obey(
      old,
      stale.map(({ erasure }) => erasure)
    )
    const size = Math.max(head.size, before?.size ?? 0)
    const segments = await this.#extend(kept, head.size, tree)
    const isSame = before && before.size === size && before.erasedUpTo === erasedUpTo
    const next = isSame
      ? before
      : await this.#paged(before?.pages ?? [], {
          size,
          root: await tree.rootAt(size),
          cipher: cipher.name,
          erasedUpTo,
          pages: [],
          segments
        })
    if (!isSame) {
      const signed = signManifest(next, signer)
      await target.replace(MANIFEST_FILE, signed)
      this.#known = { note: signed, segments }
    }
    await this.#withdraw(before, old, next, segments)
  }

  async #segmentsOf(note: Buffer, { pages, segments }: PayloadManifest): Promise<readonly PayloadFile[]> {
    if (this.#known?.note.equals(note)) return this.#known.segments
    const paged: PayloadFile[] = []
    for (const page of pages) paged.push(...(await readPage(this.options.target, page)))
    this.#known = { note, segments: [...paged, ...segments] }
    return this.#known.segments
  }

  /** Returns the segments, of which those with parts that an order erases are replaced. */
  async #obey(segments: readonly PayloadFile[], orders: readonly Erasure[]): Promise<readonly PayloadFile[]> {
    const erased = await partsOfOrders(orders, { firstIndex: 1, records: () => this.#recordsIn(segments) })
    const obeying: PayloadFile[] = []
    for (const segment of segments)
      obeying.push(erased.size > 0 ? await this.#erase(segment, erased) : segment)
    return obeying
  }

  async *#recordsIn(segments: readonly PayloadFile[]): AsyncGenerator<readonly StoredRecord[]> {
    for (const segment of segments) yield await this.#read(segment)
  }

  async #read(segment: PayloadFile): Promise<readonly StoredRecord[]> {
    const { target, cipher } = this.options
    const content = cipher.decrypt(await readPayloadFile(target, segment), segmentPlace(segment))
    return recordsIn(content, `the payloads in ${target.place}`)
  }

  async #erase(segment: PayloadFile, erased: ReadonlyMap<number, CommitErasure>): Promise<PayloadFile> {
    const records = await this.#read(segment)
    const parts: Buffer[] = []
    for (const record of records) parts.push(await withoutParts(record, erased.get(record.index)))
    const isSame = records.every(({ bytes }, at) => bytes === parts[at])
    return isSame ? segment : this.#put(Buffer.concat(parts), segment)
  }

  /** Appends the commits up to an index. Many segments that are not full become one. */
  async #extend(
    segments: readonly PayloadFile[],
    to: number,
    tree: MerkleTree
  ): Promise<readonly PayloadFile[]> {
    const newest = segments.at(-1)?.last ?? 0
    if (to <= newest) return segments
    const full = segments.findLastIndex(isFull) + 1
    const isMerging = segments.length - full >= MAX_OPEN
    const extended = segments.slice(0, isMerging ? full : undefined)
    let from = (extended.at(-1)?.last ?? 0) + 1
    let pending: StoredRecord[] = []
    let bytes = 0
    const flush = async (): Promise<void> => {
      const last = from + pending.length - 1
      const content = Buffer.concat(pending.map(record => record.bytes))
      if (pending.length > 0) extended.push(await this.#put(content, { last, count: pending.length }))
      from = last + 1
      pending = []
      bytes = 0
    }
    for (let next = from; next <= to;) {
      const page = await this.#page(next, to, tree)
      for (const record of page) {
        pending.push(record)
        bytes += record.bytes.length
        if (pending.length >= SEGMENT_COMMITS || bytes >= SEGMENT_BYTES) await flush()
      }
      next += page.length
    }
    await flush()
    return extended
  }

  async #page(from: number, to: number, tree: MerkleTree): Promise<readonly StoredRecord[]> {
    const all = recordsIn(
      await this.options.source.records(from),
      `the records of the server from ${from} on`
    )
    return verifiedRecords(all.slice(0, to - from + 1), from, tree)
  }

  async #put(content: Buffer, { last, count }: Pick<PayloadFile, 'last' | 'count'>): Promise<PayloadFile> {
    const bytes = this.options.cipher.encrypt(content, segmentPlace({ last, count }))
    const file = payloadFile(bytes, last, count)
    await this.options.target.put(payloadPath(file), bytes)
    return file
  }

  /** Moves segments into pages, so that the manifest stays small. */
  async #paged(written: readonly PayloadFile[], manifest: PayloadManifest): Promise<PayloadManifest> {
    const { segments } = manifest
    const full = segments.findLastIndex(isFull) + 1
    const end = full - (full % PAGE_SEGMENTS)
    const pages: PayloadFile[] = []
    for (let at = 0; at < end; at += PAGE_SEGMENTS) {
      const own = segments.slice(at, at + PAGE_SEGMENTS)
      const content = encodePage(own)
      const count = own.reduce((sum, segment) => sum + segment.count, 0)
      const page = payloadFile(content, own.at(-1)?.last ?? 0, count)
      if (!written.some(({ digest }) => digest === page.digest))
        await this.options.target.put(payloadPath(page), content)
      pages.push(page)
    }
    return { ...manifest, pages, segments: segments.slice(end) }
  }

  /** Removes files that the manifest no longer names: after an erasure or a merge, and once those of an interrupted run. */
  async #withdraw(
    before: PayloadManifest | undefined,
    old: readonly PayloadFile[],
    { pages }: PayloadManifest,
    segments: readonly PayloadFile[]
  ): Promise<void> {
    const { target } = this.options
    const named = new Set([...pages, ...segments].map(payloadPath)).add(MANIFEST_FILE)
    const candidates = this.#isClean
      ? [...(before?.pages ?? []), ...old].map(payloadPath)
      : await target.list(PAYLOADS)
    for (const path of candidates) if (!named.has(path)) await target.remove(path)
    this.#isClean = true
  }
}
