// Who did what, when and why: what happened, as lines (docs/evidence.md).
import type { DenialLog } from '../../audit/denial-log.js'
import type { ShutdownSignal } from '../../wire/shutdown-signal.js'
import { type EventAudits, accessorOf } from '../../stream/audits.js'
import { flag } from '../../stream/parameter-values.js'
import { SELECTION } from '../../stream/route.js'
import { LINES_TYPE, sendLines } from '../../stream/streamed-response.js'
import { present } from '../../wire/query.js'
import { requires, route, type Route } from '../../wire/route.js'
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { parseTime } from '../../../events/time.js'
import { readDenialLine, type DenialLine } from '../../audit/denied-attempt.js'
import { auditRangeOf, type StreamRange } from '../../stream/range-parameters.js'
import type { RouteResponse } from '../../wire/response.js'
import type { RequestContext } from '../../wire/request-context.js'

/** What selects commits, and means nothing of what never became one. */
const OF_COMMITS = ['topic', 'type', 'filter', 'ns', 'namespace', 'partition', 'payload', 'limit', 'strict']

interface Wanted {
  readonly accessor: string | undefined
  readonly range: StreamRange
}

/** @throws Refusal `invalid` */
const wantedOf = ({ query }: RequestContext): Wanted => {
  const other = OF_COMMITS.find(name => query.has(name))
  if (other !== undefined)
    throw invalid(
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

/** Lines that tell how many were left out are of every token. */
const isWanted = (line: DenialLine, { accessor, range }: Wanted): boolean =>
  isWithin(line, range) &&
  (accessor === undefined || line.LeftOut !== undefined || line.AccessorID?.toLowerCase() === accessor)

async function* found(denials: DenialLog, wanted: Wanted, index: number): AsyncGenerator<string> {
  for await (const text of denials.lines()) {
    const line = readDenialLine(text)
    if (line && isWanted(line, wanted)) yield text
  }
  yield JSON.stringify({ End: 'until', LastIndex: index })
}

/** Answers with the denied attempts, for auditors: paths and permissions name resources of all kinds. @throws Refusal */
const deniedAttemptLines = (
  request: RequestContext,
  denials: DenialLog,
  { signal }: ShutdownSignal
): RouteResponse => {
  const wanted = wantedOf(request)
  request.require('operator', 'read')
  request.require('acl', 'read', '', DEFAULT_TENANCY)
  if (!denials.isOn) throw invalid('Invalid denials: denied attempts are not kept (audit.denials is off)')
  const { settings, views } = request
  const lines = found(denials, wanted, views.index)
  const stuckMs = settings.stream.write_timeout
  return {
    status: 200,
    body: '',
    type: '',
    headers: ['Content-Type', LINES_TYPE, 'Cache-Control', 'no-cache', 'Connection', 'close'],
    stream: response => void sendLines(response, lines, { stuckMs, signal })
  }
}

const { topic, type, filter } = SELECTION

/** @param denials what was tried and denied, for who asks for that instead */
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
    summary: 'Who did what, when and why: what happened, as newline-delimited JSON that ends',
    access: requires('operator:read', 'and every event by the right to read what it is about'),
    tenancy: 'none',
    refusesUnknown: true,
    query: {
      accessor: 'Only what the token with this AccessorID did',
      topic,
      type,
      filter,
      ns: 'Namespace of the events; all when absent',
      namespace: 'The same as ns',
      partition: 'Partition of the events; all when absent',
      since:
        'First index, or a time, RFC 3339: the first commit at or after it; the oldest that is kept when absent',
      until: 'Last index, `now`, or a time, RFC 3339: the newest commit of then; now when absent',
      limit: 'End after so many commits',
      payload: present('Events with their payloads, as the stream shows them'),
      denials:
        'In place of commits, what was tried and denied, where audit.denials has it kept; needs acl:read besides, and takes accessor, since and until alone',
      strict: 'Refuse with 410 a start that is no longer retained'
    },
    rawResponse: {
      type: LINES_TYPE,
      description:
        'A line for each commit, the oldest first, with the events that may be seen; the last line says how it ended, and with no filter how many events were withheld',
      example:
        '{"Index":42,"Time":"2026-01-31T12:00:00Z","By":{"AccessorID":"6a1253d2-1785-24fd-91c2-f8e78c745511","Address":"192.0.2.7","RequestID":"4711-9","Command":"SetKey","Reason":"OPS-12"},"Events":[{"Topic":"KV","Type":"KVSet","Key":"web/port","Namespace":"default","FilterKeys":null}]}\n{"End":"until","LastIndex":42}\n'
    },
    outcomes: { 410: { description: 'With strict: the start is no longer retained' } },
    handle: request =>
      flag(request.query, 'denials') ? deniedAttemptLines(request, denials, closing) : audits.answer(request)
  })
]
