// The texts of a commit: what the event stream sends, what people are shown, and the parts that the log keeps.
import { hash } from 'node:crypto'
import type { Commit, Event } from './envelope.js'
import { isKvEvent } from './kv.js'

const HASH_BYTES = 32

/** What the first record names as the hash of its predecessor. */
export const NO_HASH: Uint8Array = new Uint8Array(HASH_BYTES)

/** SHA-256, 32 bytes. Asked for as text, which Node makes several times faster than a buffer. */
export const sha256 = (data: Uint8Array): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'binary')

/** The two texts that an event is kept as. */
interface EventParts {
  /** JSON: `Topic, Type, Key, Namespace, Partition` (left out when `default`), `FilterKeys, Index`. */
  readonly head: string
  /** JSON; undefined when it was erased. */
  readonly payload: string | undefined
}

const headOf = (
  { Topic, Type, Key, Namespace, Partition, FilterKeys }: Event,
  index: number
): EventParts['head'] =>
  Partition === 'default'
    ? JSON.stringify({ Topic, Type, Key, Namespace, FilterKeys, Index: index })
    : JSON.stringify({ Topic, Type, Key, Namespace, Partition, FilterKeys, Index: index })

const partsOf = (event: Event, index: number): EventParts => ({
  head: headOf(event, index),
  payload: event.Erased ? undefined : JSON.stringify(event.Payload)
})

/**
 * The text of an event as the stream sends it, of the two that the log keeps: the payload goes in where the head ends, so
 * that what was read from the log is sent without being parsed. Never the secrets (stream.md §4).
 */
const joinParts = ({ head, payload }: EventParts): string =>
  payload === undefined ? `${head.slice(0, -1)},"Erased":true}` : `${head.slice(0, -1)},"Payload":${payload}}`

/** JSON of a payload whose `Flags` may be a bigint, which is written as a number. */
const exactJson = (payload: object): string => {
  let hasBigint = false
  const text = JSON.stringify(payload, (_name, member: unknown) => {
    if (typeof member !== 'bigint') return member
    hasBigint = true
    return member.toString()
  })
  // Within a JSON string every quotation mark is escaped, so that this is the member itself.
  return hasBigint ? text.replace(/"Flags":"(\d+)"/, '"Flags":$1') : text
}

/** The text of an event of the commit with this index, as the stream sends it. */
export const eventText = (event: Event, index: number): string =>
  isKvEvent(event)
    ? joinParts({
        head: headOf(event, index),
        payload: event.Erased ? undefined : exactJson(event.Payload)
      })
    : joinParts(partsOf(event, index))

/** The commit whose parts were asked for last. */
let latest: { readonly commit: Commit; readonly parts: readonly EventParts[] } | undefined

/** The parts of each event. Made once for the log and the stream, who ask for those of a commit one after the other. */
export function eventParts(commit: Commit): readonly EventParts[] {
  if (latest?.commit !== commit)
    latest = { commit, parts: commit.Events.map(event => partsOf(event, commit.Index)) }
  return latest.parts
}

/** `eventText` of each event. */
export const eventTexts = (commit: Commit): readonly string[] => eventParts(commit).map(joinParts)

/** A commit as JSON: `{ Index, Time, By, Events }`, without secrets unless the texts of its events have them. */
export const commitText = (commit: Commit, events: readonly string[] = eventTexts(commit)): string =>
  `{"Index":${commit.Index},"Time":${JSON.stringify(commit.Time)},"By":${JSON.stringify(commit.By)},"Events":[${events.join(',')}]}`
