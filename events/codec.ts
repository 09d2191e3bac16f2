// JSON texts of events and commits, for the stream and the log.
import { hash } from 'node:crypto'
import type { Commit, Event } from './envelope.js'
import { isKvEvent } from './kv.js'

const HASH_BYTES = 32

/** The previous hash in the first record. */
export const NO_HASH: Uint8Array = new Uint8Array(HASH_BYTES)

/** Returns 32 bytes. Node creates binary strings several times faster than buffers. */
export const sha256 = (data: Uint8Array): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'binary')

interface EventParts {
  /** JSON of `Topic, Type, Key, Namespace, Partition` (omitted for `default`), `FilterKeys, Index`. */
  readonly head: string
  /** JSON; undefined if erased. */
  readonly payload: string | undefined
}

const headOf = (
  { Topic, Type, Key, Namespace, Partition, FilterKeys }: Event,
  index: number
): EventParts['head'] =>
  Partition === 'default'
    ? JSON.stringify({ Topic, Type, Key, Namespace, FilterKeys, Index: index })
    : JSON.stringify({ Topic, Type, Key, Namespace, Partition, FilterKeys, Index: index })

/** Inserts the stored payload into the stored head without parsing either. The result never contains secrets (stream.md §4). */
const joinParts = ({ head, payload }: EventParts): string =>
  payload === undefined ? `${head.slice(0, -1)},"Erased":true}` : `${head.slice(0, -1)},"Payload":${payload}}`

/** Returns the JSON of a payload, with a bigint in `Flags` as a number. */
export const exactJson = (payload: object): string => {
  let hasBigint = false
  const text = JSON.stringify(payload, (_name, member: unknown) => {
    if (typeof member !== 'bigint') return member
    hasBigint = true
    return member.toString()
  })
  // Strings in JSON escape quotation marks, so this matches only the member itself.
  return hasBigint ? text.replace(/"Flags":"(\d+)"/, '"Flags":$1') : text
}

/** Returns the text of an event in the stream. @param index of its commit */
export const eventText = (event: Event, index: number): string => {
  const { Payload } = event
  const exact = isKvEvent(event) ? exactJson(Payload) : JSON.stringify(Payload)
  return joinParts({ head: headOf(event, index), payload: event.Erased ? undefined : exact })
}

/** The texts of commits that a stream shows, which the log needs later. */
const known = new WeakMap<Commit, readonly EventParts[]>()

/** Returns the stored texts of an event. @param at its position in the commit */
export const partsOfEvent = (commit: Commit, event: Event, at: number): EventParts =>
  known.get(commit)?.[at] ?? {
    head: headOf(event, commit.Index),
    payload: event.Erased ? undefined : JSON.stringify(event.Payload)
  }

export const eventTexts = (commit: Commit): readonly string[] => {
  const parts = commit.Events.map((event, at) => partsOfEvent(commit, event, at))
  known.set(commit, parts)
  return parts.map(joinParts)
}

/** Returns a commit as JSON: `{ Index, Time, By, Events }`, with secrets only if `events` contains them. */
export const commitText = (commit: Commit, events: readonly string[] = eventTexts(commit)): string =>
  `{"Index":${commit.Index},"Time":${JSON.stringify(commit.Time)},"By":${JSON.stringify(commit.By)},"Events":[${events.join(',')}]}`
