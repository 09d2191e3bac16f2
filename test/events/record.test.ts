import { createHash } from 'node:crypto'
import test from 'ava'
import * as fc from 'fast-check'
import { NO_HASH } from '../../events/codec.js'
import type { Commit } from '../../events/envelope.js'
import { LogUnusable } from '../../events/log/log.js'
import { RecordBuffer } from '../../events/log/record-buffer.js'
import { StoredRecord } from '../../events/log/record.js'
import { newDataKey, SecretsVault, unwrapKey, wrapKey } from '../../events/log/secrets.js'
import { addRecord, responseOf, anyCommit, commitOf } from './commits.js'

const plainVault = new SecretsVault()
const keyed = (number: number, byte: number): SecretsVault =>
  new SecretsVault(new Map([[number, Buffer.alloc(32, byte)]]))

/** The stored record of a commit, and the hash that the write returned. */
function stored(commit: Commit, { vault = plainVault, before = NO_HASH } = {}) {
  const buffer = new RecordBuffer(8, 16)
  const hash = addRecord(buffer, commit, before, vault)
  const record = StoredRecord.at(buffer.bytes.subarray(8, buffer.end))
  if (!record) throw new Error('there is no record')
  return { record, hash }
}

test('a commit is the same after it was stored, and nothing is wrong with its record', t => {
  fc.assert(
    fc.property(anyCommit, fc.uuid(), (commit, secret) => {
      const [first, ...others] = commit.Events
      const secretive = { ...commit, Events: [{ ...first!, Secrets: { SecretID: secret } }, ...others] }
      for (const each of [commit, secretive]) {
        const { record, hash } = stored(each)
        t.is(record.index, each.Index)
        t.is(record.fault(), undefined)
        t.is(record.brokenCommitment(), undefined)
        t.deepEqual(record.commit(plainVault), each)
        t.deepEqual(record.hash, hash)
        t.deepEqual([...record.before], [...NO_HASH])
      }
    })
  )
})

test('an answer is kept as secret as secrets are', t => {
  const answer = responseOf('{"SecretID":"hidden"}')
  const commit = { ...commitOf(7, { events: 2, secrets: { SecretID: 'also hidden' } }), Answer: answer }
  const { record } = stored(commit, { vault: keyed(9, 1) })
  t.is(record.fault() ?? record.brokenCommitment(), undefined)
  t.deepEqual(record.commit(keyed(9, 1)), commit)
  t.deepEqual(record.answer(keyed(9, 1)), answer)
  t.false(record.bytes.includes('hidden'))
  t.throws(() => record.answer(keyed(9, 2)), { instanceOf: LogUnusable })
  t.is([...record.secrets()].length, 2, 'it is left out of packed blocks, and zeroed, with the secrets')
  const without = new SecretsVault(new Map(), { opens: false })
  t.is(record.commit(without).Answer, undefined)
  t.is(stored(commitOf(7)).record.answer(plainVault), undefined)
})

test('records lie one behind the other and name the hash of the one before', t => {
  const buffer = new RecordBuffer(0, 16)
  const first = addRecord(buffer, commitOf(1), NO_HASH, plainVault)
  const middle = buffer.end
  addRecord(buffer, commitOf(2), first, plainVault)
  const bytes = buffer.bytes.subarray(0, buffer.end)
  const second = StoredRecord.at(bytes, middle)
  t.deepEqual(second?.before, first)
  t.is(second?.index, 2)
  t.deepEqual(second?.bytes, bytes.subarray(middle))
  t.is(StoredRecord.at(bytes.subarray(0, -1), middle), undefined)
  t.is(StoredRecord.at(bytes, bytes.length), undefined)
})

test('fields that this version does not know are kept', t => {
  const commit = { ...commitOf(1), By: { ...commitOf(1).By, Reason: 'because' } }
  t.deepEqual(stored(commit).record.commit(plainVault), commit)
})

test('the hash is the RFC 9162 leaf hash of the header, which tells no part and no length of one', t => {
  const one = stored(commitOf(1, { size: 10 }))
  const header = one.record.bytes.subarray(16 + 3 * 9 + 1, one.record.bytes.indexOf('2026') + 20 + 3 * 33)
  t.deepEqual(createHash('sha256').update(Buffer.of(0)).update(header).digest(), one.hash)
  t.false(header.includes('ACLToken'))
  t.notDeepEqual(stored(commitOf(1, { size: 10 })).hash, one.hash, 'salts are random')
})

test('a byte that was changed is found by the checksums, wherever it is', t => {
  const commit = commitOf(7, { events: 2, secrets: { SecretID: 'hidden' } })
  const { record } = stored(commit)
  for (let at = 0; at < record.bytes.length; at++)
    for (const bit of [1, 0x80]) {
      const changed = Buffer.from(record.bytes)
      changed[at] = (changed[at] ?? 0) ^ bit
      const read = StoredRecord.at(changed)
      t.true(read === undefined || read.fault() !== undefined, `byte ${at}`)
    }
  for (let length = 0; length < record.bytes.length; length++)
    t.is(StoredRecord.at(record.bytes.subarray(0, length)), undefined)
})

test('a part that was exchanged with its checksum is found by its commitment', t => {
  const { record } = stored(commitOf(7))
  const other = stored(commitOf(7)).record
  const changed = Buffer.from(record.bytes)
  const headerEnd = changed.indexOf('2026') + 20 + 3 * 33
  const frame = 16
  other.bytes.copy(changed, frame, frame, frame + 9)
  other.bytes.copy(changed, headerEnd, headerEnd, headerEnd + changed.readUInt32BE(frame))
  // Its framing has a checksum as well.
  t.is(StoredRecord.at(changed), undefined)
  t.is(record.brokenCommitment(), undefined)
})

test('secrets sealed with a key are not in their record, and only this key opens them', t => {
  const commit = commitOf(5, { secrets: { SecretID: 'hidden-secret' } })
  t.true(stored(commit).record.bytes.includes('hidden-secret'))
  const { record } = stored(commit, { vault: keyed(9, 1) })
  t.false(record.bytes.includes('hidden-secret'))
  t.deepEqual(record.commit(keyed(9, 1)), commit)
  const unusable = { instanceOf: LogUnusable }
  t.throws(() => record.commit(keyed(9, 2)), unusable)
  t.throws(() => record.commit(keyed(8, 1)), { ...unusable, message: /data key 9/ })
  t.throws(() => record.commit(plainVault), unusable)
})

test('sealed secrets belong to their commit and part', t => {
  const vault = keyed(1, 1)
  const sealed = vault.seal('{}', { index: 5, part: 3 })
  t.is(vault.open(sealed, { index: 5, part: 3 }), '{}')
  t.throws(() => vault.open(sealed, { index: 6, part: 3 }), { instanceOf: LogUnusable })
  t.throws(() => vault.open(sealed, { index: 5, part: 4 }), { instanceOf: LogUnusable })
})

test('the newest data key seals, and older ones still open', t => {
  const old = keyed(1, 1)
  const both = new SecretsVault(
    new Map([
      [1, Buffer.alloc(32, 1)],
      [2, Buffer.alloc(32, 2)]
    ])
  )
  const place = { index: 1, part: 3 }
  t.is(both.open(old.seal('"old"', place), place), '"old"')
  t.is(both.open(both.seal('"new"', place), place), '"new"')
  t.throws(() => old.open(both.seal('"new"', place), place), { instanceOf: LogUnusable })
})

test('a data key is opened by the key that wrapped it alone', t => {
  const { number, dataKey } = newDataKey()
  const key = Buffer.alloc(32, 7)
  const wrapped = wrapKey(key, number, dataKey)
  t.deepEqual(unwrapKey(key, wrapped), dataKey)
  t.throws(() => unwrapKey(Buffer.alloc(32, 8), wrapped), { instanceOf: LogUnusable, message: /not the one/ })
  t.throws(() => unwrapKey(Buffer.alloc(16), wrapped), { instanceOf: LogUnusable, message: /32 bytes/ })
})
