// User events, and commits of the event stream, in responses (spec: state.md §9, stream.md).
import * as Type from 'typebox'
import { jsonObjectMap, nullableTextList, flag, text, sample, view } from './view.js'

const number = (description: string) => Type.Optional(Type.Integer({ description }))

/** An event that a user fired. */
export const userEvent = view('UserEvent', {
  ID: sample.text('14d670e5-36c0-47dd-97f7-7f0a24b4e1a5'),
  Name: sample.text('deploy'),
  Payload: sample.of('djIuMQ==', Type.Union([Type.String({ description: 'Base64' }), Type.Null()])),
  NodeFilter: sample.text('', 'Regular expression over the names of nodes'),
  ServiceFilter: sample.text('', 'Regular expression over the names of services'),
  TagFilter: sample.text('', 'Regular expression over the tags of services'),
  Version: sample.integer(1),
  LTime: sample.integer(1, 'How many were fired before, and this one')
})

const streamed = view('StreamedEvent', {
  Topic: Type.String(),
  Type: Type.String(),
  Key: Type.String(),
  Namespace: Type.String({ description: 'Empty for resources without one' }),
  Partition: text('Where it is not `default`'),
  FilterKeys: nullableTextList,
  Index: Type.Integer(),
  Payload: jsonObjectMap
})

const EVENT = {
  Topic: 'KV',
  Type: 'KVSet',
  Key: 'web/port',
  Namespace: 'default',
  FilterKeys: ['web/'],
  Index: 42,
  Payload: { KV: { Key: 'web/port', Value: 'ODA4MA==', Flags: 0, CreateIndex: 42, ModifyIndex: 42 } }
}

const cause = Type.Union([Type.Integer(), Type.Array(Type.Integer())], {
  description: 'Index of the commit that led to this one, as to an expiry; a list where there are several'
})

const origin = view('CommitOrigin', {
  Time: Type.String({ format: 'date-time', description: 'When the commit was made' }),
  AccessorID: Type.String({ description: 'Token that asked for it; empty for the server itself' }),
  RequestID: Type.String({
    description: 'X-Service-Request-Id of the request, or a name that the server gave'
  }),
  Command: Type.String({ description: 'What was asked for, such as CreateToken' }),
  Address: Type.String({ description: 'Where the request came from' }),
  Reason: text('X-Service-Reason of the request'),
  ChangeSet: text('ID of the change set of the commit'),
  Owner: text('Owner label that the change set declares for its resources'),
  Cause: Type.Optional(cause)
})

const ending = view('StreamError', { Code: Type.Integer(), Message: Type.String() })

/** One line of the stream: a commit, a heartbeat (`{}`), or a mark. */
export const streamedCommit = view(
  'StreamedCommit',
  {
    Index: sample.of(42, number('Of the commit; 0 in a heartbeat that tells progress')),
    Meta: Type.Optional(origin),
    Events: sample.of([EVENT], Type.Optional(Type.Array(streamed))),
    LastIndex: number('Everything that is selected up to this index was sent; not in commits'),
    Snapshot: text('`end`: the snapshot is complete, and is of Index'),
    CaughtUp: flag('Nothing older is left to be sent'),
    End: text('In the last line: which end that was asked for it is'),
    Error: Type.Optional(ending)
  },
  'One line of the stream: a commit, a heartbeat without fields, or a mark'
)
