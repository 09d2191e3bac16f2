// Denied attempts as lines (docs/reference/audit.md).
import * as Type from 'typebox'
import type { DenialLog } from '../../audit/denial-log.js'
import { readDenialLine, type DenialLine } from '../../audit/denied-attempt.js'
import { accessorOf } from '../../stream/audit-parsing.js'
import { Facet, facetValues } from '../../stream/facet.js'
import { auditRangeOf, type StreamRange } from '../../stream/range-parameters.js'
import { sample, view } from '../../schemas/view.js'
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

/** Their paths and permissions name resources of all kinds, so management is required. @throws Refusal */
const requireManagement = (request: RequestContext): void => {
  request.require('operator', 'read')
  request.require('acl', 'read', '', DEFAULT_TENANCY)
}

/** Returns the denied attempts. @throws Refusal */
export const deniedAttemptLines = (
  request: RequestContext,
  denials: DenialLog,
  { signal }: ShutdownSignal
): RouteResponse => {
  const selection = attemptSelectionOf(request)
  requireManagement(request)
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

export const deniedAttemptCounts = view('DeniedAttemptCounts', {
  IsRecorded: sample.of(
    true,
    Type.Boolean({
      description: 'False if denied attempts are not kept (`audit.denials`); then nothing is counted'
    })
  ),
  Attempts: sample.integer(12, 'Denied attempts of the period'),
  Accessors: sample.of(
    [{ Value: '6a1253d2-1785-24fd-91c2-f8e78c745511', Count: 12 }],
    facetValues('AccessorIDs; empty for unknown tokens and for erased origins', 'Attempts')
  )
})

/** Counts the denied attempts of a period. The files have a limited size (`audit.denials_bytes`). @throws Refusal */
export const countDeniedAttempts = async (request: RequestContext, denials: DenialLog): Promise<object> => {
  const range = auditRangeOf(request.query)
  requireManagement(request)
  const accessors = new Facet(({ AccessorID = '' }: DenialLine) => [AccessorID])
  let attempts = 0
  if (denials.isOn)
    for await (const text of denials.lines()) {
      const line = readDenialLine(text)
      if (!line || !isWithin(line, range)) continue
      const { Count = 1, LeftOut } = line
      attempts += LeftOut ?? Count
      if (LeftOut === undefined) accessors.add(line, Count)
    }
  return { IsRecorded: denials.isOn, Attempts: attempts, Accessors: accessors.values }
}
