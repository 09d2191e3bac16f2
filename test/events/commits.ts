// Commits for the tests of the log.
import * as fc from 'fast-check'
import type { Commit, Event, IdempotentResponse } from '../../events/envelope.js'
import type { RecordBuffer } from '../../events/log/record-buffer.js'
import type { RecordVersion } from '../../events/log/record-format.js'
import type { SecretsVault } from '../../events/log/secrets.js'

interface CommitInput {
  readonly key?: string
  readonly topic?: string
  readonly events?: number
  readonly secrets?: Readonly<Record<string, string>>
  /** Bytes of filler in the payload. */
  readonly size?: number
  /** Tells apart two commits of one index. */
  readonly marker?: string
  readonly time?: string
}

/** Writes the record of a commit, one event at a time. Returns its hash. */
export const addRecord = (
  buffer: RecordBuffer,
  commit: Commit,
  before: Uint8Array,
  vault: SecretsVault,
  version?: RecordVersion
): Buffer => {
  buffer.begin(commit, before, version)
  for (const at of commit.Events.keys()) buffer.addEvents(commit, at, at + 1, vault)
  return buffer.finish(commit, vault)
}

/** A commit of `events` events about one resource, the first of which has the secrets. */
export function commitOf(index: number, parts: CommitInput = {}): Commit {
  const { key = `key-${index}`, topic = 'ACLToken', events = 1, secrets, size = 20, marker = 'first' } = parts
  const { time = '2026-01-02T03:04:05Z' } = parts
  const event = (ordinal: number): Event => ({
    Topic: topic,
    Type: `${topic}Upserted`,
    Key: key,
    Namespace: '',
    Partition: 'default',
    FilterKeys: null,
    Payload: { ID: key, Ordinal: ordinal, Filler: 'x'.repeat(size) },
    ...(secrets && ordinal === 0 ? { Secrets: secrets } : {})
  })
  return {
    Index: index,
    Time: time,
    By: { AccessorID: 'a', Address: '127.0.0.1', RequestID: marker, Command: 'Test' },
    Events: Array.from({ length: events }, (_, ordinal) => event(ordinal))
  }
}

/** An answer as it is kept, of this text. */
export const responseOf = (Text: string): IdempotentResponse => ({
  Key: 'a2V5',
  Body: 'Ym9keQ==',
  Status: 200,
  Type: 'application/json',
  Headers: ['X-Service-Index', '7'],
  Text,
  Rights: '[]'
})

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
// JSON has no -0: it is read back as 0.
const json = fc.dictionary(text, fc.jsonValue()).map((value): object => JSON.parse(JSON.stringify(value)))
const anyEvent = fc.record<Event>({
  Topic: text,
  Type: text,
  Key: text,
  Namespace: text,
  Partition: fc.oneof(fc.constant('default'), text),
  FilterKeys: fc.option(fc.array(text, { maxLength: 3 })),
  Payload: json
})

/** Commits of any shape, without secrets. */
export const anyCommit = fc.record<Commit>({
  Index: fc.integer({ min: 1, max: 2 ** 40 }),
  Time: text,
  By: fc.record({ AccessorID: text, Address: text, RequestID: text, Command: text }),
  Events: fc.array(anyEvent, { minLength: 1, maxLength: 4 })
})
