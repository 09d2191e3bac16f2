// The lines of an audit report, made of its data, and the data in a report.
import { parseJson } from '../../events/values.js'
import { openLeafBy } from '../../events/log/evidence/open-leaf.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import type { Commit } from '../../events/envelope.js'
import { readCommit, readHeader, type BundleHeader } from './bundle-lines.js'
import type { Rereadable, VerifierPlatform } from './platform.js'
import { ErasureOrders, isOrderAbout } from './erasure-orders.js'
import { formOf, type ReportForm } from './report-forms.js'
import { selectedEvents } from './selection.js'
import { isUnproved, type UnprovedLine } from './unproved-lines.js'

/** What a report is made of. */
interface ReportData {
  /** The lines of a bundle. */
  readonly evidence: Rereadable
  /** JSON of the lines that nothing proves. */
  readonly unproved: Rereadable
}

/** @throws ProofFailed if the evidence does not begin with a header */
export async function headerIn(evidence: Rereadable): Promise<BundleHeader> {
  for await (const line of evidence()) {
    const header = readHeader(parseJson(line))
    if (header) return header
    break
  }
  throw new ProofFailed('it has no evidence that this version reads')
}

async function* commitsIn(evidence: Rereadable, platform: VerifierPlatform): AsyncGenerator<Commit> {
  for await (const line of evidence()) {
    const bundled = readCommit(parseJson(line))
    if (bundled) yield openLeafBy(platform, bundled).commit
  }
}

/** Yields the selected commits with their selected events, and the orders to erase some of these. */
async function* selectedCommits(
  { Selection }: BundleHeader,
  commits: AsyncIterable<Commit>
): AsyncGenerator<Commit> {
  for await (const commit of commits) {
    const selected = selectedEvents(Selection, commit.By, commit.Events)
    const Events = commit.Events.filter(
      (event, position) => selected?.has(position) || isOrderAbout(Selection, event)
    )
    if (Events.length > 0) yield { ...commit, Events }
  }
}

const unprovedIn = (text: string): UnprovedLine => {
  const line = parseJson(text)
  // Another spelling could hide a text that a reader of the report sees.
  if (isUnproved(line) && JSON.stringify(line) === text) return line
  throw new ProofFailed('an unproved line of the report is none that this version reads')
}

async function* quoted(
  lines: Rereadable,
  { quote }: ReportForm,
  platform: VerifierPlatform
): AsyncGenerator<string> {
  let isFirst = true
  for await (const line of lines()) {
    yield quote(line, isFirst, platform)
    isFirst = false
  }
}

/** Yields the lines of a report. Reads its data several times. @throws ProofFailed SyntaxError */
export async function* reportLines(
  form: ReportForm,
  { evidence, unproved }: ReportData,
  platform: VerifierPlatform
): AsyncGenerator<string> {
  const header = await headerIn(evidence)
  yield* form.head(header)
  const orders = new ErasureOrders()
  for await (const commit of commitsIn(evidence, platform)) orders.add(commit)
  let isFirst = true
  for await (const commit of selectedCommits(header, commitsIn(evidence, platform))) {
    yield form.row(commit, isFirst, event => orders.covering(commit.Index, event))
    isFirst = false
  }
  yield* form.beforeUnproved
  if (form.unprovedRow) for await (const line of unproved()) yield form.unprovedRow(unprovedIn(line))
  yield* form.beforeUnprovedData
  yield* quoted(unproved, form, platform)
  yield* form.beforeEvidence
  yield* quoted(evidence, form, platform)
  yield* form.afterEvidence
}

interface Marks {
  /** The line before the data. */
  readonly before: string | undefined
  /** The line after the data. */
  readonly after: string | undefined
}

/** Yields the data of a report between two lines. @throws ProofFailed if it is no report */
async function* dataIn(
  report: Rereadable,
  marksOf: (form: ReportForm) => Marks,
  platform: VerifierPlatform
): AsyncGenerator<string> {
  let form: ReportForm | undefined
  let isData = false
  for await (const line of report()) {
    form ??= formOf(line)
    if (!form) throw new ProofFailed('it is no audit report that this version reads')
    const { before, after } = marksOf(form)
    if (isData && line === after) return
    if (isData) {
      const data = form.unquote(line, platform)
      if (data === undefined) throw new ProofFailed('the data of the report is damaged')
      yield data
    }
    isData ||= line === before
  }
  throw new ProofFailed('the report is cut short')
}

/** Returns what a report is made of. Reading it throws ProofFailed if it is no report. */
export const dataOf = (report: Rereadable, platform: VerifierPlatform): ReportData => ({
  evidence: () =>
    dataIn(
      report,
      ({ beforeEvidence, afterEvidence }) => ({ before: beforeEvidence.at(-1), after: afterEvidence[0] }),
      platform
    ),
  unproved: () =>
    dataIn(
      report,
      ({ beforeUnprovedData, beforeEvidence }) => ({
        before: beforeUnprovedData.at(-1),
        after: beforeEvidence[0]
      }),
      platform
    )
})

/**
 * Compares a report with the lines that its data gives. @returns the number of lines that nothing proves
 * @throws ProofFailed naming the first line that differs
 */
export async function checkReportLines(report: Rereadable, platform: VerifierPlatform): Promise<number> {
  const actual = report()[Symbol.asyncIterator]()
  let form: ReportForm | undefined
  for await (const line of report()) {
    form = formOf(line)
    break
  }
  if (!form) throw new ProofFailed('it is no audit report that this version reads')
  const data = dataOf(report, platform)
  let number = 0
  for await (const line of reportLines(form, data, platform)) {
    number++
    const next = await actual.next()
    if (next.done || next.value !== line)
      throw new ProofFailed(`line ${number} of the report is not what its evidence says`)
  }
  if (!(await actual.next()).done) throw new ProofFailed('something follows the last line of the report')
  let unproved = 0
  for await (const line of data.unproved()) {
    unprovedIn(line)
    unproved++
  }
  return unproved
}

/** Returns what the lines of a verified report prove. @param unproved number of lines that nothing proves */
export const reportFindings = (unproved: number): readonly string[] => [
  'the report shows what its evidence proves',
  ...(unproved > 0
    ? [
        `not proved: ${unproved} of its lines, about denied attempts and uses of rights and tokens, are not in the log`
      ]
    : [])
]
