import type { Schemas } from '../../typescript/typed/index.js'
import { Readable } from 'node:stream'
import { writeLines } from '../console.js'
import { Failed } from '../failures.js'
import { jsonLinesOf } from '../json-lines.js'
import { remoteCommand } from '../remote/command.js'
import { on, text, texts, integer } from '../remote/flags.js'
import { originText, originTenancyText } from '../origin-text.js'
import { safe } from '../remote/output.js'

type EventSummary = Pick<Schemas['StreamedEvent'], 'Topic' | 'Type' | 'Key' | 'Namespace' | 'Partition'>

interface Denial {
  readonly Method?: string
  readonly Path?: string
  readonly AccessorID?: string
  readonly Address?: string
  readonly Permission?: string
  readonly On?: string
  readonly Refusal?: string
  readonly Count?: number
  readonly LeftOut?: number
}

interface AuditLine extends Denial {
  readonly Index?: number
  readonly Time?: string
  readonly By?: Schemas['VersionOrigin']
  readonly Events?: readonly (EventSummary & { readonly Erased?: true })[]
  readonly Error?: { readonly Code: number; readonly Message: string }
  readonly End?: string
  readonly LastIndex?: number
  readonly Withheld?: number
}

const commitLines = ({ Index, Time, By = {}, Events = [] }: AuditLine): readonly string[] => [
  `${Index}  ${Time}  ${originText(By)}`,
  ...Events.map(
    event =>
      `    ${event.Topic} ${event.Type}  ${originTenancyText(event)}${event.Erased ? '  (erased)' : ''}`
  )
]

/** One denied attempt, several equal ones, or the count of those that were omitted. */
const denialLine = (denial: AuditLine): string => {
  const { Time, LeftOut, Method = '', Path = '', AccessorID, Address = '', Count } = denial
  if (LeftOut !== undefined) return `${Time}  ${LeftOut} more were denied`
  const where = denial.On ? ` on "${denial.On}"` : ''
  const what = denial.Refusal ?? `lacks ${denial.Permission}${where}`
  const who = AccessorID ? `token ${AccessorID}` : 'without a valid token'
  const times = Count === undefined ? '' : `, ${Count} times`
  return `${Time}  ${Method} ${Path}  ${who} from ${Address}: ${what}${times}`
}

export const auditText = (line: AuditLine): string =>
  (line.Index === undefined ? [denialLine(line)] : commitLines(line)).map(safe).join('\n')

/** Yields the lines of the response without heartbeats. @throws Failed if it breaks off */
async function* shown(body: AsyncIterable<Buffer>, asJson: boolean): AsyncGenerator<string> {
  for await (const json of jsonLinesOf(body, Number.MAX_SAFE_INTEGER)) {
    const line: AuditLine = JSON.parse(json)
    if (line.Error) throw new Failed(`${line.Error.Message}; printed up to ${line.LastIndex}`)
    if (Object.keys(line).length === 0) continue
    if (asJson) yield json
    else if (line.End === 'limit') yield `There is more: --since ${(line.LastIndex ?? 0) + 1}`
    else if (line.End === undefined) yield auditText(line)
    else if (line.Withheld) yield `Events withheld from this token: ${line.Withheld}`
  }
}

export const audit = remoteCommand({
  summary: 'Print the audit log: commits with author, time, reason and changes, oldest first.',
  about:
    'Requires operator:read, and for each event the permission to read its resource, such as acl:read. With --json it prints the lines of\n`GET /v1/event/audit`. It is faster with --since.',
  examples: [
    'annals audit -since 2026-01-01T00:00:00Z',
    'annals audit -accessor 6a1253d2-1785-24fd-91c2-f8e78c745511 -topic KV',
    'annals audit -denials -since 2026-01-31T00:00:00Z    denied requests, if the server stores them'
  ],
  flags: {
    accessor: text('id', 'only commits of this token'),
    topic: texts('topic', 'only events of this topic, such as KV or KV:web/'),
    type: texts('type', 'only events of this type, such as KVSet'),
    filter: text('expression', 'only events that match'),
    since: text('index', 'from this commit or time'),
    until: text('index', 'up to this commit or time'),
    limit: integer('number', 'maximum of commits'),
    payload: on('include the payloads; needs --json'),
    strict: on('fail if the beginning was pruned'),
    denials: on('denied requests instead of commits')
  },
  run: async ({ get, out, console, flags }) => {
    const { accessor, topic, type, filter, since, until, limit, payload, strict, denials } = flags
    const query = { accessor, topic, type, filter, since, until, limit, payload, strict, denials }
    const { body } = await get('/v1/event/audit', query)
    if (body) await writeLines(console.out, shown(Readable.fromWeb(body), out.isJson))
  }
})
