// What clients say over a WebSocket of the event stream that carries several subscriptions.
import * as Type from 'typebox'
import { flag, strict, text } from './strict.js'

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
