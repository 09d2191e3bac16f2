import test from 'ava'
import * as fc from 'fast-check'
import {
  commitText,
  decodeRecord,
  encodeRecord,
  eventText,
  NO_HASH,
  restoreCommit
} from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'
import { LogUnusable } from '../../events/log/log.js'
import { SecretsVault } from '../../events/log/secrets.js'

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
const anyCommit = fc.record<Commit>({
  Index: fc.integer({ min: 1, max: 2 ** 40 }),
  Time: text,
  By: fc.record({ AccessorID: text, Address: text, RequestID: text, Command: text }),
  Events: fc.array(anyEvent, { minLength: 1, maxLength: 4 })
})

test('a commit is the same after encoding and decoding', t => {
  fc.assert(
    fc.property(anyCommit, commit => {
      const record = encodeRecord(NO_HASH, commitText(commit, 'digest'))
      const stored = decodeRecord(record, commit.Index)
      t.is(stored.SecretsDigest, 'digest')
      t.deepEqual(restoreCommit(stored), commit)
    })
  )
})

test('the body holds exactly the texts that the stream sends', t => {
  fc.assert(
    fc.property(anyCommit, commit => {
      const texts = commit.Events.map(event => eventText(event, commit.Index))
      t.true(commitText(commit).endsWith(`"Events":[${texts.join(',')}]}`))
    })
  )
})

test('the text of an event has its fields in order, and names the partition only when it is not the default', t => {
  const event: Event = {
    Topic: 'KVPair',
    Type: 'KVPairUpserted',
    Key: 'a',
    Namespace: 'n',
    Partition: 'default',
    FilterKeys: null,
    Payload: { b: 1 },
    Secrets: { SecretID: 'hidden' }
  }
  const start = '{"Topic":"KVPair","Type":"KVPairUpserted","Key":"a","Namespace":"n",'
  t.is(eventText(event, 7), `${start}"FilterKeys":null,"Index":7,"Payload":{"b":1}}`)
  const elsewhere = { ...event, Partition: 'p', FilterKeys: ['x'] }
  t.is(eventText(elsewhere, 7), `${start}"Partition":"p","FilterKeys":["x"],"Index":7,"Payload":{"b":1}}`)
  t.is(eventText(event, 8), eventText(event, 7).replace('"Index":7', '"Index":8'))
})

test('no secret gets into the body of a commit', t => {
  fc.assert(
    fc.property(anyCommit, fc.uuid(), (commit, secret) => {
      const [first, ...others] = commit.Events
      const withSecret = { ...commit, Events: [{ ...first!, Secrets: { SecretID: secret } }, ...others] }
      const sealed = new SecretsVault().seal(withSecret)
      t.false(commitText(withSecret, sealed?.digest).includes(secret))
      const stored = decodeRecord(encodeRecord(NO_HASH, commitText(withSecret, sealed!.digest)), commit.Index)
      const secrets = new SecretsVault().open(commit.Index, sealed!.digest, sealed!.record)
      t.deepEqual(restoreCommit(stored, secrets), withSecret)
    })
  )
})

test('secrets sealed with a key are not in their record, and only this key and index open it', t => {
  const vault = new SecretsVault(Buffer.alloc(32, 1))
  const commit: Commit = {
    Index: 5,
    Time: '',
    By: { AccessorID: '', Address: '', RequestID: '', Command: '' },
    Events: [
      {
        Topic: 'ACLToken',
        Type: 'ACLTokenUpserted',
        Key: 'k',
        Namespace: '',
        Partition: 'default',
        FilterKeys: null,
        Payload: {},
        Secrets: { SecretID: 'hidden-secret' }
      }
    ]
  }
  const sealed = vault.seal(commit)!
  t.false(sealed.record.includes('hidden-secret'))
  t.deepEqual(vault.open(5, sealed.digest, sealed.record), { 0: { SecretID: 'hidden-secret' } })
  const unusable = { instanceOf: LogUnusable }
  t.throws(() => vault.open(6, sealed.digest, sealed.record), unusable)
  t.throws(() => new SecretsVault(Buffer.alloc(32, 2)).open(5, sealed.digest, sealed.record), unusable)
  t.throws(() => new SecretsVault().open(5, sealed.digest, sealed.record), unusable)
  t.throws(() => vault.open(5, sealed.digest, undefined), unusable)
  t.throws(() => new SecretsVault(Buffer.alloc(16)), { ...unusable, message: /32 bytes/ })
})

test('a record of another format, place or shape is refused', t => {
  const record = encodeRecord(NO_HASH, '{"Index":1,"Time":"","By":{},"Events":[]}')
  const unusable = { instanceOf: LogUnusable }
  t.throws(() => decodeRecord(record, 2), { ...unusable, message: /commit 2 is damaged/ })
  t.throws(() => decodeRecord(Buffer.concat([Buffer.of(9), record.subarray(1)]), 1), {
    ...unusable,
    message: /format 9/
  })
  t.throws(() => decodeRecord(record.subarray(0, -1), 1), { ...unusable, message: /not JSON/ })
  t.throws(() => decodeRecord(encodeRecord(NO_HASH, '[]'), 1), unusable)
})
