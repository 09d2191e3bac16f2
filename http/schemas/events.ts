// User events, and commits of the event stream, in answers (spec: state.md §9, stream.md).
import * as Type from 'typebox'
import { shownTexts } from './shown.js'

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
    Namespace: Type.String(),
    FilterKeys: shownTexts,
    Index: Type.Integer(),
    Payload: Type.Record(Type.String(), Type.Unknown())
  },
  { $id: 'StreamedEvent' }
)

/** One line of the stream: a commit, or a heartbeat (`{}`). */
export const streamedCommit = Type.Object(
  { Index: Type.Optional(Type.Integer()), Events: Type.Optional(Type.Array(streamed)) },
  {
    $id: 'StreamedCommit',
    description: 'One line of the stream: a commit, or a heartbeat without fields',
    examples: [
      {
        Index: 42,
        Events: [
          {
            Topic: 'KV',
            Type: 'KVUpserted',
            Key: 'web/port',
            Namespace: 'default',
            FilterKeys: null,
            Index: 42,
            Payload: {}
          }
        ]
      }
    ]
  }
)
