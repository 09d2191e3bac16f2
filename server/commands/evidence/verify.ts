import { createReadStream } from 'node:fs'
import { openCheckpoint, type OpenedCheckpoint } from '../../../events/log/evidence/signed-checkpoint.js'
import type { OpenedLeaf } from '../../../events/log/evidence/open-leaf.js'
import { commitAsText } from '../commit-text.js'
import { UsageError, type Console } from '../../../clients/cli/console.js'
import { jsonLinesOf } from '../../../clients/cli/json-lines.js'
import { checkBundle, type BundleReport } from '../../../clients/evidence/check-bundle.js'
import { isGapless, isWhole } from '../../../clients/evidence/selection.js'
import {
  keysOf,
  readTrustedInputs,
  signersOf,
  type TrustedInputs,
  type TrustedInputOptions
} from './trusted-inputs.js'
import { nodePlatform } from './node-platform.js'
import { trustedRootOf } from './verify-trusted-inputs.js'

interface EvidenceRequest {
  /** `-` for standard input. */
  readonly file: string
  readonly outside: TrustedInputOptions
  readonly withCommits: boolean
}

/** Limit of a line, which is a commit with all its texts. */
const MAX_LINE_BYTES = 512 * 1024 * 1024

/** @throws Unproved MalformedNote UsageError, and file system errors */
export async function verifyEvidence(
  console: Console,
  { file, outside, withCommits }: EvidenceRequest
): Promise<void> {
  if (withCommits && file === '-') throw new UsageError('--show needs a file: it is read twice')
  const lines = () => jsonLinesOf(file === '-' ? console.in : createReadStream(file), MAX_LINE_BYTES)
  await verifyEvidenceLines(console, lines, { outside, withCommits })
}

/** Verifies the lines of a bundle, which are read twice to print the commits. @throws as `verifyEvidence` */
export async function verifyEvidenceLines(
  console: Console,
  lines: () => AsyncIterable<string>,
  { outside, withCommits }: Omit<EvidenceRequest, 'file'>
): Promise<void> {
  if (outside.key === undefined)
    throw new UsageError('--key is missing: the public key of the log, from a trusted source')
  // A witness may be younger than a trusted checkpoint, so only the bundle's checkpoint needs its signature.
  const known = await readTrustedInputs({ ...outside, witness: [] })
  const keys = { ...known.keys, witnesses: keysOf(outside.witness) }
  let checkpoint: OpenedCheckpoint | undefined
  const check = (onCommit: (leaf: OpenedLeaf) => void): Promise<BundleReport> =>
    checkBundle(lines(), {
      platform: nodePlatform,
      openCheckpoint: note => (checkpoint = openCheckpoint(Buffer.from(note), keys)).head,
      known: known.checkpoints.map(trustedRootOf),
      onCommit
    })
  const print = (text: string): void => void console.out.write(`${text}\n`)
  const report = await check(() => {})
  if (withCommits) await check(({ commit, opened }) => opened > 0 && print(commitAsText(commit)))
  if (checkpoint) for (const line of linesAbout(report, checkpoint, known)) print(line)
}

function linesAbout(
  report: BundleReport,
  checkpoint: OpenedCheckpoint,
  known: TrustedInputs
): readonly string[] {
  const { commits, withheld, erased } = report
  const { size } = checkpoint.head
  const closed = [
    ...(erased > 0 ? [`${erased} parts were erased`] : []),
    ...(withheld > 0 ? [`${withheld} parts are kept back`] : [])
  ]
  const isByKeyAlone = known.checkpoints.length === 0 && checkpoint.cosignatures.length === 0
  return [
    `the checkpoint in the bundle, of ${size} commits, is ${signersOf(checkpoint)}`,
    `${commits === 1 ? '1 commit is' : `${commits} commits are`} in that log as written here`,
    completeness(report, size),
    ...(closed.length > 0 ? [`${closed.join(', ')}: of these the log has the hash`] : []),
    ...known.checkpoints.map(
      each => `the log still begins with the ${each.head.size} commits of ${each.source}, ${signersOf(each)}`
    ),
    ...(isByKeyAlone
      ? [
          'no older checkpoint and no witness to compare with: a rewrite with the signing key cannot be ruled out'
        ]
      : [])
  ]
}

function completeness({ selection, isComplete, unknownAuthors }: BundleReport, size: number): string {
  if (!isGapless(selection))
    return 'whether other commits are about it is not proved: a bundle with --complete proves that'
  if (unknownAuthors > 0)
    return `${unknownAuthors === 1 ? '1 commit has' : `${unknownAuthors} commits have`} an erased author: whether each is selected is not proved`
  if (isWhole(selection, size)) return 'these are all its commits'
  const { From, To, FromTime = `commit ${From}`, ToTime = `commit ${To}` } = selection
  return isComplete
    ? `from ${FromTime} to ${ToTime} none is missing`
    : `whether one from ${FromTime} to ${ToTime} is missing is not proved`
}
