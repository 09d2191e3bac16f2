import { AUDIT_HEAD, auditRow, type AuditLine } from '../../audit-lines.js'
import { UsageError, writeLines } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { on, text, texts, integer, moment } from '../remote/flags.js'
import { eventLine, originText } from '../origin-text.js'
import { safe, timeText, type Look } from '../remote/output.js'
import { newestDenials, newestFirst, oldestFirst, records } from './audit-lines.js'

const commitLines = (
  { Index, Time = '', By = {}, Events = [] }: AuditLine,
  look: Look
): readonly string[] => [`${Index}  ${timeText(Time, look)}  ${originText(By)}`, ...Events.map(eventLine)]

/** One denied attempt, several equal ones, or the count of those that were omitted. */
const denialLine = (denial: AuditLine, look: Look): string => {
  const { LeftOut, Method = '', Path = '', AccessorID, Address = '', Count } = denial
  const Time = timeText(denial.Time ?? '', look)
  if (LeftOut !== undefined) return `${Time}  ${LeftOut} more were denied`
  const where = denial.On ? ` on "${denial.On}"` : ''
  const what = denial.Refusal ?? `lacks ${denial.Permission}${where}`
  const who = AccessorID ? `token ${AccessorID}` : 'without a valid token'
  const times = Count === undefined ? '' : `, ${Count} times`
  return `${Time}  ${Method} ${Path}  ${who} from ${Address}: ${what}${times}`
}

export const auditText = (line: AuditLine, look: Look): string =>
  (line.Index === undefined ? [denialLine(line, look)] : commitLines(line, look)).map(safe).join('\n')

/** Forms of which the server makes the lines. */
const RECORDS: readonly string[] = ['ocsf', 'ecs', 'cef']

export const audit = remoteCommand({
  summary: 'Print the audit log: commits with author, time, reason and changes, newest first.',
  about:
    'Requires operator:read, and for each event the permission to read its resource, such as acl:read. With --json a line is a commit, as\nin `GET /v1/event/audit`. With -o ocsf, ecs or cef a line is an event as other products read it, the oldest first.\nA rare match in a long log is faster with --since.',
  examples: [
    'annals audit -limit 5                       the newest five commits',
    'annals audit -since yesterday -reverse      all since yesterday, oldest first',
    'annals audit -accessor 6a1253d2-1785-24fd-91c2-f8e78c745511 -topic KV',
    'annals audit -o ocsf -since 1h              a record of OCSF for each event',
    'annals audit -o csv -topic KV               for a spreadsheet',
    'annals audit -denials -since 1h             denied requests, if the server stores them'
  ],
  flags: {
    accessor: text('id', 'only commits of this token'),
    address: text('ip', 'only commits of requests from this source address'),
    topic: texts('topic', 'only events of this topic, such as KV or KV:web/'),
    type: texts('type', 'only events of this type, such as KVSet'),
    filter: text('expression', 'only events that match'),
    since: moment('from this commit or time'),
    until: moment('up to this commit or time'),
    limit: integer('number', 'maximum of commits: the newest, or with --reverse the oldest'),
    reverse: on('oldest first'),
    payload: on('include the payloads; needs --json'),
    strict: on('fail if the beginning was pruned'),
    denials: on('denied requests instead of commits')
  },
  isRead: true,
  forms: ['csv', ...RECORDS],
  run: async ({ get, read, out, otherForm, console, flags }) => {
    const { accessor, address, topic, type, filter, since, until, payload, strict, denials, reverse } = flags
    const query = { accessor, address, topic, type, filter, payload, strict, denials }
    const limit = flags.limit === undefined ? Infinity : Number(flags.limit)
    if (limit === 0) throw new UsageError('--limit must be at least 1')
    if (otherForm !== undefined && RECORDS.includes(otherForm)) {
      if (flags.limit !== undefined) throw new UsageError(`--limit and -o ${otherForm} exclude each other`)
      const selection = { query: { ...query, format: otherForm }, since, until }
      return writeLines(console.out, records({ get, read }, selection))
    }
    const fromEnd = denials ? newestDenials : newestFirst
    const lines = (reverse ? oldestFirst : fromEnd)({ get, read }, { query, since, until, limit })
    const notes: string[] = []
    const printed = async function* () {
      const { more, withheld } = yield* lines
      if (more !== undefined) notes.push(more)
      if (withheld > 0) notes.push(`Events withheld from this token: ${withheld}`)
    }
    const asTexts = async function* (all: AsyncIterable<AuditLine>) {
      for await (const line of all) yield auditText(line, out.look)
    }
    const rows = async function* (all: AsyncIterable<AuditLine>) {
      yield AUDIT_HEAD
      for await (const line of all) yield auditRow(line)
    }
    if (otherForm === 'csv') await writeLines(console.out, rows(printed()))
    else await out.stream(printed(), { asTexts, hasLines: true })
    for (const note of notes) console.err.write(`${note}\n`)
  }
})
