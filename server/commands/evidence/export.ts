import { discloseLeaf } from '../../../events/log/evidence/leaf.js'
import { type TreeHead, originOf } from '../../../events/log/evidence/signed-checkpoint.js'
import { LogUnusable } from '../../../events/log/log.js'
import type { StoredRecord } from '../../../events/log/record.js'
import { NodeLinesDigest } from '../export-lines.js'
import {
  headerLine,
  trailerLine,
  type BundledCommit,
  type BundleSelection
} from '../../../clients/evidence/bundle-lines.js'
import { isOrderAbout } from '../../../clients/evidence/erasure-orders.js'
import { isFiltered, isGapless, isWhole, selectedEvents } from '../../../clients/evidence/selection.js'
import { EVENT_METADATA_PART, ORIGIN_PART, type PartPosition } from '../../../events/log/record-format.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { MerkleTree } from '../../../events/log/tree/tree.js'
import { formatTime } from '../../../events/time.js'
import { logFolder, type Settings } from '../../settings/settings.js'
import { indexFrom, indexUntil, type Bound } from '../log-options.js'
import { UsageError, writeLines, type Console } from '../../../clients/cli/console.js'
import { ERASURE_ORDER } from '../../erased-parts.js'
import { reportTo, withLog } from '../open-log.js'
import { withProgress } from '../../../clients/cli/terminal.js'
import { readTrustedInputs, type TrustedCheckpoint } from './trusted-inputs.js'
import { withTreeFiles, type StoredCheckpoint } from './tree-files.js'

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
 * Of selected commits, the parts about the selected events and the origin are disclosed, and of erasures of a selected topic. A complete bundle also discloses origin and
 * heads of all other commits, which prove that they are not selected.
 */
function openedOf(selection: BundleSelection): Opens {
  if (!isFiltered(selection)) return () => () => true
  const { Topic, Key, Complete = false } = selection
  // A substring search in the JSON avoids parsing most records.
  const mark = JSON.stringify(Key ?? '').slice(1, -1)
  const isOfAll = (kind: number): boolean =>
    kind === ORIGIN_PART || (Complete && kind === EVENT_METADATA_PART)
  return record => {
    const events = record.bytes.includes(mark)
      ? selectedEvents(selection, record.by, [...record.heads()])
      : undefined
    const orders = new Set(
      Topic !== undefined && record.bytes.includes(ERASURE_ORDER)
        ? record.events().flatMap((event, at) => (isOrderAbout(selection, event) ? [at] : []))
        : []
    )
    if (!events && orders.size === 0 && !Complete) return undefined
    return ({ kind, event }) => isOfAll(kind) || events?.has(event) === true || orders.has(event)
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

export interface EvidenceOptions {
  /** The first commit; undefined for the oldest. */
  readonly from: Bound | undefined
  /** The last commit; undefined for the newest signed one. */
  readonly to: Bound | undefined
  /** Limits the export to events of this topic, ignoring letter case, and this key. */
  readonly topic: string | undefined
  readonly key: string | undefined
  /** Limits it to commits of the token with this AccessorID. */
  readonly accessor?: string | undefined
  readonly namespace?: string | undefined
  /** Adds origin and heads of all other commits of the range. */
  readonly isComplete?: boolean
  /** Files or URLs of trusted checkpoints. */
  readonly checkpoints: readonly string[]
}

async function selectionOf(
  log: SegmentEventLog,
  { from, to, topic, key, accessor, namespace, isComplete }: EvidenceOptions,
  size: number
): Promise<BundleSelection> {
  const From = from ? Math.max(await indexFrom(log, from), 1) : log.firstIndex
  const To = Math.min(to ? await indexUntil(log, to) : size, size)
  if (to && 'index' in to && to.index > size)
    throw new UsageError(`the newest checkpoint is of ${size} commits: there is no proof of later ones yet`)
  if (From > To + 1) throw new UsageError(`there is no commit from ${From} to ${To}`)
  return {
    From,
    To,
    ...(from && 'time' in from && { FromTime: formatTime(from.time) }),
    ...(to && 'time' in to && { ToTime: formatTime(to.time) }),
    ...(topic !== undefined && { Topic: topic }),
    ...(key !== undefined && { Key: key }),
    ...(accessor !== undefined && { Accessor: accessor }),
    ...(namespace !== undefined && { Namespace: namespace }),
    ...(isComplete && { Complete: true as const })
  }
}

const olderThan = (size: number, checkpoints: readonly TrustedCheckpoint[]): readonly number[] => {
  const newer = checkpoints.find(({ head }) => head.size > size)
  if (newer)
    throw new LogUnusable(`${newer.source} is newer than all that the log has signed: its end was cut off`)
  return [...new Set(checkpoints.map(({ head }) => head.size))].filter(each => each > 0 && each < size)
}

/** Returns the newest checkpoint of this incarnation. @throws UsageError if there is none */
function newestOf(log: SegmentEventLog, checkpoints: readonly StoredCheckpoint[]): StoredCheckpoint {
  const origin = originOf(log.identity)
  const newest = checkpoints.findLast(({ head }) => head.origin === origin)
  if (newest) return newest
  throw new UsageError('nothing of this log is signed yet: a server signs it within a second')
}

/**
 * Makes a bundle as of the newest checkpoint that is kept beside the log.
 * @param write receives its lines
 * @throws UsageError LogUnusable MalformedNote, and what `write` throws
 */
export async function withEvidence(
  settings: Settings,
  console: Console,
  options: EvidenceOptions,
  write: (lines: AsyncIterable<string>) => Promise<void>
): Promise<void> {
  const { checkpoints } = await readTrustedInputs({ checkpoint: options.checkpoints })
  const report = reportTo(console)
  await withTreeFiles(logFolder(settings.data_dir), beside =>
    withLog(settings, { withSecrets: false, report }, async log => {
      const { note, head } = newestOf(log, beside.checkpoints)
      const earlier = olderThan(head.size, checkpoints)
      const selection = await selectionOf(log, options, head.size)
      const progress = { task: 'exporting', total: selection.To, unit: 'commits' }
      const tree = await MerkleTree.open(beside.files, head.size)
      const checkpoint = { note: note.toString(), head }
      await withProgress(console, progress, onProgress =>
        write(bundleLines({ log, tree, checkpoint, selection, earlier, onProgress }))
      )
    })
  )
}

/** Writes a bundle to the output. @throws as `withEvidence`; OutputClosed */
export const exportEvidence = (
  settings: Settings,
  console: Console,
  options: EvidenceOptions
): Promise<void> => withEvidence(settings, console, options, lines => writeLines(console.out, lines))
