// KV entries: what an entry is, and the events of its life.
import type { Event } from './envelope.js'

/** An entry as an event carries it (spec: state.md §2, stream.md §15). */
export interface KvEntry {
  readonly Key: string
  /** Base64; null when the value is empty. */
  readonly Value: string | null
  /** 0 to 2^64-1; above 2^53-1, which a JSON number does not hold exactly, the decimal text. */
  readonly Flags: number | string
  readonly LockIndex: number
  /** The session that holds the lock, as its holder spelled it. */
  readonly Session?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const KV_TOPIC = 'KV'
interface KvPayload {
  readonly KV: KvEntry
}
/** Created or changed, by whatever neither takes nor frees the lock. */
export type KvSet = Event<typeof KV_TOPIC, 'KVSet', KvPayload>
/** Written by taking or keeping the lock. */
export type KvLock = Event<typeof KV_TOPIC, 'KVLock', KvPayload>
/** The lock was given back, or its session ended. */
export type KvUnlock = Event<typeof KV_TOPIC, 'KVUnlock', KvPayload>
export type KvDelete = Event<typeof KV_TOPIC, 'KVDelete', KvPayload>
export type KvEvent = KvSet | KvLock | KvUnlock | KvDelete

/** Tells the events of entries from others; what the log holds under this topic was written by us. */
export const isKvEvent = (event: Event): event is KvEvent => event.Topic === KV_TOPIC

/** Folders beyond this depth are not filter keys of their own. */
const DEEPEST_FOLDER = 128

/** Every folder prefix of a key that ends in `/`: `a/b/c` gives `a/` and `a/b/`. */
export const foldersOf = (key: string): string[] => {
  const folders: string[] = []
  for (let at = key.indexOf('/'); at >= 0 && folders.length < DEEPEST_FOLDER; at = key.indexOf('/', at + 1))
    folders.push(key.slice(0, at + 1))
  return folders
}
