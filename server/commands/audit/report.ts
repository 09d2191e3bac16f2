import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError, type Console } from '../../../clients/cli/console.js'
import { jsonLinesOf } from '../../../clients/cli/json-lines.js'
import type { Settings } from '../../settings/settings.js'
import { withEvidence, type EvidenceOptions } from '../evidence/export.js'
import { verifyEvidenceLines } from '../evidence/verify.js'
import type { TrustedInputOptions } from '../evidence/trusted-inputs.js'
import { htmlForm, jsonForm, type ReportForm } from '../../../clients/evidence/report-forms.js'
import type { Rereadable } from '../../../clients/evidence/platform.js'
import {
  checkReportLines,
  dataOf,
  headerIn,
  reportFindings,
  reportLines
} from '../../../clients/evidence/report-lines.js'
import { nodePlatform } from '../export-lines.js'
import { unprovedLines } from './unproved.js'

const FORMS: Readonly<Record<string, ReportForm>> = { '.html': htmlForm, '.json': jsonForm }

/** Limit of a line, which is a commit with all its texts. */
const MAX_LINE_BYTES = 512 * 1024 * 1024

const linesOf =
  (path: string): Rereadable =>
  () =>
    jsonLinesOf(createReadStream(path), MAX_LINE_BYTES)

async function* terminated(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

const writeTo = (path: string, lines: AsyncIterable<string>): Promise<void> =>
  pipeline(Readable.from(terminated(lines)), createWriteStream(path, { mode: 0o600 }))

async function* asJson(values: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const value of values) yield JSON.stringify(value)
}

/** Writes a report with its evidence. @throws UsageError, and as `withEvidence` */
export async function writeReport(
  settings: Settings,
  console: Console,
  output: string,
  options: EvidenceOptions
): Promise<void> {
  const form = FORMS[extname(output).toLowerCase()]
  if (!form) throw new UsageError(`invalid output ${JSON.stringify(output)}: it must end in .html or .json`)
  // Rows precede the evidence that they are made of, which may be larger than the memory.
  const folder = await mkdtemp(join(tmpdir(), 'annals-report-'))
  try {
    const bundle = join(folder, 'evidence')
    await withEvidence(settings, console, options, lines => writeTo(bundle, lines))
    const evidence = linesOf(bundle)
    const others = join(folder, 'unproved')
    const { Selection } = await headerIn(evidence)
    await writeTo(others, asJson(unprovedLines(settings.data_dir, Selection)))
    await writeTo(output, reportLines(form, { evidence, unproved: linesOf(others) }, nodePlatform))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Verifies the evidence in a report, and that the report shows what it proves. @throws as `verifyEvidence`; ProofFailed */
export async function verifyReport(
  console: Console,
  file: string,
  outside: TrustedInputOptions
): Promise<void> {
  const report = linesOf(file)
  await verifyEvidenceLines(console, dataOf(report, nodePlatform).evidence, { outside, withCommits: false })
  for (const line of reportFindings(await checkReportLines(report, nodePlatform)))
    console.out.write(`${line}\n`)
}
