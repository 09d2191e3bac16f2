// Commits as bytes and back: the text of an event, the body of a commit, and the record that chains it to the one before.
import { hash } from 'node:crypto'
import type { Commit, Event, Origin } from './envelope.js'
import { LogUnusable } from './log/log.js'

/** First byte of a record: how the rest is written. */
export const RECORD_FORMAT = 1
const HASH_BYTES = 32
const HEADER_BYTES = 1 + HASH_BYTES

/** What the first record names as the hash of its predecessor. */
export const NO_HASH: Uint8Array = new Uint8Array(HASH_BYTES)

/** SHA-256, 32 bytes. Asked for as text, which Node makes several times faster than a buffer. */
export const sha256 = (data: Uint8Array): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'binary')

/**
 * The JSON text of an event as the stream sends it and the log keeps it: `Topic, Type, Key, Namespace, Partition` (left
 * out when `default`), `FilterKeys, Index, Payload`, never `Secrets` (stream.md §4).
 */
export function eventText(event: Event, index: number): string {
  const { Topic, Type, Key, Namespace, Partition, FilterKeys, Payload } = event
  return Partition === 'default'
    ? JSON.stringify({ Topic, Type, Key, Namespace, FilterKeys, Index: index, Payload })
    : JSON.stringify({ Topic, Type, Key, Namespace, Partition, FilterKeys, Index: index, Payload })
}

/** The commit whose texts were asked for last. */
let latest: { readonly commit: Commit; readonly texts: readonly string[] } | undefined

/** `eventText` of each event. Made once for the log and the stream, who ask for those of a commit one after the other. */
export function eventTexts(commit: Commit): readonly string[] {
  if (latest?.commit !== commit)
    latest = { commit, texts: commit.Events.map(event => eventText(event, commit.Index)) }
  return latest.texts
}

/**
 * The body of a commit's record: JSON `{ Index, Time, By, SecretsDigest?, Events }`.
 * @param secretsDigest proves the commit's secrets, which are kept elsewhere; undefined when it has none
 */
export function commitText(commit: Commit, secretsDigest?: string): string {
  const digest = secretsDigest === undefined ? '' : `,"SecretsDigest":${JSON.stringify(secretsDigest)}`
  return `{"Index":${commit.Index},"Time":${JSON.stringify(commit.Time)},"By":${JSON.stringify(commit.By)}${digest},"Events":[${eventTexts(commit).join(',')}]}`
}

/** A record: the format byte, the SHA-256 of the record before it, the body. */
export function encodeRecord(previous: Uint8Array, body: string): Buffer {
  const record = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(body))
  record[0] = RECORD_FORMAT
  record.set(previous, 1)
  record.write(body, HEADER_BYTES)
  return record
}

/** The hash of its predecessor that a record names. */
export const previousHash = (record: Uint8Array): Uint8Array => record.subarray(1, HEADER_BYTES)

interface StoredEvent extends Omit<Event, 'Partition' | 'Secrets'> {
  /** Absent for `default`. */
  readonly Partition?: string
}

/** A commit as its record tells it: without its secrets, which `SecretsDigest` proves. */
export interface StoredCommit {
  readonly Index: number
  readonly Time: string
  readonly By: Origin
  readonly SecretsDigest?: string
  readonly Events: readonly StoredEvent[]
}

/** Secrets of a commit's events, by the ordinal of the event. */
export type SecretsByOrdinal = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The same bytes as a Buffer, not copied. */
export const bufferOf = (data: Uint8Array): Buffer =>
  Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.length)

/**
 * Reads a record.
 * @param index where the record lies in the log, which must be the index it tells
 * @throws LogUnusable when it is damaged or of a format this version does not know
 */
export function decodeRecord(record: Uint8Array, index: number): StoredCommit {
  if (record[0] !== RECORD_FORMAT)
    throw new LogUnusable(
      `commit ${index} has record format ${record[0]}, this version reads ${RECORD_FORMAT}`
    )
  const stored = parse(record, index)
  if (stored.Index !== index || !Array.isArray(stored.Events))
    throw new LogUnusable(`commit ${index} is damaged: its record tells index ${stored.Index}`)
  return stored
}

function parse(record: Uint8Array, index: number): StoredCommit {
  try {
    return JSON.parse(bufferOf(record).toString('utf8', HEADER_BYTES))
  } catch (error) {
    throw new LogUnusable(`commit ${index} is damaged: its body is not JSON`, { cause: error })
  }
}

/** The commit that was written, with the secrets of its events. */
export const restoreCommit = (
  { Index, Time, By, Events }: StoredCommit,
  secrets?: SecretsByOrdinal
): Commit => ({
  Index,
  Time,
  By,
  Events: Events.map((event, ordinal) => restoreEvent(event, secrets?.[ordinal]))
})

const restoreEvent = (
  { Topic, Type, Key, Namespace, Partition = 'default', FilterKeys, Payload }: StoredEvent,
  secrets: Event['Secrets']
): Event =>
  secrets === undefined
    ? { Topic, Type, Key, Namespace, Partition, FilterKeys, Payload }
    : { Topic, Type, Key, Namespace, Partition, FilterKeys, Payload, Secrets: secrets }
