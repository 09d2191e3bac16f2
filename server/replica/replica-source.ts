// Where the commits of a replica come from: a published folder with payloads, or a server.
import type { NoteKey } from '../../events/log/evidence/note-keys.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import type { TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import { prefetch } from '../../events/log/resource-history.js'
import type { StoredRecord } from '../../events/log/record.js'
import type { MerkleTree } from '../../events/log/tree/tree.js'
import type { PayloadCipher } from '../publication/payload-cipher.js'
import {
  MANIFEST_FILE,
  openManifest,
  readPayloadFile,
  segmentPlace,
  segmentsFrom,
  type PayloadFile
} from '../publication/payload-manifest.js'
import { requiredFile, type PublicFiles } from '../publication/public-files.js'
import { recordsIn, verifiedRecords } from '../publication/verified-records.js'
import { MAX_NOTE_BYTES } from '../publication/verified-tree.js'

/** Segments that are requested and verified ahead, so that the tiles of one are read while another is hashed. */
const AHEAD = 4

export interface ReplicaSource {
  readonly files: PublicFiles
  /** Yields the bytes of consecutive records from an index on, which are not verified. @throws SourceUnavailable ProofFailed */
  readonly records: (from: number, head: TreeHead) => AsyncIterable<Buffer>
}

/** @param manifestKey public key of the manifest */
export const publishedSource = (
  files: PublicFiles,
  { manifestKey, cipher }: { readonly manifestKey: NoteKey; readonly cipher: PayloadCipher }
): ReplicaSource => ({
  files,
  records: async function* (from, { size }) {
    const manifest = openManifest(await requiredFile(files, MANIFEST_FILE, MAX_NOTE_BYTES), manifestKey)
    if (manifest.size < size)
      throw new ProofFailed(
        `the manifest of the payloads of ${files.place} has ${manifest.size} commits, and its checkpoint ${size}`
      )
    if (manifest.cipher !== cipher.name)
      throw new ProofFailed(
        `the payloads of ${files.place} are ${manifest.cipher}, and the key is ${cipher.name}`
      )
    const wanted = segmentsUpTo(segmentsFrom(files, manifest, from), size)
    yield* prefetch(wanted, AHEAD, async segment =>
      cipher.decrypt(await readPayloadFile(files, segment), segmentPlace(segment))
    )
  }
})

async function* segmentsUpTo(
  segments: AsyncIterable<PayloadFile>,
  size: number
): AsyncGenerator<PayloadFile> {
  for await (const segment of segments) {
    if (segment.last - segment.count >= size) return
    yield segment
  }
}

/** @param records see `RecordSource` */
export const serverSource = (
  files: PublicFiles,
  records: (from: number) => Promise<Buffer>
): ReplicaSource => ({
  files,
  records: async function* (from, { size }) {
    for (let next = from; next <= size;) {
      const bytes = await records(next)
      const last = recordsIn(bytes, `the answer of ${files.place}`).at(-1)?.index ?? 0
      if (last < next) throw new ProofFailed(`${files.place} answered commit ${last} instead of ${next}`)
      yield bytes
      next = last + 1
    }
  }
})

/** Yields the verified records of a tree from an index on. @throws ProofFailed naming the first commit that is not of the tree */
export async function* recordsOf(
  source: ReplicaSource,
  from: number,
  head: TreeHead,
  tree: MerkleTree,
  verify: typeof verifiedRecords = verifiedRecords
): AsyncGenerator<readonly StoredRecord[]> {
  const place = `the payloads of ${source.files.place}`
  const verified = prefetch(source.records(from, head), AHEAD, async bytes => {
    const records = recordsIn(bytes, place).filter(({ index }) => index >= from && index <= head.size)
    return verify(records, records[0]?.index ?? from, tree)
  })
  let next = from
  for await (const records of verified) {
    if ((records[0]?.index ?? next) !== next) break
    yield records
    next += records.length
  }
  if (next <= head.size) throw new ProofFailed(`commit ${next} is missing in ${source.files.place}`)
}
