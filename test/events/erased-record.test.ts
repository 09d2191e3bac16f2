// Records of which parts were erased.
import test from 'ava'
import { eventTexts, NO_HASH } from '../../events/codec.js'
import type { Commit } from '../../events/envelope.js'
import { RecordBuffer } from '../../events/log/record-buffer.js'
import {
  ERASED_BYTE,
  EVENT_METADATA_PART,
  PAYLOAD_PART,
  SECRETS_PART,
  ORIGIN_PART
} from '../../events/log/record-format.js'
import { partsToErase } from '../../events/log/erasure/erasable-parts.js'
import { StoredRecord } from '../../events/log/record.js'
import { SecretsVault } from '../../events/log/secrets.js'
import { addRecord, commitOf } from './commits.js'

const vault = new SecretsVault()
const commit = commitOf(7, { events: 2, secrets: { SecretID: 'hush' } })

/** The record of the commit, without the parts of these kinds. */
function without(...kinds: readonly number[]): StoredRecord {
  const buffer = new RecordBuffer(0, 16)
  addRecord(buffer, commit, NO_HASH, vault)
  const record = StoredRecord.at(buffer.bytes.subarray(0, buffer.end))
  if (!record) throw new Error('there is no record')
  for (const { kind, start, end } of record.layout())
    if (kinds.includes(kind)) record.bytes.fill(ERASED_BYTE, start, end)
  return record
}

const textOf = (record: StoredRecord, number: number): string => {
  const event = record.events()[number]!
  const target = Buffer.alloc(event.textLength)
  return target.toString('utf8', 0, event.copyText(target, 0))
}

test('the parts that an erasure covers are found in a commit of many events', async t => {
  const buffer = new RecordBuffer(0, 16)
  addRecord(buffer, commitOf(7, { events: 5000, secrets: { SecretID: 'hush' } }), NO_HASH, vault)
  const record = StoredRecord.at(buffer.bytes.subarray(0, buffer.end))
  if (!record) throw new Error('there is no record')
  const odd = Array.from({ length: 2500 }, (_, n) => 2 * n + 1)
  const found = await partsToErase(record, { index: 7, events: odd, secrets: [0, 4998] })
  const expected = [...record.layout()].filter(
    ({ kind, event }) =>
      (kind === PAYLOAD_PART && event % 2 === 1) ||
      (kind === SECRETS_PART && (event % 2 === 1 || event === 0 || event === 4998))
  )
  t.deepEqual(found, expected)
  t.true(found.length >= 2500)
})

test('a record of which any parts were erased holds by its checksums and hashes', t => {
  for (const kinds of [
    [ORIGIN_PART],
    [PAYLOAD_PART],
    [SECRETS_PART],
    [ORIGIN_PART, PAYLOAD_PART, SECRETS_PART]
  ]) {
    const record = without()
    const { hash } = record
    for (const { kind, start, end } of record.layout())
      if (kinds.includes(kind)) record.bytes.fill(ERASED_BYTE, start, end)
    t.is(record.fault(), undefined)
    t.is(record.brokenCommitment(), undefined)
    t.deepEqual(record.hash, hash)
    t.notThrows(() => record.tryToOpen(vault))
    t.deepEqual(
      [...record.layout()].filter(part => part.isErased).map(({ kind }) => kind),
      [...record.layout()].map(({ kind }) => kind).filter(kind => kinds.includes(kind))
    )
  }
})

test('a part of which some bytes are zeros is damaged', t => {
  const record = without()
  const payload = [...record.layout()].find(({ kind }) => kind === PAYLOAD_PART)!
  record.bytes.fill(ERASED_BYTE, payload.start, payload.end - 1)
  t.is(record.fault(), 'the checksum of part 2 does not hold')
  t.is(record.brokenCommitment(), 'part 2 is not what the header commits to')
})

test('an event whose payload was erased keeps its head, and says so', t => {
  const record = without(PAYLOAD_PART)
  const [first, second] = commit.Events
  t.deepEqual(record.commit(vault).Events, [
    { ...first!, Payload: {}, Erased: true },
    { ...second!, Payload: {}, Erased: true }
  ])
  const [, shown = ''] = eventTexts(record.commit(vault))
  t.is(textOf(record, 1), shown)
  t.deepEqual(JSON.parse(shown), {
    Topic: 'ACLToken',
    Type: 'ACLTokenUpserted',
    Key: 'key-7',
    Namespace: '',
    FilterKeys: null,
    Index: 7,
    Erased: true
  })
  t.deepEqual(record.events()[1]!.Payload, {})
})

test('erased secrets are absent, and an erased origin is empty', t => {
  t.is(without(SECRETS_PART).commit(vault).Events[0]?.Secrets, undefined)
  const erasedOrigin: object = { AccessorID: '', Address: '', RequestID: '', Command: '', Erased: true }
  t.deepEqual(without(ORIGIN_PART).by, erasedOrigin)
  t.deepEqual(without(ORIGIN_PART).commit(vault).By, erasedOrigin)
})

test('what was erased is written to another log as it is read', t => {
  const read: Commit = without(ORIGIN_PART, PAYLOAD_PART).commit(vault)
  const buffer = new RecordBuffer(0, 16)
  addRecord(buffer, read, NO_HASH, vault)
  const record = StoredRecord.at(buffer.bytes.subarray(0, buffer.end))
  t.is(record?.fault(), undefined)
  t.is(record?.brokenCommitment(), undefined)
  t.deepEqual(record?.commit(vault), read)
  t.deepEqual(
    [...(record?.layout() ?? [])].map(({ kind, event }) => [kind, event]),
    [
      [ORIGIN_PART, -1],
      [EVENT_METADATA_PART, 0],
      [PAYLOAD_PART, 0],
      [SECRETS_PART, 0],
      [EVENT_METADATA_PART, 1],
      [PAYLOAD_PART, 1]
    ]
  )
})
