import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import test from 'ava'
import * as fc from 'fast-check'
import { NO_HASH } from '../../events/codec.js'
import type { Commit } from '../../events/envelope.js'
import { LogUnusable } from '../../events/log/log.js'
import { discloseLeaf } from '../../events/log/evidence/leaf.js'
import { openLeaf } from '../support/evidence.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import { RecordBuffer } from '../../events/log/record-buffer.js'
import { ERASED_BYTE, isSealed, PAYLOAD_PART, RECORD_VERSION } from '../../events/log/record-format.js'
import { StoredRecord } from '../../events/log/record.js'
import { newDataKey, SecretsVault, unwrapKey, wrapKey } from '../../events/log/secrets.js'
import { addRecord, responseOf, anyCommit, commitOf } from './commits.js'
import { runs } from '../support/property-runs.js'

const plainVault = new SecretsVault()
const keyed = (number: number, byte: number): SecretsVault =>
  new SecretsVault(new Map([[number, Buffer.alloc(32, byte)]]))

/** The stored record of a commit, and the hash that the write returned. */
function stored(commit: Commit, { vault = plainVault, before = NO_HASH, version = RECORD_VERSION } = {}) {
  const buffer = new RecordBuffer(8, 16)
  const hash = addRecord(buffer, commit, before, vault, version)
  const record = StoredRecord.at(buffer.bytes.subarray(8, buffer.end))
  if (!record) throw new Error('there is no record')
  return { record, hash }
}

test('a commit is the same after it was stored, and nothing is wrong with its record', t => {
  fc.assert(
    fc.property(anyCommit, fc.uuid(), (commit, secret) => {
      const [first, ...others] = commit.Events
      const secretive = { ...commit, Events: [{ ...first!, Secrets: { SecretID: secret } }, ...others] }
      for (const [each, version] of [
        [commit, 1],
        [commit, 2],
        [secretive, 1],
        [secretive, 2]
      ] as const) {
        const { record, hash } = stored(each, { version })
        t.is(record.version, version)
        t.is(record.index, each.Index)
        t.is(record.fault(), undefined)
        t.is(record.brokenCommitment(), undefined)
        t.deepEqual(record.commit(plainVault), each)
        t.deepEqual(record.hash, hash)
        t.deepEqual([...record.before], [...NO_HASH])
      }
    }),
    { numRuns: runs(100) }
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

test('the buffer of a record that is written in many turns grows before there is much to copy', t => {
  const commit = commitOf(1, { events: 4096 })
  const buffer = new RecordBuffer(0, 1024)
  buffer.begin(commit, NO_HASH)
  buffer.addEvents(commit, 0, 256, plainVault)
  buffer.addEvents(commit, 256, 512, plainVault)
  const { bytes } = buffer
  for (let at = 512; at < 4096; at += 256) buffer.addEvents(commit, at, at + 256, plainVault)
  buffer.finish(commit, plainVault)
  t.is(buffer.bytes, bytes)
  t.deepEqual(StoredRecord.at(bytes.subarray(0, buffer.end))?.commit(plainVault), commit)
})

test('fields that this version does not know are kept', t => {
  const commit = { ...commitOf(1), By: { ...commitOf(1).By, Reason: 'because' } }
  t.deepEqual(stored(commit).record.commit(plainVault), commit)
})

test('the hash is the RFC 9162 leaf hash of the header, which tells no part and no length of one', t => {
  for (const version of [1, 2] as const) {
    const one = stored(commitOf(1, { size: 10 }), { version })
    const { leaf } = one.record
    t.deepEqual(createHash('sha256').update(Buffer.of(0)).update(leaf).digest(), one.hash)
    t.false(leaf.includes('ACLToken'))
    t.notDeepEqual(stored(commitOf(1, { size: 10 }), { version }).hash, one.hash, 'salts are random')
  }
  const [small, large] = [1, 2000].map(events => stored(commitOf(1, { events })).record.leaf.length)
  t.is(small, 102)
  t.is(large, 102, 'it fits an entry of tlog-tiles whatever the commit holds')
})

test('the leaf has the RFC 9162 root over the parts', t => {
  const sha = (...parts: readonly Uint8Array[]): Buffer => {
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    return hash.digest()
  }
  const { record } = stored(commitOf(1))
  const [who, head, payload] = Array.from(record.layout(), ({ kind, start, end }) =>
    sha(Buffer.of(0, kind), record.bytes.subarray(start, end))
  )
  const root = sha(Buffer.of(1), sha(Buffer.of(1), who!, head!), payload!)
  t.deepEqual(record.leaf.subarray(-32), root)
  t.deepEqual(record.commitments, [who!, head!, payload!])
  t.deepEqual(record.leaf.subarray(-40, -32), Buffer.from([0, 0, 0, 1, 0, 0, 0, 3]))
})

test('a byte that was changed is found by the checksums, wherever it is', t => {
  const commit = commitOf(7, { events: 2, secrets: { SecretID: 'hidden' } })
  for (const version of [1, 2] as const) {
    const { record } = stored(commit, { version })
    for (let at = 0; at < record.bytes.length; at++)
      for (const bit of [1, 0x80]) {
        const changed = Buffer.from(record.bytes)
        changed[at] = (changed[at] ?? 0) ^ bit
        const read = StoredRecord.at(changed)
        t.true(read === undefined || read.fault() !== undefined, `byte ${at}`)
      }
    for (let length = 0; length < record.bytes.length; length++)
      t.is(StoredRecord.at(record.bytes.subarray(0, length)), undefined)
  }
})

test('a part that was exchanged with its framing and checksum is found by the hash in the header', t => {
  for (const [version, frameBytes] of [
    [1, 9],
    [2, 37]
  ] as const) {
    const { record } = stored(commitOf(7), { version })
    const other = stored(commitOf(7), { version }).record
    const changed = Buffer.from(record.bytes)
    other.bytes.copy(changed, 16, 16, 16 + frameBytes)
    // Its framing has a checksum.
    t.is(StoredRecord.at(changed), undefined)
    const [part] = record.layout()
    other.bytes.copy(changed, part!.start, part!.start, part!.end)
    const headerEnd = 16 + 3 * frameBytes + 1 + record.leaf.length
    changed.writeUInt32BE(crc32(changed.subarray(4, headerEnd)))
    const read = StoredRecord.at(changed)
    t.is(read?.fault(), undefined)
    t.deepEqual(read?.hash, record.hash)
    t.regex(read?.brokenCommitment() ?? '', /what|those that/)
    t.is(record.brokenCommitment(), undefined)
  }
})

const hashOf = ({ commitments }: StoredRecord, number: number): { readonly Hash?: string } => {
  const hash = commitments?.[number]
  return hash ? { Hash: hash.toString('base64') } : {}
}

test('no event of a commit can be hidden by calling its parts something else', t => {
  const { record } = stored(commitOf(7, { events: 2 }))
  const leaf = discloseLeaf(record, ({ event }) => event < 1)
  const called = (...kinds: readonly string[]) => ({
    ...leaf,
    Parts: leaf.Parts.map((part, at) => ({ ...part, Kind: kinds[at] ?? part.Kind }))
  })
  t.is(openLeaf(called('Who', 'Head', 'Payload', 'Head', 'Payload')).withheld, 2)
  for (const kinds of [
    ['Secrets', 'Part5'],
    ['Head', 'Head'],
    ['Payload', 'Head'],
    ['Who', 'Head']
  ])
    t.throws(() => openLeaf(called('Who', 'Head', 'Payload', ...kinds)), {
      message: /1? events, and other kinds/
    })
})

const shown = fc.record({
  version: fc.constantFrom(1 as const, 2 as const),
  events: fc.integer({ min: 1, max: 9 }),
  hasSecrets: fc.boolean(),
  hasAnswer: fc.boolean(),
  opens: fc.infiniteStream(fc.boolean()),
  erases: fc.infiniteStream(fc.boolean())
})

test('a leaf proves the parts that are shown, with any others withheld or erased, and no changed, hidden or renamed one', t => {
  fc.assert(
    fc.property(shown, fc.nat(), ({ version, events, hasSecrets, hasAnswer, opens, erases }, at) => {
      const secrets = hasSecrets ? { secrets: { SecretID: 'hush' } } : {}
      const commit = {
        ...commitOf(7, { events, ...secrets }),
        ...(hasAnswer && { Answer: responseOf('{}') })
      }
      const { record, hash } = stored(commit, { version })
      for (const { kind, start, end } of record.layout())
        if ((kind === PAYLOAD_PART || isSealed(kind)) && erases.next().value)
          record.bytes.fill(ERASED_BYTE, start, end)
      t.is(record.fault() ?? record.brokenCommitment(), undefined)
      const leaf = discloseLeaf(record, () => opens.next().value)
      const opened = openLeaf(leaf)
      t.deepEqual(opened.hash, hash)
      t.is(opened.opened + opened.withheld + opened.erased, leaf.Parts.length)
      const number = at % leaf.Parts.length
      const part = leaf.Parts[number]!
      const text = part.Text === undefined ? {} : { Text: `${part.Text} ` }
      const wrong = [
        { ...leaf, Index: 8 },
        { ...leaf, Parts: leaf.Parts.toSpliced(number, 1) },
        { ...leaf, Parts: leaf.Parts.toSpliced(number, 0, part) },
        { ...leaf, Parts: leaf.Parts.with(number, { Kind: part.Kind }) },
        { ...leaf, Parts: leaf.Parts.with(number, { ...part, Kind: 'Other' }) },
        {
          ...leaf,
          Parts: leaf.Parts.with(number, { ...part, ...text, Hash: Buffer.alloc(32).toString('base64') })
        },
        ...(part.Kind === 'Head'
          ? [
              {
                ...leaf,
                Parts: leaf.Parts.with(number, {
                  Kind: 'Payload',
                  Withheld: true,
                  ...hashOf(record, number)
                } as const)
              },
              { ...leaf, Parts: leaf.Parts.with(number, { ...part, Kind: 'Secrets' }) },
              { ...leaf, Parts: leaf.Parts.with(number, { Kind: 'Head', Erased: true } as const) }
            ]
          : [])
      ]
      for (const [way, each] of wrong.entries())
        if (way !== 5 || part.Text !== undefined || version === 2)
          t.throws(() => openLeaf(each), { instanceOf: ProofFailed }, `way ${way}`)
    })
  )
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
