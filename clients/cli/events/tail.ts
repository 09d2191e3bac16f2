import { EventStream, type EventMessage, type EventsOptions } from '../../typescript/events.js'
import { UsageError, writeLines, type Console } from '../console.js'
import { runUntilInterrupted } from '../remote/child.js'
import { remoteCommand } from '../remote/command.js'
import {
  on,
  text as textFlag,
  texts,
  integer,
  type FlagDefinitions,
  type FlagValues
} from '../remote/flags.js'
import { isObject } from '../../../events/values.js'
import { styleText } from 'node:util'
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { originText, originTenancyText } from '../origin-text.js'
import { safe } from '../remote/output.js'
import { textOfValue } from '../kv/entries.js'

/** Maximum length of a value in a line, in characters. */
const MOST = 80

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

const plain: Paint = (_, text) => text
/** Callers have checked that the output is a terminal. */
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false })

const ENDING = /Delete|Deregist|Destroy|Remov|Erase/
const styleOf = (type: string): Style => (ENDING.test(type) ? 'red' : 'green')

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
    ? `${Index}  what was true until here is complete`
    : 'it begins again with what is true now'

/** Returns a line for each event of a message, with its origin if known, or one line for a mark. */
export const messageText = (message: EventMessage, isColoured: boolean): string => {
  const paint = isColoured ? coloured : plain
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
  after: integer('index', 'begin after this commit'),
  since: textFlag('time', 'begin with the first commit at or after a time such as 2026-01-31T12:00:00Z'),
  until: textFlag('index', 'end with this commit, at a time, or with the newest of `now`'),
  limit: integer('number', 'end after this number of commits'),
  snapshot: on('begin with the current state'),
  cursor: textFlag('name', 'resume at the position of this cursor of the server, and advance it'),
  meta: on('include author, time and reason of each commit; needs operator:read'),
  strict: on('fail if the beginning was pruned')
} satisfies FlagDefinitions

const timeOf = (input: string): Date => {
  const time = new Date(input)
  if (!/^\d{4}-\d\d-\d\dT/.test(input) || Number.isNaN(time.getTime()))
    throw new UsageError(`"${input}" is no time such as 2026-01-31T12:00:00Z`)
  return time
}

const isIndex = (input: string): boolean => /^\d+$/.test(input)

const indexOf = (input: string | undefined): number | undefined => {
  if (input !== undefined && (!isIndex(input) || !Number.isSafeInteger(Number(input))))
    throw new UsageError(`"${input}" is no index of a commit`)
  return input === undefined ? undefined : Number(input)
}

const untilOf = (input: string): EventsOptions['until'] => {
  if (input === 'now') return input
  return isIndex(input) ? indexOf(input) : timeOf(input)
}

/** @throws UsageError */
const optionsOf = (input: FlagValues<typeof flags>): EventsOptions => {
  const { topic, type, filter, cursor, index, after, since, until, limit, snapshot, meta, strict } = input
  return {
    topics: topic.length === 0 ? undefined : topic,
    types: type.length === 0 ? undefined : type,
    filter,
    cursor,
    index: index === 'beginning' || index === 'now' ? index : indexOf(index),
    after: indexOf(after),
    since: since === undefined ? undefined : timeOf(since),
    until: until === undefined ? undefined : untilOf(until),
    limit: indexOf(limit),
    snapshot,
    meta,
    strict
  }
}

/** See no-color.org. */
const isColoured = ({ out, env }: Console): boolean =>
  'isTTY' in out && out.isTTY === true && !env['NO_COLOR']

async function* linesOf(
  stream: EventStream,
  { out, json }: { readonly out: Console; readonly json: boolean }
): AsyncGenerator<string> {
  const asText = (message: EventMessage): string =>
    json ? JSON.stringify(message) : messageText(message, isColoured(out))
  try {
    for await (const message of stream) yield asText(message)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Interrupted') throw error
    if (stream.lastIndex > 0) out.err.write(`To resume: --after ${stream.lastIndex}\n`)
  }
}

export const eventsTail = remoteCommand({
  summary: 'Print what happens, as it happens: a line for each event.',
  about:
    'It starts with the newest commits, runs until Ctrl-C unless you give an end, and survives lost connections and server restarts:\nno event is lost or repeated. At Ctrl-C it prints how to resume. With --json a line is a commit. --ns="*" is all namespaces.',
  examples: [
    'annals events tail',
    'annals events tail -topic KV:web/ -meta',
    'annals events tail -topic KV -index beginning -until now --json',
    'annals events tail -topic any -filter \'Key matches "^web"\'',
    'annals events tail -topic Service -snapshot     what there is, and then what changes'
  ],
  flags,
  run: ({ connection, out, console, flags: input }) =>
    runUntilInterrupted(async signal => {
      const stream = new EventStream(connection, { ...optionsOf(input), signal })
      await writeLines(console.out, linesOf(stream, { out: console, json: out.isJson }))
    })
})
