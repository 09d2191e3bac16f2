// KV entries and sessions in bodies and answers (spec: state.md §2, §5).
import * as Type from 'typebox'
import { shownIndexes, shownTenancy, shownTexts } from './shown.js'
import { strict, text } from './strict.js'

/** A KV entry in answers. */
export const kvEntry = Type.Object(
  {
    LockIndex: Type.Integer({ description: 'How often the lock was taken' }),
    Key: Type.String(),
    Flags: Type.Integer({ minimum: 0, description: 'Means something to the caller: 0 to 2^64-1' }),
    Value: Type.Union([Type.String({ description: 'Base64' }), Type.Null()]),
    Session: text('The session that holds the lock'),
    ...shownTenancy,
    ...shownIndexes
  },
  {
    $id: 'KVEntry',
    examples: [
      { LockIndex: 0, Key: 'web/port', Flags: 0, Value: 'ODA4MA==', CreateIndex: 42, ModifyIndex: 42 }
    ]
  }
)

/** What a read of a key, or of all keys below a prefix, shows. */
export const kvAnswer = Type.Union(
  [
    Type.Array(kvEntry, { description: 'The entry, or with recurse all below the key' }),
    Type.Array(Type.String(), {
      description: 'With keys: their names, cut after the separator if one is given'
    })
  ],
  { $id: 'KVAnswer' }
)

const listOrNull = (description: string) =>
  Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()], { description }))

export const sessionBody = strict(
  {
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
  },
  { $id: 'SessionInput', examples: [{ Name: 'leader of web', TTL: '30s', Behavior: 'release' }] }
)

/** A session in answers. */
export const session = Type.Object(
  {
    ID: Type.String(),
    Name: Type.String(),
    Node: Type.String(),
    LockDelay: Type.Integer({ description: 'Nanoseconds' }),
    Behavior: Type.String({ description: 'release or delete' }),
    TTL: Type.String({ description: 'Duration; empty for none' }),
    NodeChecks: shownTexts,
    ServiceChecks: Type.Union([
      Type.Array(Type.Object({ ID: Type.String(), Namespace: text('Namespace of the service') })),
      Type.Null()
    ]),
    Checks: Type.Optional(shownTexts),
    ...shownTenancy,
    ...shownIndexes
  },
  {
    $id: 'Session',
    examples: [
      {
        ID: '71143eea-f1ac-44d0-b959-0d2ff1b0e0a4',
        Name: 'leader of web',
        Node: 'server-1',
        LockDelay: 15000000000,
        Behavior: 'release',
        TTL: '30s',
        NodeChecks: ['serfHealth'],
        ServiceChecks: null,
        CreateIndex: 41,
        ModifyIndex: 41
      }
    ]
  }
)

/** The ID of a session that was made. */
export const sessionId = Type.Object(
  { ID: Type.String() },
  { $id: 'SessionID', examples: [{ ID: '71143eea-f1ac-44d0-b959-0d2ff1b0e0a4' }] }
)
