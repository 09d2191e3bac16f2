// KV entries and sessions in bodies and answers (spec: state.md §2, §5).
import * as Type from 'typebox'
import { strict, text, texts } from './strict.js'

/** A KV entry in answers. */
export const kvEntry = Type.Object({
  LockIndex: Type.Integer(),
  Key: Type.String(),
  Flags: Type.Integer({ description: '0 to 2^64-1' }),
  Value: Type.Union([Type.String({ description: 'Base64' }), Type.Null()]),
  Session: Type.Optional(Type.String({ description: 'The session that holds the lock' })),
  CreateIndex: Type.Integer(),
  ModifyIndex: Type.Integer()
})

const listOrNull = (description: string) =>
  Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()], { description }))

export const sessionBody = strict({
  Name: text('Free text'),
  Node: text('The node it lives on; by default this server’s own'),
  LockDelay: Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description:
        'How long its locks stay closed after its end: a duration, or nanoseconds; below 1000, seconds'
    })
  ),
  Behavior: text('What becomes of its keys at its end: release or delete'),
  TTL: text('It ends when it is not renewed for so long; 10s to 24h'),
  NodeChecks: listOrNull('Checks of the node that end it by failing'),
  ServiceChecks: Type.Optional(
    Type.Union([
      Type.Array(strict({ ID: text('ID of the check'), Namespace: text('Namespace of the service') })),
      Type.Null()
    ])
  ),
  Checks: listOrNull('Of old: further checks of the node'),
  Namespace: text('Namespace of the session'),
  Partition: text('Admin partition of the session')
})

/** A session in answers. */
export const session = Type.Object({
  ID: Type.String(),
  Name: Type.String(),
  Node: Type.String(),
  LockDelay: Type.Integer({ description: 'Nanoseconds' }),
  Behavior: Type.String(),
  TTL: Type.String(),
  NodeChecks: Type.Union([Type.Array(Type.String()), Type.Null()]),
  ServiceChecks: Type.Union([Type.Array(Type.Object({ ID: Type.String() })), Type.Null()]),
  Checks: texts('Further checks of the node'),
  CreateIndex: Type.Integer(),
  ModifyIndex: Type.Integer()
})
