import type { Event } from './envelope.js'
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

export const KV_TOPIC = 'KV'
interface KvPayload {
  readonly KV: KvEntry
}
/** A change without a lock operation. */
type KvSet = Event<typeof KV_TOPIC, 'KVSet', KvPayload>
/** A change that acquired or kept the lock. */
type KvLock = Event<typeof KV_TOPIC, 'KVLock', KvPayload>
/** The lock was released, or its session ended. */
type KvUnlock = Event<typeof KV_TOPIC, 'KVUnlock', KvPayload>
export type KvDelete = Event<typeof KV_TOPIC, 'KVDelete', KvPayload>
export type KvWritten = KvSet | KvLock | KvUnlock
export type KvEvent = KvWritten | KvDelete

export const isKvEvent = (event: Event): event is KvEvent => event.Topic === KV_TOPIC

/** Deeper folders are no filter keys. */
const DEEPEST_FOLDER = 128

let latest: readonly string[] = []

/** Returns the prefixes of a key that end in `/`: `a/` and `a/b/` for `a/b/c`. Consecutive keys of a folder share the list. */
export const foldersOf = (key: string): readonly string[] => {
  const end = key.lastIndexOf('/') + 1
  const folder = latest.at(-1) ?? ''
  if (end === folder.length && key.startsWith(folder)) return latest
  const folders: string[] = []
  for (let at = key.indexOf('/'); at >= 0 && folders.length < DEEPEST_FOLDER; at = key.indexOf('/', at + 1))
    folders.push(key.slice(0, at + 1))
  latest = folders
  return folders
}
