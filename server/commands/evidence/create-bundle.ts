import { discloseLeaf } from '../../../events/log/evidence/leaf.js'
import type { TreeHead } from '../../../events/log/evidence/signed-checkpoint.js'
import { LogUnusable } from '../../../events/log/log.js'
import type { StoredRecord } from '../../../events/log/record.js'
import { NodeLinesDigest } from '../export-lines.js'
import {
  headerLine,
  trailerLine,
  type BundledCommit,
  type BundleSelection
} from '../../../clients/evidence/bundle-lines.js'
import { isFiltered, isGapless, isWhole, selectedEvents } from '../../../clients/evidence/selection.js'
import { EVENT_METADATA_PART, ORIGIN_PART, type PartPosition } from '../../../events/log/record-format.js'

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

/** Decides which parts of a commit are disclosed; undefined if the commit is not in the bundle. */
type Opens = (record: StoredRecord) => ((part: PartPosition) => boolean) | undefined

/**
 * Of selected commits, the parts about the selected events and the origin are disclosed. A complete bundle also discloses origin and
 * heads of all other commits, which prove that they are not selected.
 */
function openedOf(selection: BundleSelection): Opens {
  if (!isFiltered(selection)) return () => () => true
  const { Key, Complete = false } = selection
  // A substring search in the JSON avoids parsing most records.
  const mark = JSON.stringify(Key ?? '').slice(1, -1)
  const isOfAll = (kind: number): boolean =>
    kind === ORIGIN_PART || (Complete && kind === EVENT_METADATA_PART)
  return record => {
    const events = record.bytes.includes(mark)
      ? selectedEvents(selection, record.by, [...record.heads()])
      : undefined
    if (!events && !Complete) return undefined
    return ({ kind, event }) => isOfAll(kind) || events?.has(event) === true
  }
}

const inBase64 = (hashes: readonly Buffer[]): string[] => hashes.map(hash => hash.toString('base64'))

export async function* bundleLines(options: BundleOptions): AsyncGenerator<string> {
  const { tree, checkpoint, selection, earlier } = options
  const { size } = checkpoint.head
  const Consistency = []
  for (const From of earlier)
    Consistency.push({ From, To: size, Hashes: inBase64(await tree.consistency(From, size)) })
  const digest = new NodeLinesDigest()
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
