// KV entries and sessions in responses (spec: state.md §2, §5).
import * as Type from 'typebox'
import { kvDefinition } from '../../events/kv.js'
import { responseSchema } from './definition-schemas.js'
import { sample, view } from './view.js'

export const kvEntry = responseSchema(kvDefinition)

/** The response to a read of a key or a prefix. */
export const kvResponse = Type.Union(
  [
    Type.Array(kvEntry, { description: 'The entry, or with recurse all below the key' }),
    Type.Array(Type.String(), {
      description: 'With keys: their names, cut after the separator if one is given'
    })
  ],
  { $id: 'KVAnswer' }
)

/** The ID of a new session. */
export const sessionId = view('SessionID', { ID: sample.text('71143eea-f1ac-44d0-b959-0d2ff1b0e0a4') })
