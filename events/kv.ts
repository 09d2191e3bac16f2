import { resourceEvents, type EventOf } from './envelope.js'
import {
  indexes,
  tenancy,
  optionalWritable,
  writable,
  generated,
  defineResource,
  integerType,
  optionalType,
  textType,
  unsignedType
} from './definition/fields.js'
import type { Stored } from './definition/types.js'

/** Spec: state.md §2, stream.md §15. */
export const kvDefinition = defineResource({
  name: 'KVEntry',
  example: {
    given: { Key: 'web/port', Value: 'ODA4MA==', Flags: 0 },
    made: { LockIndex: 0, CreateIndex: 42, ModifyIndex: 42 }
  },
  isNotSentBack: true,
  fields: {
    LockIndex: generated(integerType, 'How often the lock was taken'),
    Key: writable(textType, 'The key, or in an operation on a tree the prefix of its keys'),
    Flags: writable(unsignedType, 'Means something to the caller: 0 to 2^64-1'),
    Value: writable(optionalType(textType), 'Base64; null when the value is empty'),
    Session: optionalWritable(textType, 'The session that holds the lock, as its holder spelled it'),
    ...tenancy,
    ...indexes
  }
})

export type KvEntry = Stored<typeof kvDefinition.fields>

/** Deeper folders are no filter keys. */
const DEEPEST_FOLDER = 128

let latest: readonly string[] = []

/** Returns the prefixes of the key that end in `/`: `a/` and `a/b/` for `a/b/c`. Consecutive keys of a folder share the list. */
const foldersOf = ({ KV: { Key: key } }: { readonly KV: KvEntry }): readonly string[] => {
  const end = key.lastIndexOf('/') + 1
  const folder = latest.at(-1) ?? ''
  if (end === folder.length && key.startsWith(folder)) return latest
  const folders: string[] = []
  for (let at = key.indexOf('/'); at >= 0 && folders.length < DEEPEST_FOLDER; at = key.indexOf('/', at + 1))
    folders.push(key.slice(0, at + 1))
  latest = folders
  return folders
}

export const KV_TOPIC = 'KV'
/**
 * `KVSet`: a change without a lock operation. `KVLock`: a change that acquired or kept the lock. `KVUnlock`: the lock was released, or its
 * session ended.
 */
export const kvEvents = resourceEvents({
  topic: KV_TOPIC,
  types: ['KVSet', 'KVLock', 'KVUnlock', 'KVDelete'],
  payloadOf: (entry: KvEntry) => ({ KV: entry }),
  keyOf: ({ KV }) => KV.Key,
  filterKeysOf: foldersOf
})
export type KvEvent = EventOf<typeof kvEvents>
export type KvDelete = Extract<KvEvent, { readonly Type: 'KVDelete' }>
export const isKvEvent = kvEvents.is
