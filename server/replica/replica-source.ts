// Where the commits of a replica come from: a published folder with payloads, or a server.
import type { NoteKey } from '../../events/log/evidence/note-keys.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import type { TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import { prefetch } from '../../events/log/resource-history.js'
import type { StoredRecord } from '../../events/log/record.js'
import { TILE_WIDTH } from '../../events/log/tree/tiles.js'
import type { MerkleTree } from '../../events/log/tree/tree.js'
import type { PayloadCipher } from '../publication/payload-cipher.js'
import {
  MANIFEST_FILE,
  openManifest,
  readPayloadFile,
  segmentPlace,
  segmentsFrom,
  type PayloadFile,
  type PayloadManifest
} from '../publication/payload-manifest.js'
import type { RecordSource } from '../publication/payload-segments.js'
import { baseIn, type PublicBase } from '../publication/published-base.js'
import { requiredFile, type PublicFiles } from '../publication/public-files.js'
import { recordsIn, verifiedRecords } from '../publication/verified-records.js'
import { MAX_NOTE_BYTES, openSigned } from '../publication/verified-tree.js'

/** Segments that are requested ahead, and groups that are verified ahead. */
const AHEAD = 4
/** Records that are verified and taken at once: whole tiles, whose roots the tree has without their leaves. */
const GROUP = 4 * TILE_WIDTH
const GROUP_BYTES = 4 * 1024 * 1024

export interface ReplicaSource {
  readonly files: PublicFiles
  /** Yields consecutive records, which are not verified. Earlier and later ones may be among them. @throws SourceUnavailable ProofFailed */
  readonly records: (from: number, head: TreeHead) => AsyncIterable<readonly StoredRecord[]>
  /** Returns the base snapshot of a source that pruned commits. Its bytes are not verified. @throws SourceUnavailable ProofFailed */
  readonly base: (head: TreeHead) => Promise<PublicBase | undefined>
}

/** @param manifestKey public key of the manifest */
export const publishedSource = (
  files: PublicFiles,
  { manifestKey, cipher }: { readonly manifestKey: NoteKey; readonly cipher: PayloadCipher }
): ReplicaSource => {
  const manifestFor = async ({ size }: TreeHead): Promise<PayloadManifest> => {
    const note = await requiredFile(files, MANIFEST_FILE, MAX_NOTE_BYTES)
    const manifest = openSigned(files, MANIFEST_FILE, () => openManifest(note, manifestKey))
    if (manifest.size < size)
      throw new ProofFailed(
        `the manifest of the payloads of ${files.place} has ${manifest.size} commits, and its checkpoint ${size}`
      )
    if (manifest.cipher !== cipher.name)
      throw new ProofFailed(
        `the payloads of ${files.place} are ${manifest.cipher}, and the key is ${cipher.name}`
      )
    return manifest
  }
  return {
    files,
    records: async function* (from, head) {
      const wanted = segmentsUpTo(segmentsFrom(files, await manifestFor(head), from), head.size)
      yield* prefetch(wanted, AHEAD, async segment => {
        const stored = await readPayloadFile(files, segment)
        return recordsIn(cipher.decrypt(stored, segmentPlace(segment)), `the payloads of ${files.place}`)
      })
    },
    base: async head => {
      const { base } = await manifestFor(head)
      return base && { index: base.last, bytes: baseIn(files, cipher, base) }
    }
  }
}

async function* segmentsUpTo(
  segments: AsyncIterable<PayloadFile>,
  size: number
): AsyncGenerator<PayloadFile> {
  for await (const segment of segments) {
    if (segment.last - segment.count >= size) return
    yield segment
  }
}

export const serverSource = (
  files: PublicFiles,
  { records, base }: Pick<RecordSource, 'records' | 'base'>
): ReplicaSource => ({
  files,
  base: async ({ size }) => (await base({ after: 0, upTo: size })).base,
  records: async function* (from, { size }) {
    for (let next = from; next <= size;) {
      const page = recordsIn(await records(next), `the answer of ${files.place}`)
      const last = page.at(-1)?.index ?? 0
      if (last < next) throw new ProofFailed(`${files.place} answered commit ${last} instead of ${next}`)
      yield page
      next = last + 1
    }
  }
})

/** Joins consecutive records of a range to groups, up to the first one that is missing. A group ends with a whole tile, unless it is large. */
async function* groupsOf(
  pages: AsyncIterable<readonly StoredRecord[]>,
  from: number,
  to: number
): AsyncGenerator<readonly StoredRecord[]> {
  let next = from
  let group: StoredRecord[] = []
  let bytes = 0
  reading: for await (const page of pages)
    for (const record of page) {
      if (record.index < from) continue
      if (record.index !== next || next > to) break reading
      group.push(record)
      bytes += record.bytes.length
      if (next++ % GROUP !== 0 && bytes < GROUP_BYTES) continue
      yield group
      group = []
      bytes = 0
    }
  if (group.length > 0) yield group
}

/** Yields the verified records of a tree from an index on, in groups. @throws ProofFailed naming the first commit that is not of the tree */
export async function* recordsOf(
  source: ReplicaSource,
  from: number,
  head: TreeHead,
  tree: MerkleTree,
  verify: typeof verifiedRecords = verifiedRecords
): AsyncGenerator<readonly StoredRecord[]> {
  const groups = groupsOf(source.records(from, head), from, head.size)
  let next = from
  for await (const records of prefetch(groups, AHEAD, group =>
    verify(group, group[0]?.index ?? from, tree)
  )) {
    yield records
    next += records.length
  }
  if (next <= head.size) throw new ProofFailed(`commit ${next} is missing in ${source.files.place}`)
}
