// Who reads the event stream, in answers.
import * as Type from 'typebox'
import { flag, strict, text } from './strict.js'

const time = (description: string) => Type.String({ format: 'date-time', description })

const subscriptionFields = {
  ID: Type.String({ description: 'Of this server; never used again while it runs' }),
  AccessorID: Type.String({ description: 'Of the token; empty for the anonymous one' }),
  Address: Type.String({ description: 'Where the reader is' }),
  RequestID: Type.String({ description: 'Of the request by which it was opened' }),
  Wire: Type.String({ description: 'ndjson, sse, websocket, annals.v1, poll, webhook or audit' }),
  Topics: Type.Array(Type.String(), { description: 'As they were asked for' }),
  Types: Type.Array(Type.String(), { description: 'Types of events that it is narrowed to; none for all' }),
  Filter: Type.String({ description: 'The expression that events must pass; empty for none' }),
  Namespace: Type.String({ description: '* for all' }),
  Partition: Type.String({ description: '* for all' }),
  Cursor: Type.String({ description: 'Name of the cursor that it moves; empty for none' }),
  Since: time('When it was opened'),
  LastIndex: Type.Integer({ description: 'Everything that it selects was sent up to this index' })
}

const EXAMPLE_STREAM = {
  ID: '17',
  AccessorID: '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4',
  Address: '192.0.2.7',
  RequestID: '4711-9',
  Wire: 'sse',
  Topics: ['KV:load/'],
  Types: [],
  Filter: 'Payload.KV.Flags == 42',
  Namespace: 'default',
  Partition: 'default',
  Cursor: '',
  Since: '2026-03-01T12:00:00Z',
  LastIndex: 4200
}

export const openStream = Type.Object(
  {
    ...subscriptionFields,
    State: Type.String({
      description:
        'live; behind while it reads from the log; snapshot until what is true was sent; waiting while others read by its cursor'
    }),
    LagCommits: Type.Integer({ description: 'Commits that it has not looked at' }),
    BytesWaiting: Type.Integer({ description: 'Bytes that the reader has not taken' })
  },
  { $id: 'OpenStream' }
)

export const endedStream = Type.Object(
  {
    ...subscriptionFields,
    EndedAt: time('When it ended'),
    Code: Type.Integer({
      description: 'That of its last line; 0 where that bore no error, or there was none'
    }),
    Reason: Type.String({ description: 'Why it ended' })
  },
  { $id: 'EndedStream' }
)

/** The open streams, and the last ones that have ended. */
export const eventSubscriptions = Type.Object(
  {
    Open: Type.Array(openStream, { description: 'The oldest first' }),
    Ended: Type.Array(endedStream, {
      description: 'The last 100, the newest first; polls are not among them'
    })
  },
  {
    $id: 'EventSubscriptions',
    examples: [
      {
        Open: [{ ...EXAMPLE_STREAM, State: 'live', LagCommits: 0, BytesWaiting: 0 }],
        Ended: [
          {
            ...EXAMPLE_STREAM,
            ID: '16',
            EndedAt: '2026-03-01T11:59:58Z',
            Code: 403,
            Reason: 'subscription closed by server, client should resubscribe'
          }
        ]
      }
    ]
  }
)

const id = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Name that the client gave a subscription'
})
const index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const some = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 1000, description }))
const place = (description: string) => Type.Optional(Type.Union([index, Type.String()], { description }))

/** Each field but `ID` is the query parameter of its name, those of several values in the plural. */
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
