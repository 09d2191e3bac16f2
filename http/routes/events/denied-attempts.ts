// Denied attempts as lines (docs/reference/audit.md).
import type { DenialLog } from '../../audit/denial-log.js'
import { readDenialLine, type DenialLine } from '../../audit/denied-attempt.js'
import { accessorOf } from '../../stream/audit-parsing.js'
import { auditRangeOf, type StreamRange } from '../../stream/range-parameters.js'
import { LINES_TYPE, sendLines } from '../../stream/streamed-response.js'
import type { ShutdownSignal } from '../../wire/shutdown-signal.js'
import type { RequestContext } from '../../wire/request-context.js'
import type { RouteResponse } from '../../wire/response.js'
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { parseTime } from '../../../events/time.js'

/** Parameters that select commits and cannot be combined with `denials`. */
const COMMIT_PARAMETERS = [
  'address',
  'topic',
  'type',
  'filter',
  'ns',
  'namespace',
  'partition',
  'payload',
  'format',
  'limit',
  'strict'
]

interface AttemptSelection {
  readonly accessor: string | undefined
  readonly range: StreamRange
}

/** @throws Refusal `invalid` */
const attemptSelectionOf = ({ query }: RequestContext): AttemptSelection => {
  const other = COMMIT_PARAMETERS.find(name => query.has(name))
  if (other !== undefined)
    throw invalid(
      'audit.invalid',
      `Invalid ${other}: it cannot be given with denials, which take accessor, since and until alone`
    )
  return { accessor: accessorOf(query)?.toLowerCase(), range: auditRangeOf(query) }
}

const isWithin = ({ Time, AfterIndex }: DenialLine, { start, until }: StreamRange): boolean => {
  const time = parseTime(Time) ?? 0
  if (start.kind === 'index' && AfterIndex < start.index) return false
  if (start.kind === 'time' && time < start.time) return false
  if (until?.kind === 'index' && AfterIndex > until.index) return false
  return until?.kind !== 'time' || time <= until.time
}

/** Lines that count omitted attempts match every token. */
const isSelected = (line: DenialLine, { accessor, range }: AttemptSelection): boolean =>
  isWithin(line, range) &&
  (accessor === undefined || line.LeftOut !== undefined || line.AccessorID?.toLowerCase() === accessor)

async function* selectedLines(
  denials: DenialLog,
  selection: AttemptSelection,
  index: number
): AsyncGenerator<string> {
  for await (const text of denials.lines()) {
    const line = readDenialLine(text)
    if (line && isSelected(line, selection)) yield text
  }
  yield JSON.stringify({ End: 'until', LastIndex: index })
}

/** Returns the denied attempts. Their paths and permissions name resources of all kinds, so management is required. @throws Refusal */
export const deniedAttemptLines = (
  request: RequestContext,
  denials: DenialLog,
  { signal }: ShutdownSignal
): RouteResponse => {
  const selection = attemptSelectionOf(request)
  request.require('operator', 'read')
  request.require('acl', 'read', '', DEFAULT_TENANCY)
  if (!denials.isOn)
    throw invalid('audit.invalid', 'Invalid denials: denied attempts are not kept (audit.denials is off)')
  const { settings, views } = request
  const lines = selectedLines(denials, selection, views.index)
  const stuckMs = settings.stream.write_timeout
  return {
    status: 200,
    body: '',
    type: '',
    headers: ['Content-Type', LINES_TYPE, 'Cache-Control', 'no-cache', 'Connection', 'close'],
    stream: response => void sendLines(response, lines, { stuckMs, signal })
  }
}
