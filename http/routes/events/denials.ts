// What was tried and denied, as lines (docs/evidence.md).
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { parseTime } from '../../../events/time.js'
import type { DenialLog } from '../../audit/denial-log.js'
import { readDenialLine, type DenialLine } from '../../audit/denial.js'
import type { Closing } from '../../wire/closing.js'
import { accessorOf } from '../../stream/audits.js'
import { pastRangeOf, type StreamRange } from '../../stream/range-parameters.js'
import { sendLines } from '../../stream/sent-lines.js'
import { LINES_TYPE } from '../../stream/streamed-answer.js'
import type { Answer } from '../../wire/answer.js'
import type { ApiRequest } from '../../wire/request.js'

/** What selects commits, and means nothing of what never became one. */
const OF_COMMITS = ['topic', 'type', 'filter', 'ns', 'namespace', 'partition', 'payload', 'limit', 'strict']

interface Wanted {
  readonly accessor: string | undefined
  readonly range: StreamRange
}

/** @throws Refusal `invalid` */
const wantedOf = ({ query }: ApiRequest): Wanted => {
  const other = OF_COMMITS.find(name => query.has(name))
  if (other !== undefined)
    throw invalid(
      `Invalid ${other}: it cannot be given with denials, which take accessor, since and until alone`
    )
  return { accessor: accessorOf(query)?.toLowerCase(), range: pastRangeOf(query) }
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
export const deniedAttempts = (request: ApiRequest, denials: DenialLog, { signal }: Closing): Answer => {
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
