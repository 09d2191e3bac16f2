// What a revert has changed, or would change.
import * as Type from 'typebox'
import { patchOperation } from './history.js'

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
