// The audit: commits by caller, time, reason or resource, and denied attempts, as lines (docs/reference/audit.md).
import * as Type from 'typebox'
import type { DenialLog } from '../../audit/denial-log.js'
import { readDenialLine, type DenialLine } from '../../audit/denied-attempt.js'
import { accessorOf, AUDIT_RANGE, AUDIT_SELECTION } from '../../stream/audit-parsing.js'
import { Facet, facetValues } from '../../stream/facet.js'
import { auditRangeOf, type StreamRange } from '../../stream/range-parameters.js'
import { sample, view } from '../../schemas/view.js'
import { LINES_TYPE, sendLines } from '../../stream/streamed-response.js'
import type { ShutdownSignal } from '../../wire/shutdown-signal.js'
import type { RequestContext } from '../../wire/request-context.js'
import { type RouteResponse, json } from '../../wire/response.js'
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { parseTime } from '../../../events/time.js'
import type { EventAudits } from '../../stream/audits.js'
import { flag } from '../../stream/parameter-values.js'
import { present } from '../../wire/query.js'
import { requires, route, type Route } from '../../wire/route.js'

// Denied attempts as lines (docs/reference/audit.md).

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
const deniedAttemptLines = (
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

const deniedAttemptCounts = view('DeniedAttemptCounts', {
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
const countDeniedAttempts = async (request: RequestContext, denials: DenialLog): Promise<object> => {
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

export const auditRoutes = (
  audits: EventAudits,
  denials: DenialLog,
  closing: ShutdownSignal
): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/audit',
    process: 'main',
    operationId: 'auditEvents',
    summary: 'Audit commits as newline-delimited JSON that ends: caller, time, reason and events',
    access: requires('operator:read', 'and for every event the permission to read its resource'),
    tenancy: 'none',
    refusesUnknown: true,
    query: {
      ...AUDIT_SELECTION,
      ...AUDIT_RANGE,
      limit: 'End after this number of commits',
      format:
        'A line for each event in the format of another product: ocsf (1.7.0), ecs (8.17) or cef; the last line remains JSON',
      payload: present('Events with their payloads, as the stream shows them'),
      denials:
        'Return denied attempts in place of commits if audit.denials is on; also needs acl:read, and takes only accessor, since and until',
      strict: 'Refuse with 410 a start that is no longer retained'
    },
    rawResponse: {
      type: LINES_TYPE,
      description:
        'A line for each commit, the oldest first, with the visible events; the last line holds the reason for the end and, without a filter, the number of withheld events',
      example:
        '{"Index":42,"Time":"2026-01-31T12:00:00Z","By":{"AccessorID":"6a1253d2-1785-24fd-91c2-f8e78c745511","Address":"192.0.2.7","RequestID":"4711-9","Command":"SetKey","Reason":"OPS-12"},"Events":[{"Topic":"KV","Type":"KVSet","Key":"web/port","Namespace":"default","FilterKeys":null}]}\n{"End":"until","LastIndex":42}\n'
    },
    outcomes: { 410: { description: 'With strict: the start is no longer retained' } },
    handle: request =>
      flag(request.query, 'denials') ? deniedAttemptLines(request, denials, closing) : audits.answer(request)
  }),
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/audit/denials',
    process: 'main',
    operationId: 'countDenials',
    summary: 'Count the denied attempts of a period by accessor',
    access: requires('operator:read', 'and acl:read'),
    tenancy: 'none',
    refusesUnknown: true,
    query: AUDIT_RANGE,
    response: deniedAttemptCounts,
    handle: async request => json(await countDeniedAttempts(request, denials))
  })
]
