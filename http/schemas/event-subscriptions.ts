// Event streams in responses, and the messages of `annals.v1`.
import * as Type from 'typebox'
import { flag, strict, text, exampleOf, sample, schemasOf, view, type ValuesOf } from './view.js'

const time = (description: string) => Type.String({ format: 'date-time', description })
const texts = (values: readonly string[], description: string) =>
  sample.of(values, Type.Array(Type.String(), { description }))

const streamFields = {
  ID: sample.text('17', 'Of this server; never used again while it runs'),
  AccessorID: sample.text(
    '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4',
    'Of the token; empty for the anonymous one'
  ),
  Address: sample.text('192.0.2.7', 'Where the reader is'),
  RequestID: sample.text('4711-9', 'Of the request by which it was opened'),
  Wire: sample.text('sse', 'ndjson, sse, websocket, annals.v1, poll, webhook or audit'),
  Topics: texts(['KV:load/'], 'As they were asked for'),
  Types: texts([], 'Types of events that it is narrowed to; none for all'),
  Filter: sample.text('Payload.KV.Flags == 42', 'The expression that events must pass; empty for none'),
  Namespace: sample.text('default', '* for all'),
  Partition: sample.text('default', '* for all'),
  Cursor: sample.text('', 'Name of the cursor that it moves; empty for none'),
  Since: sample.of('2026-03-01T12:00:00Z', time('When it was opened')),
  LastIndex: sample.integer(4200, 'Everything that it selects was sent up to this index')
}
const openFields = {
  State: sample.text(
    'live',
    'live; behind while it reads from the log; snapshot until what is true was sent; waiting while others read by its cursor'
  ),
  LagCommits: sample.integer(0, 'Commits that it has not looked at'),
  BytesWaiting: sample.integer(0, 'Bytes that the reader has not taken')
}
const endedFields = {
  EndedAt: sample.of('2026-03-01T11:59:58Z', time('When it ended')),
  Code: sample.integer(403, 'That of its last line; 0 where that bore no error, or there was none'),
  Reason: sample.text('subscription closed by server, client should resubscribe', 'Why it ended')
}

export type ReportedStream = ValuesOf<typeof streamFields>
export type OpenStream = ReportedStream & ValuesOf<typeof openFields>
export type EndedStream = ReportedStream & ValuesOf<typeof endedFields>

const openStream = Type.Object(schemasOf({ ...streamFields, ...openFields }), { $id: 'OpenStream' })
const endedStream = Type.Object(schemasOf({ ...streamFields, ...endedFields }), { $id: 'EndedStream' })

/** The open and the last ended streams. */
export const eventSubscriptions = view('EventSubscriptions', {
  Open: sample.of(
    [exampleOf({ ...streamFields, ...openFields })],
    Type.Array(openStream, { description: 'The oldest first' })
  ),
  Ended: sample.of(
    [{ ...exampleOf(streamFields), ID: '16', ...exampleOf(endedFields) }],
    Type.Array(endedStream, {
      description: 'The last 100, the newest first; polls are not among them'
    })
  )
})

const id = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Name that the client gave a subscription'
})
const index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const some = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 1000, description }))
const place = (description: string) => Type.Optional(Type.Union([index, Type.String()], { description }))

/** Each field except `ID` is the query parameter of its name; fields with several values are plural. */
export const subscribe = strict({
  ID: id,
  Topics: some('Topic, Topic:key or Topic:folder/; everything when absent'),
  Types: some('Only events of these types'),
  Filter: text('Only events that pass this expression'),
  Index: place('First index to send, `beginning` or `now`'),
  After: place('Last index that is not sent'),
  Since: text('Start with the first commit at or after this time'),
  Namespace: text('Namespace of the events, `*` for all'),
  Partition: text('Partition of the events, `*` for all'),
  Cursor: text('Cursor to read by, which says what is sent and where the stream starts'),
  Snapshot: flag('Begin with what is true now, as the last events of everything that exists'),
  Until: place('Last index that is sent, `now`, or a time'),
  Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  Progress: flag('Heartbeats tell up to which index everything was sent'),
  Format: text('Events as records of another product: ocsf or ecs'),
  Meta: flag('Each message tells who made its commit and when'),
  Strict: flag('Refuse an index that is no longer retained')
})

export const acknowledge = strict({ ID: id, Index: index })

/** Exactly one of the members. */
export const clientMessage = strict({
  Token: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  Subscribe: Type.Optional(subscribe),
  Unsubscribe: Type.Optional(id),
  Ack: Type.Optional(acknowledge)
})
