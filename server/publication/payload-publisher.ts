// Publishes the parts of each commit, without secrets, in segments that a signed manifest names. An erasure replaces segments. For
// commits that the server has pruned there is its base snapshot.
import { vkeyOf, type NoteSigner } from '../../events/log/evidence/note-keys.js'
import { LogUnusable } from '../../events/log/log.js'
import type { TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
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
  readPieces,
  signManifest,
  type PayloadFile,
  type PayloadManifest
} from './payload-manifest.js'
import { isFull, PayloadSegments, type RecordSource } from './payload-segments.js'
import { putBase } from './published-base.js'
import type { PublicationTarget } from './published-folder.js'
import { MAX_NOTE_BYTES, openSigned } from './verified-tree.js'

interface PayloadOptions {
  readonly source: RecordSource
  readonly target: PublicationTarget
  readonly cipher: PayloadCipher
  /** Of the origin of the manifest. */
  readonly signerOf: (head: TreeHead) => NoteSigner
}

export class PayloadPublisher {
  #isDue = true
  #isClean = false
  /** The segments of the manifest that was written or read last. */
  #known: { readonly note: Buffer; readonly segments: readonly PayloadFile[] } | undefined
  #vkey: string | undefined
  readonly #segments: PayloadSegments

  constructor(private readonly options: PayloadOptions) {
    this.#segments = new PayloadSegments(options)
  }

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
    const before = note && openSigned(target, MANIFEST_FILE, () => openManifest(note, signer.key))
    if (before && before.cipher !== cipher.name)
      throw new LogUnusable(
        `the payloads in ${target.place} were published with ${before.cipher}, and this key is ${cipher.name}`
      )
    if (before && (before.size > tree.size || !(await tree.rootAt(before.size)).equals(before.root)))
      throw new LogUnusable(`the payloads in ${target.place} are of another log, or of one that went back`)
    // Listed before records are read: these obey all orders that are done.
    const orders = await source.erasures()
    const open = orders.find(({ isDone }) => !isDone)
    const done = orders.filter(({ index }) => index < (open?.index ?? Infinity))
    const erasedUpTo = done.at(-1)?.index ?? 0
    // After the orders, so that it obeys them, too.
    const { oldest, base: newBase } = await source.base({ after: before?.base?.last ?? 0, upTo: head.size })
    this.#isClean &&= newBase === undefined
    const base = newBase ? await putBase(target, cipher, newBase) : before?.base
    const old = note && before ? await this.#segmentsOf(note, before) : []
    const stale = done.filter(({ index }) => index > (before?.erasedUpTo ?? 0))
    const kept = await this.#segments.obey(
      await this.#segments.prune(old, oldest),
      stale.map(({ erasure }) => erasure)
    )
    const size = Math.max(head.size, before?.size ?? 0)
    const segments = await this.#segments.extend(kept, { from: oldest, to: head.size }, tree)
    const isSame =
      before?.size === size &&
      before.erasedUpTo === erasedUpTo &&
      before.base === base &&
      kept.length === old.length &&
      kept[0] === old[0]
    const next = isSame
      ? before
      : await this.#paged(before?.pages ?? [], {
          size,
          root: await tree.rootAt(size),
          cipher: cipher.name,
          erasedUpTo,
          base,
          pages: [],
          segments
        })
    if (!isSame) {
      const signed = signManifest(next, signer)
      await target.replace(MANIFEST_FILE, signed)
      this.#known = { note: signed, segments }
    }
    await this.#withdraw([...(before?.pages ?? []), ...old], next, segments)
    this.#isDue = open !== undefined
  }

  async #segmentsOf(note: Buffer, { pages, segments }: PayloadManifest): Promise<readonly PayloadFile[]> {
    if (this.#known?.note.equals(note)) return this.#known.segments
    const paged: PayloadFile[] = []
    for (const page of pages) paged.push(...(await readPage(this.options.target, page)))
    this.#known = { note, segments: [...paged, ...segments] }
    return this.#known.segments
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
    old: readonly PayloadFile[],
    { base, pages }: PayloadManifest,
    segments: readonly PayloadFile[]
  ): Promise<void> {
    const { target } = this.options
    // Those of a base snapshot change with it, after which all files are listed.
    const pieces = base && !this.#isClean ? [base, ...(await readPieces(target, base))] : []
    const named = new Set([...pages, ...segments, ...pieces].map(payloadPath)).add(MANIFEST_FILE)
    const candidates = this.#isClean ? old.map(payloadPath) : await target.list(PAYLOADS)
    for (const path of candidates) if (!named.has(path)) await target.remove(path)
    this.#isClean = true
  }
}
