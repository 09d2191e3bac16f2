// The two forms of an audit report: JSON, and a page that needs no other file. Each line is made of the data in the report alone.
import type { Commit, Event, Origin } from '../../events/envelope.js'
import type { BundleHeader, BundleSelection } from './bundle-lines.js'
import type { VerifierPlatform } from './platform.js'
import { isGapless } from './selection.js'
import { cellsOf, type UnprovedLine } from './unproved-lines.js'

/** Format version, raised when reports are written otherwise. */
const FORMAT = 1

type ErasedBy = (event: Event) => readonly number[]

export interface ReportForm {
  readonly head: (header: BundleHeader) => readonly string[]
  /** One line. @param erasedBy returns the indexes of the commits that ordered to erase an event of the commit */
  readonly row: (commit: Commit, isFirst: boolean, erasedBy: ErasedBy) => string
  readonly beforeUnproved: readonly string[]
  /** Absent in a form whose data can be read as it is. */
  readonly unprovedRow?: (line: UnprovedLine) => string
  /** The last of these lines precedes the data of the unproved lines. */
  readonly beforeUnprovedData: readonly string[]
  /** The first of these lines follows that data, and the last precedes the evidence. */
  readonly beforeEvidence: readonly string[]
  readonly quote: (data: string, isFirst: boolean, platform: VerifierPlatform) => string
  /** Undefined for a line that nothing was quoted as. */
  readonly unquote: (line: string, platform: VerifierPlatform) => string | undefined
  /** The first of these lines follows the evidence. */
  readonly afterEvidence: readonly string[]
}

/** Returns what a report states about missing commits. */
const completenessOf = (selection: BundleSelection): string =>
  isGapless(selection)
    ? 'Complete: the evidence has every commit of the range.'
    : 'Completeness not proved: other commits may match. Only a report with --complete proves that none is missing.'

const reportedEvent = (event: Event, erasedBy: ErasedBy): object => {
  const { Topic, Type, Key, Namespace, Partition, Payload, Erased } = event
  const orders = Erased ? erasedBy(event) : []
  return {
    Topic,
    Type,
    Key,
    Namespace,
    ...(Partition !== 'default' && { Partition }),
    ...(Erased ? { Erased } : { Payload }),
    ...(orders.length > 0 && { ErasedBy: orders })
  }
}

const separated = (text: string, isFirst: boolean): string => (isFirst ? text : `,${text}`)

export const jsonForm: ReportForm = {
  head: ({ Selection }) => [
    `{"Annals":"audit report","Format":${FORMAT},`,
    `"Selection":${JSON.stringify(Selection)},`,
    `"Completeness":${JSON.stringify(completenessOf(Selection))},`,
    '"Commits":['
  ],
  row: ({ Index, Time, By, Events }, isFirst, erasedBy) =>
    separated(
      JSON.stringify({ Index, Time, By, Events: Events.map(event => reportedEvent(event, erasedBy)) }),
      isFirst
    ),
  beforeUnproved: [],
  beforeUnprovedData: ['],"NotProved":['],
  beforeEvidence: ['],"Evidence":['],
  quote: separated,
  unquote: line => (line.startsWith(',') ? line.slice(1) : line),
  afterEvidence: [']}']
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;'
}

/** Escapes a text for HTML, line ends and control characters included, so that a row remains one line. */
const escaped = (text: string): string =>
  text.replaceAll(
    /[&<>"\p{Cc}\u2028\u2029]/gu,
    character => ENTITIES[character] ?? `&#${character.codePointAt(0)};`
  )

const STYLE =
  'body{font:14px system-ui,sans-serif;margin:2rem}table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3rem .5rem;text-align:left;vertical-align:top}pre{white-space:pre-wrap;overflow-wrap:anywhere}'

const selectionRows = ({ From, To, FromTime, ToTime, ...filters }: BundleSelection): readonly string[] => [
  `<dt>Range</dt><dd>${escaped(FromTime ?? `commit ${From}`)} to ${escaped(ToTime ?? `commit ${To}`)}</dd>`,
  ...Object.entries(filters).map(
    ([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(String(value))}</dd>`
  )
]

const authorOf = ({ AccessorID, Address, Erased }: Origin): string => {
  if (Erased) return 'erased'
  if (AccessorID !== '') return AccessorID
  return Address === '' ? 'the server' : 'without a token'
}

const erasedMark = (orders: readonly number[]): string =>
  orders.length === 0
    ? ' (erased)'
    : ` (erased by the order of commit ${orders.map(index => `<a href="#c${index}">${index}</a>`).join(' or ')})`

const eventCell = (event: Event, erasedBy: ErasedBy): string => {
  const { Topic, Type, Key, Namespace, Partition, Payload, Erased } = event
  const tenancy = `${Partition === 'default' ? '' : `${Partition}/`}${Namespace === '' ? '' : `${Namespace}/`}`
  const payload = Erased
    ? erasedMark(erasedBy(event))
    : `<details><summary>Payload</summary><pre>${escaped(JSON.stringify(Payload))}</pre></details>`
  return `<div>${escaped(Topic)} ${escaped(Type)} <code>${escaped(`${tenancy}${Key}`)}</code>${payload}</div>`
}

/** @param cells HTML */
const rowOf = (cells: readonly string[], id = ''): string =>
  `<tr${id === '' ? '' : ` id="${id}"`}>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`

export const htmlForm: ReportForm = {
  head: ({ Selection, Checkpoint }) => [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>Annals audit report, format ${FORMAT}</title>`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<style>${STYLE}</style></head><body>`,
    '<h1>Audit report</h1>',
    `<dl>${selectionRows(Selection).join('')}</dl>`,
    `<p>${escaped(completenessOf(Selection))}</p>`,
    '<p>The page itself proves nothing. Check it and the evidence in it: <code>annals audit verify FILE --key VKEY</code>.</p>',
    `<details><summary>Signed checkpoint</summary><pre>${escaped(Checkpoint)}</pre></details>`,
    '<table><thead><tr><th>Commit</th><th>Time</th><th>Author</th><th>Address</th><th>Command</th><th>Reason</th><th>Events</th></tr></thead><tbody>'
  ],
  row: ({ Index, Time, By, Events }, _isFirst, erasedBy) => {
    const cells = [String(Index), Time, authorOf(By), By.Address, By.Command, By.Reason ?? ''].map(escaped)
    return rowOf([...cells, Events.map(event => eventCell(event, erasedBy)).join('')], `c${Index}`)
  },
  beforeUnproved: [
    '</tbody></table>',
    '<h2>Not proved</h2>',
    '<p>These lines are not in the log, and nothing proves that they are true or complete: denied attempts and used rights that the server stored, and the last uses of tokens.</p>',
    '<table><thead><tr><th>Time</th><th>After commit</th><th>Token</th><th>Address</th><th>Not proved</th></tr></thead><tbody>'
  ],
  unprovedRow: line => rowOf(cellsOf(line).map(escaped)),
  beforeUnprovedData: ['</tbody></table>', '<script type="application/vnd.annals.unproved">'],
  beforeEvidence: ['</script>', '<script type="application/vnd.annals.evidence">'],
  quote: (data, _isFirst, { toBase64 }) => toBase64(new TextEncoder().encode(data)),
  unquote: (line, { fromBase64 }) => {
    const bytes = fromBase64(line)
    return bytes && new TextDecoder().decode(bytes)
  },
  afterEvidence: ['</script></body></html>']
}

/** Returns the form of a report that begins with a line; undefined for other files. */
export const formOf = (firstLine: string): ReportForm | undefined => {
  if (firstLine === '<!doctype html>') return htmlForm
  return firstLine.startsWith('{"Annals":"audit report"') ? jsonForm : undefined
}
