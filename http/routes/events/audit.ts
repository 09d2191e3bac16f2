// The audit: commits by caller, time, reason or resource, and denied attempts, as lines (docs/reference/audit.md).
import type { DenialLog } from '../../audit/denial-log.js'
import type { ShutdownSignal } from '../../wire/shutdown-signal.js'
import type { EventAudits } from '../../stream/audits.js'
import { AUDIT_RANGE, AUDIT_SELECTION } from '../../stream/audit-parsing.js'
import { flag } from '../../stream/parameter-values.js'
import { LINES_TYPE } from '../../stream/streamed-response.js'
import { present } from '../../wire/query.js'
import { json } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import { countDeniedAttempts, deniedAttemptCounts, deniedAttemptLines } from './denied-attempts.js'

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
