// KV entries and sessions in bodies and answers (spec: state.md §2, §5).
import * as Type from 'typebox'
import { shownIndexes, shownTenancy } from './shown.js'
import { text } from './strict.js'

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

/** The ID of a session that was made. */
export const sessionId = Type.Object(
  { ID: Type.String() },
  { $id: 'SessionID', examples: [{ ID: '71143eea-f1ac-44d0-b959-0d2ff1b0e0a4' }] }
)
