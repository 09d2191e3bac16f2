import { EventStream, type EventMessage, type EventsOptions } from '../../typescript/events.js'
import { UsageError, writeLines, type Console } from '../console.js'
import { runUntilInterrupted } from '../remote/child.js'
import { remoteCommand } from '../remote/command.js'
import {
  on,
  text as textFlag,
  texts,
  integer,
  moment,
  type FlagDefinitions,
  type FlagValues
} from '../remote/flags.js'
import { isObject } from '../../../events/values.js'
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { originText, originTenancyText } from '../origin-text.js'
import { MOMENT, parseMoment, timeOfMoment } from '../remote/times.js'
import { safe, type Paint } from '../remote/output.js'
import { paintFor } from '../remote/look.js'
import { textOfValue } from '../kv/entries.js'

/** Maximum length of a value in a line, in characters. */
const MOST = 80

const ENDING = /Delete|Deregist|Destroy|Remov|Erase/
const styleOf = (type: string): 'red' | 'green' => (ENDING.test(type) ? 'red' : 'green')

/** Returns the value, status or name of the resource. */
const detailOf = ({ Topic, Payload }: StreamedEvent): string => {
  const resource = Object.values(Payload)[0]
  if (!isObject(resource)) return ''
  const { Value, Status, Name } = resource
  const text = Topic === 'KV' ? textOfValue(Value) : (Status ?? Name)
  if (typeof text !== 'string') return ''
  return JSON.stringify(text.length > MOST ? `${text.slice(0, MOST)}…` : text)
}

const eventLine = (event: StreamedEvent, paint: Paint): string => {
  const detail = detailOf(event)
  return [
    paint('dim', String(event.Index)),
    paint(styleOf(event.Type), event.Type),
    safe(originTenancyText(event)),
    ...(detail === '' ? [] : [safe(detail)])
  ].join('  ')
}

const markLine = ({ Index, Snapshot }: EventMessage): string =>
  Snapshot === 'end'
    ? `${Index}  the current state is complete`
    : 'the stream restarts with the current state'

/** Returns a line for each event of a message, with its origin if known, or one line for a mark. */
export const messageText = (message: EventMessage, paint: Paint): string => {
  if (message.Snapshot !== undefined) return paint('dim', markLine(message))
  const { Meta } = message
  const origin = Meta ? `  ${paint('dim', safe(`${Meta.Time}  ${originText(Meta)}`))}` : ''
  return message.Events.map(event => `${eventLine(event, paint)}${origin}`).join('\n')
}

const flags = {
  topic: texts(
    'topic',
    'only events of this topic: KV, KV:web/port, KV:web/, or any for all that the token may read'
  ),
  type: texts('type', 'only events of this type, such as KVSet'),
  filter: textFlag('expression', 'only events that match, such as \'Key matches "^web"\''),
  index: textFlag('index', 'begin with this commit, with `beginning`, or with `now`'),
  after: moment('begin after this commit or time'),
  since: moment('begin with this commit, or with the first at or after this time'),
  until: textFlag('time', `end at \`now\`, or at ${MOMENT}`),
  limit: integer('number', 'end after this number of commits'),
  snapshot: on('begin with the current state'),
  cursor: textFlag('name', 'resume at the position of this cursor of the server, and advance it'),
  meta: on('include author, time and reason of each commit; needs operator:read'),
  strict: on('fail if the beginning was pruned')
} satisfies FlagDefinitions

type Start = Pick<FlagValues<typeof flags>, 'index' | 'after' | 'since'>

const indexOf = (input: string | undefined): number | undefined => {
  if (input !== undefined && !/^\d{1,15}$/.test(input))
    throw new UsageError(`"${input}" is not an index of a commit`)
  return input === undefined ? undefined : Number(input)
}

/** Returns an index, or a time. @throws UsageError */
const boundOf = (input: string): number | Date => {
  const bound = parseMoment(input)
  const time = timeOfMoment(bound)
  return time === undefined ? Number(bound) : new Date(time)
}

/** Returns the options of the beginning. Of times, commits begin at the next millisecond after them. */
const startOf = ({ index, after, since }: Start): Pick<EventsOptions, 'index' | 'after' | 'since'> => {
  const from = since === undefined ? undefined : boundOf(since)
  const behind = after === undefined ? undefined : boundOf(after)
  if (index !== undefined && typeof from === 'number')
    throw new UsageError('--index and --since exclude each other')
  return {
    index:
      typeof from === 'number' ? from : index === 'beginning' || index === 'now' ? index : indexOf(index),
    after: typeof behind === 'number' ? behind : undefined,
    since: behind instanceof Date ? new Date(behind.getTime() + 1) : from instanceof Date ? from : undefined
  }
}

/** @throws UsageError */
const optionsOf = (input: FlagValues<typeof flags>): EventsOptions => {
  const { topic, type, filter, cursor, until, limit, snapshot, meta, strict } = input
  return {
    topics: topic.length === 0 ? undefined : topic,
    types: type.length === 0 ? undefined : type,
    filter,
    cursor,
    ...startOf(input),
    until: until === undefined || until === 'now' ? until : boundOf(until),
    limit: indexOf(limit),
    snapshot,
    meta,
    strict
  }
}

async function* linesOf(
  stream: EventStream,
  { out, json }: { readonly out: Console; readonly json: boolean }
): AsyncGenerator<string> {
  const asText = (message: EventMessage): string =>
    json ? JSON.stringify(message) : messageText(message, paintFor(out))
  try {
    for await (const message of stream) yield asText(message)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Interrupted') throw error
    if (stream.lastIndex > 0) out.err.write(`To resume: --after ${stream.lastIndex}\n`)
  }
}

export const eventsTail = remoteCommand({
  summary: 'Print events as they happen, a line for each.',
  about:
    'It starts with the newest commits, runs until Ctrl-C unless you give an end, and survives lost connections and server restarts:\nno event is lost or repeated. At Ctrl-C it prints how to resume. With --json a line is a commit. --ns="*" is all namespaces. Without --topic the token needs acl:write. Any token may use --topic any.',
  examples: [
    'annals events tail',
    'annals events tail -topic KV:web/ -meta',
    'annals events tail -topic KV -index beginning -until now --json',
    'annals events tail -topic KV -since 1h',
    'annals events tail -topic any -filter \'Key matches "^web"\'',
    'annals events tail -topic Service -snapshot     the current state, and then the changes'
  ],
  flags,
  run: ({ connection, out, console, flags: input }) =>
    runUntilInterrupted(async signal => {
      const stream = new EventStream(connection, { ...optionsOf(input), signal })
      await writeLines(console.out, linesOf(stream, { out: console, json: out.isData }))
    })
})
