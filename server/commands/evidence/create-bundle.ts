import { discloseLeaf } from '../../../events/log/evidence/leaf.js'
import type { TreeHead } from '../../../events/log/evidence/signed-checkpoint.js'
import { LogUnusable } from '../../../events/log/log.js'
import type { StoredRecord } from '../../../events/log/record.js'
import { LinesDigest, trailerLine } from '../export-lines.js'
import { headerLine, type BundledCommit, type BundleSelection } from '../../../clients/evidence/bundle-lines.js'
import { isGapless, isWhole, openedOf } from '../../../clients/evidence/selection.js'

/** The tree over the commits. Leaves count from 0. */
export interface ProvingTree {
  leafHash(index: number): Promise<Buffer>
  /** Returns the path from a leaf to the root of the first `size` leaves. */
  inclusion(index: number, size: number): Promise<readonly Buffer[]>
  /** Returns the proof that the tree of `to` leaves extends the tree of `from` leaves. */
  consistency(from: number, to: number): Promise<readonly Buffer[]>
}

interface RecordedLog {
  /** Index of the oldest retained commit. */
  readonly firstIndex: number
  records(from: number): AsyncIterable<readonly StoredRecord[]>
}

interface BundleOptions {
  readonly log: RecordedLog
  readonly tree: ProvingTree
  /** The newest signed checkpoint, and its tree head. */
  readonly checkpoint: { readonly note: string; readonly head: TreeHead }
  readonly selection: BundleSelection
  /** Sizes of earlier checkpoints to prove consistency with. */
  readonly earlier: readonly number[]
  /** Called with the index of each commit that was read. */
  readonly onProgress?: (index: number) => void
}

const inBase64 = (hashes: readonly Buffer[]): string[] => hashes.map(hash => hash.toString('base64'))

export async function* bundleLines(options: BundleOptions): AsyncGenerator<string> {
  const { tree, checkpoint, selection, earlier } = options
  const { size } = checkpoint.head
  const Consistency = []
  for (const From of earlier)
    Consistency.push({ From, To: size, Hashes: inBase64(await tree.consistency(From, size)) })
  const digest = new LinesDigest()
  const head = headerLine({ Selection: selection, Checkpoint: checkpoint.note, Consistency })
  digest.add(head)
  yield head
  let Commits = 0
  for await (const line of commitLines(options)) {
    digest.add(line)
    yield line
    Commits++
  }
  yield trailerLine({ Commits, SHA256: digest.end() })
}

async function* commitLines({
  log,
  tree,
  checkpoint,
  selection,
  onProgress
}: BundleOptions): AsyncGenerator<string> {
  const { From, To, FromTime, ToTime } = selection
  const { size } = checkpoint.head
  const opensOf = openedOf(selection)
  const hasProofs = !isWhole(selection, size)
  // The neighbours of a time range prove that none of its commits is missing.
  const isTime = isGapless(selection) && (FromTime ?? ToTime) !== undefined
  const first = isTime ? Math.max(log.firstIndex, From - 1) : From
  const last = isTime ? Math.min(size, To + 1) : To
  for await (const page of log.records(first)) {
    for (const record of page) {
      if (record.index > last) return
      const isNeighbour = record.index < From || record.index > To
      const opens = isNeighbour ? () => false : opensOf(record)
      if (!opens) continue
      if (!record.hash.equals(await tree.leafHash(record.index - 1)))
        throw new LogUnusable(
          `commit ${record.index} is not the one that the tree has: see \`annals log verify\``
        )
      const line: BundledCommit = {
        ...discloseLeaf(record, opens),
        ...(hasProofs && { Hashes: inBase64(await tree.inclusion(record.index - 1, size)) })
      }
      yield JSON.stringify(line)
    }
    onProgress?.(page.at(-1)?.index ?? 0)
  }
}
