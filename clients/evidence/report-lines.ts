// The lines of an audit report, made of its evidence, and the evidence in a report.
import { openLeaf } from '../../events/log/evidence/leaf.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import type { Commit } from '../../events/envelope.js'
import { readCommit, readHeader, type BundleHeader } from './bundle-lines.js'
import { selectedEvents } from './selection.js'
import { formOf, type ReportForm } from './report-forms.js'

/** Reads lines from the beginning, each time that it is called. */
export type Rereadable = () => AsyncIterable<string>

async function headerIn(evidence: Rereadable): Promise<BundleHeader> {
  for await (const line of evidence()) {
    const header = readHeader(JSON.parse(line))
    if (header) return header
    break
  }
  throw new ProofFailed('it has no evidence that this version reads')
}

/** Yields the selected commits with their selected events. */
async function* selectedCommits(header: BundleHeader, evidence: Rereadable): AsyncGenerator<Commit> {
  for await (const line of evidence()) {
    const bundled = readCommit(JSON.parse(line))
    if (!bundled) continue
    const { commit } = openLeaf(bundled)
    const events = selectedEvents(header.Selection, commit.By, commit.Events)
    if (events) yield { ...commit, Events: commit.Events.filter((_, position) => events.has(position)) }
  }
}

/** Yields the lines of a report. Reads the evidence several times. @throws ProofFailed SyntaxError */
export async function* reportLines(form: ReportForm, evidence: Rereadable): AsyncGenerator<string> {
  const header = await headerIn(evidence)
  yield* form.head(header)
  let isFirst = true
  for await (const commit of selectedCommits(header, evidence)) {
    yield form.row(commit, isFirst)
    isFirst = false
  }
  yield* form.beforeEvidence
  isFirst = true
  for await (const line of evidence()) {
    yield form.quote(line, isFirst)
    isFirst = false
  }
  yield* form.afterEvidence
}

/** Yields the evidence in a report. @throws ProofFailed if it is no report */
export async function* evidenceIn(report: Rereadable): AsyncGenerator<string> {
  let form: ReportForm | undefined
  let isEvidence = false
  for await (const line of report()) {
    form ??= formOf(line)
    if (!form) throw new ProofFailed('it is no audit report that this version reads')
    if (line === form.afterEvidence[0]) return
    if (isEvidence) yield form.unquote(line)
    isEvidence ||= line === form.beforeEvidence.at(-1)
  }
  throw new ProofFailed('the report is cut short')
}

/** Compares a report with the lines that its evidence gives. @throws ProofFailed naming the first line that differs */
export async function checkReportLines(report: Rereadable): Promise<void> {
  const actual = report()[Symbol.asyncIterator]()
  let form: ReportForm | undefined
  for await (const line of report()) {
    form = formOf(line)
    break
  }
  if (!form) throw new ProofFailed('it is no audit report that this version reads')
  let number = 0
  for await (const line of reportLines(form, () => evidenceIn(report))) {
    number++
    const next = await actual.next()
    if (next.done || next.value !== line)
      throw new ProofFailed(`line ${number} of the report is not what its evidence says`)
  }
  if (!(await actual.next()).done) throw new ProofFailed('something follows the last line of the report')
}
