import { originOf } from '../../../events/log/evidence/signed-checkpoint.js'
import { LogUnusable } from '../../../events/log/log.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { MerkleTree } from '../../../events/log/tree/tree.js'
import { formatTime } from '../../../events/time.js'
import { logFolder, type Settings } from '../../settings/settings.js'
import { indexFrom, indexUntil, type Bound } from '../log-options.js'
import { UsageError, writeLines, type Console } from '../../../clients/cli/console.js'
import { reportTo, withLog } from '../open-log.js'
import { withProgress } from '../../../clients/cli/terminal.js'
import type { BundleSelection } from '../../../clients/evidence/bundle-lines.js'
import { bundleLines } from './create-bundle.js'
import { readTrustedInputs, type TrustedCheckpoint } from './trusted-inputs.js'
import { withTreeFiles, type StoredCheckpoint } from './tree-files.js'

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
