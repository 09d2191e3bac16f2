// The history of a resource.
import * as Type from 'typebox'

const origin = Type.Object(
  {
    AccessorID: Type.Optional(Type.String({ description: 'Token that asked; empty for the server itself' })),
    TokenName: Type.Optional(Type.String({ description: 'Description of that token, if it still is' })),
    Address: Type.Optional(Type.String({ description: 'Where the request came from' })),
    RequestID: Type.Optional(
      Type.String({ description: 'X-Service-Request-Id, or a name that the server gave' })
    ),
    Command: Type.Optional(Type.String({ description: 'What was asked for, such as UpdateToken' })),
    Reason: Type.Optional(Type.String({ description: 'What the caller gave as its reason' })),
    Cause: Type.Optional(
      Type.Union([Type.Integer(), Type.Array(Type.Integer())], {
        description: 'Index of the commit that led to this one, or of several'
      })
    ),
    Erased: Type.Optional(Type.Literal(true, { description: 'Who it was has been erased' }))
  },
  { $id: 'VersionOrigin' }
)

/** An operation of RFC 6902. */
const patchOperation = Type.Object(
  {
    op: Type.String({ description: 'add, remove or replace' }),
    path: Type.String({ description: 'JSON Pointer; empty for the whole' }),
    value: Type.Optional(Type.Unknown())
  },
  { $id: 'PatchOperation' }
)

/** The answer of a read with `diff`. */
export const jsonPatch = Type.Array(patchOperation, {
  $id: 'JsonPatch',
  description: 'JSON Patch (RFC 6902) that makes the later answer of the earlier one',
  examples: [[{ op: 'replace', path: '/Description', value: 'for the web servers' }]]
})

/** The version of a resource that one commit created. */
export const version = Type.Object(
  {
    Index: Type.Integer({ description: 'Of the commit' }),
    Time: Type.Optional(Type.String({ format: 'date-time', description: 'When the commit was made' })),
    Type: Type.String({ description: 'Type of the event, such as KVSet' }),
    By: Type.Optional(origin),
    Patch: Type.Optional(
      Type.Array(patchOperation, {
        description:
          'JSON Patch (RFC 6902) that makes of the payload before this one; without one before, of nothing'
      })
    ),
    Payload: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The whole, as the event stream shows it' })
    ),
    Erased: Type.Optional(Type.Literal(true, { description: 'What it said has been erased' })),
    Withheld: Type.Optional(
      Type.Literal(true, {
        description:
          'The token has no permission to read the version by its own names, or had none then, which counts by `history.rights`'
      })
    ),
    Base: Type.Optional(
      Type.Literal(true, { description: 'Earlier versions were pruned; this is the last of them' })
    )
  },
  {
    $id: 'Version',
    examples: [
      {
        Index: 42,
        Time: '2026-03-01T12:00:00Z',
        Type: 'KVSet',
        By: {
          AccessorID: '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4',
          TokenName: 'deploys',
          Address: '192.0.2.7',
          RequestID: '4711-9',
          Command: 'SetKey'
        },
        Patch: [
          { op: 'replace', path: '/KV/Value', value: 'ODA4MQ==' },
          { op: 'replace', path: '/KV/ModifyIndex', value: 42 }
        ]
      }
    ]
  }
)

/** A commit among those of which there are answers. */
export const pointInTime = Type.Object(
  {
    Index: Type.Integer({ description: 'Of the commit' }),
    Time: Type.String({ format: 'date-time', description: 'When it was made' }),
    Oldest: Type.Integer({ description: 'The oldest index of which there are answers' }),
    Newest: Type.Integer({ description: 'The newest index' })
  },
  { $id: 'Moment', examples: [{ Index: 42, Time: '2026-01-27T11:58:03.512Z', Oldest: 1, Newest: 57 }] }
)

const eventHead = Type.Object(
  {
    Topic: Type.String(),
    Type: Type.String(),
    Key: Type.String(),
    Namespace: Type.String(),
    Partition: Type.String()
  },
  { $id: 'RevertedEvent' }
)

const refusal = Type.Object(
  {
    Status: Type.Integer({ description: 'Status that the request would be answered with' }),
    Message: Type.String()
  },
  { $id: 'RevertRefusal' }
)

export const reverted = Type.Object(
  {
    Index: Type.Optional(
      Type.Integer({ description: 'Of the commit; absent when nothing was to be changed, and in a dry run' })
    ),
    DryRun: Type.Optional(Type.Literal(true)),
    Undone: Type.Integer({ description: 'Commit that changed the resource last' }),
    To: Type.Integer({
      description: 'Commit whose content it has again; the index asked for, if there was nothing then'
    }),
    Patch: Type.Array(patchOperation, {
      description: 'Changes of the resource, as a patch of its payload in the stream'
    }),
    Others: Type.Array(eventHead, { description: 'Changes of other resources by the commit' }),
    Refusal: Type.Optional(refusal)
  },
  {
    $id: 'Reverted',
    examples: [
      {
        Index: 57,
        Undone: 50,
        To: 42,
        Patch: [
          { op: 'replace', path: '/KV/Value', value: 'ODA4MA==' },
          { op: 'replace', path: '/KV/ModifyIndex', value: 57 }
        ],
        Others: []
      }
    ]
  }
)
