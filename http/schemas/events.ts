// User events, and commits of the event stream, in answers (spec: state.md §9, stream.md).
import * as Type from 'typebox'
import { nullableTextList } from './shared-views.js'

/** An event that a user fired. */
export const userEvent = Type.Object(
  {
    ID: Type.String(),
    Name: Type.String(),
    Payload: Type.Union([Type.String({ description: 'Base64' }), Type.Null()]),
    NodeFilter: Type.String({ description: 'Regular expression over the names of nodes' }),
    ServiceFilter: Type.String({ description: 'Regular expression over the names of services' }),
    TagFilter: Type.String({ description: 'Regular expression over the tags of services' }),
    Version: Type.Integer(),
    LTime: Type.Integer({ description: 'How many were fired before, and this one' })
  },
  {
    $id: 'UserEvent',
    examples: [
      {
        ID: '14d670e5-36c0-47dd-97f7-7f0a24b4e1a5',
        Name: 'deploy',
        Payload: 'djIuMQ==',
        NodeFilter: '',
        ServiceFilter: '',
        TagFilter: '',
        Version: 1,
        LTime: 1
      }
    ]
  }
)

const streamed = Type.Object(
  {
    Topic: Type.String(),
    Type: Type.String(),
    Key: Type.String(),
    Namespace: Type.String({ description: 'Empty for resources without one' }),
    Partition: Type.Optional(Type.String({ description: 'Where it is not `default`' })),
    FilterKeys: nullableTextList,
    Index: Type.Integer(),
    Payload: Type.Record(Type.String(), Type.Unknown())
  },
  { $id: 'StreamedEvent' }
)

/** Of a commit that came of others. */
const cause = Type.Union([Type.Integer(), Type.Array(Type.Integer())], {
  description: 'Index of the commit that led to this one, as to an expiry; a list where there are several'
})

const origin = Type.Object(
  {
    Time: Type.String({ format: 'date-time', description: 'When the commit was made' }),
    AccessorID: Type.String({ description: 'Token that asked for it; empty for the server itself' }),
    RequestID: Type.String({
      description: 'X-Service-Request-Id of the request, or a name that the server gave'
    }),
    Command: Type.String({ description: 'What was asked for, such as CreateToken' }),
    Address: Type.String({ description: 'Where the request came from' }),
    Reason: Type.Optional(Type.String({ description: 'X-Service-Reason of the request' })),
    Cause: Type.Optional(cause)
  },
  { $id: 'CommitOrigin' }
)

const ending = Type.Object({ Code: Type.Integer(), Message: Type.String() }, { $id: 'StreamError' })

/** One line of the stream: a commit, a heartbeat (`{}`), or a mark. */
export const streamedCommit = Type.Object(
  {
    Index: Type.Optional(
      Type.Integer({ description: 'Of the commit; 0 in a heartbeat that tells progress' })
    ),
    Meta: Type.Optional(origin),
    Events: Type.Optional(Type.Array(streamed)),
    LastIndex: Type.Optional(
      Type.Integer({ description: 'Everything that is selected up to this index was sent; not in commits' })
    ),
    Snapshot: Type.Optional(Type.String({ description: '`end`: the snapshot is complete, and is of Index' })),
    CaughtUp: Type.Optional(Type.Boolean({ description: 'Nothing older is left to be sent' })),
    End: Type.Optional(Type.String({ description: 'In the last line: which end that was asked for it is' })),
    Error: Type.Optional(ending)
  },
  {
    $id: 'StreamedCommit',
    description: 'One line of the stream: a commit, a heartbeat without fields, or a mark',
    examples: [
      {
        Index: 42,
        Events: [
          {
            Topic: 'KV',
            Type: 'KVSet',
            Key: 'web/port',
            Namespace: 'default',
            FilterKeys: ['web/'],
            Index: 42,
            Payload: {
              KV: { Key: 'web/port', Value: 'ODA4MA==', Flags: 0, CreateIndex: 42, ModifyIndex: 42 }
            }
          }
        ]
      }
    ]
  }
)
