import { createReadStream } from 'node:fs'
import { openCheckpoint, type OpenedCheckpoint } from '../../../events/log/evidence/signed-checkpoint.js'
import type { OpenedLeaf } from '../../../events/log/evidence/open-leaf.js'
import { commitAsText } from '../commit-text.js'
import { UsageError, type Console } from '../../../clients/cli/console.js'
import { jsonLinesOf } from '../../../clients/cli/json-lines.js'
import { checkBundle, type BundleReport } from '../../../clients/evidence/check-bundle.js'
import { findingsOf, type Findings } from '../../../clients/evidence/findings.js'
import {
  keysOf,
  readTrustedInputs,
  signersOf,
  type TrustedInputs,
  type TrustedInputOptions
} from './trusted-inputs.js'
import { nodePlatform } from '../export-lines.js'
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
  if (!checkpoint) return
  const { proved, open } = findingsAbout(report, checkpoint, known)
  for (const line of [...proved, ...open]) print(line)
}

const findingsAbout = (
  report: BundleReport,
  checkpoint: OpenedCheckpoint,
  { checkpoints }: TrustedInputs
): Findings =>
  findingsOf(report, {
    signers: signersOf(checkpoint),
    isWitnessed: checkpoint.cosignatures.length > 0,
    earlier: checkpoints.map(each => `the ${each.head.size} commits of ${each.source}, ${signersOf(each)}`)
  })
