// The journal: what was written whole is found again, in order, and nothing else is.
import { openSync, closeSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { NO_HASH } from '../../events/codec.js'
import { batchBytes, continuation, readBatch, writeBatch } from '../../events/log/journal-batch.js'
import { HALF_BYTES, Journal, readJournal } from '../../events/log/journal.js'
import { temporaryFolder } from './folders.js'
import { chained, hashOfLast, plain } from './records.js'

/** The bytes of a batch. */
const bytesOf = (batch: ReturnType<typeof chained>): Buffer => {
  const bytes = Buffer.alloc(batchBytes(batch), 'x')
  writeBatch(bytes, batch)
  return bytes
}

test('a batch is read back as it was written, with and without secrets', t => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 40 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 9000 }),
      (first, count, size) => {
        const batch = chained(first, count, NO_HASH, { size, secrets: true })
        t.deepEqual(plain(readBatch(bytesOf(batch)) ?? []), plain(batch))
      }
    )
  )
})

test('a batch of which any byte is changed, or the end is missing, is not there', t => {
  const bytes = bytesOf(chained(7, 3, NO_HASH, { size: 3000, secrets: true }))
  const length = bytes.readUInt32BE(36)
  fc.assert(
    fc.property(fc.nat({ max: length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ change
      t.is(readBatch(damaged), undefined)
    })
  )
  fc.assert(
    fc.property(fc.nat({ max: length - 1 }), end => t.is(readBatch(bytes.subarray(0, end)), undefined))
  )
  t.is(readBatch(Buffer.alloc(0)), undefined)
  t.is(readBatch(Buffer.alloc(HALF_BYTES)), undefined)
})

test('only what continues the chain of the log is taken up', t => {
  const log = chained(1, 10)
  const next = chained(11, 4, hashOfLast(log))
  const after = chained(15, 2, hashOfLast(next))
  const found = [after, log.slice(4), next]
  t.deepEqual(plain(continuation(found, 10, hashOfLast(log))), plain([...next, ...after]))
  t.deepEqual(
    plain(continuation(found, 12, hashOfLast(next.slice(0, 2)))),
    plain([...next.slice(2), ...after])
  )
  t.deepEqual(continuation(found, 16, hashOfLast(after)), [])
  t.deepEqual(continuation(found, 10, NO_HASH), [])
  t.deepEqual(continuation([after], 10, hashOfLast(log)), [])
  const other = chained(11, 4, hashOfLast(log), { marker: 'other' })
  t.deepEqual(plain(continuation([other.slice(1), next], 10, hashOfLast(log))), plain(next))
})

test('what was written is found, also after the halves were written over many times', async t => {
  const folder = temporaryFolder()
  const journal = new Journal(folder, 0)
  let records = chained(1, 3)
  let previous = records
  for (let round = 0; round < 60; round++) {
    t.true(journal.hasRoom(records, Infinity))
    await journal.write(records)
    previous = records
    records = chained((records.at(-1)?.index ?? 0) + 1, 3, hashOfLast(records), {
      size: 30_000,
      secrets: true
    })
  }
  journal.close()
  const head = (previous[0]?.index ?? 0) - 1
  const found = readJournal(folder)
  const earlier = found.flat().find(({ index }) => index === head)
  t.truthy(earlier)
  t.deepEqual(plain(continuation(found, head, hashOfLast(earlier ? [earlier] : []))), plain(previous))
})

test('there is no room where something would be written over that is not stored yet', async t => {
  const journal = new Journal(temporaryFolder(), 5)
  const batch = chained(6, 1, NO_HASH, { size: 300_000 })
  t.false(journal.hasRoom(batch, 4))
  t.true(journal.hasRoom(batch, 5))
  let written = 0
  for (; journal.hasRoom(batch, 5); written++) await journal.write(batch)
  t.is(written, 6)
  t.true(journal.hasRoom(batch, 6))
  t.false(journal.hasRoom(chained(6, 1, NO_HASH, { size: HALF_BYTES }), Infinity))
  journal.close()
})

test('a batch whose write failed is not found again once the journal is cleared', async t => {
  const folder = temporaryFolder()
  const journal = new Journal(folder, 0)
  const kept = chained(1, 2)
  const failed = chained(3, 2, hashOfLast(kept))
  await journal.write(kept)
  const fd = openSync(join(folder, 'journal'), 'r+')
  writeSync(fd, bytesOf(failed), 0, batchBytes(failed), HALF_BYTES + batchBytes(kept))
  closeSync(fd)
  t.deepEqual(readJournal(folder).map(plain), [kept, failed].map(plain))
  await journal.clear()
  t.deepEqual(readJournal(folder).map(plain), [plain(kept)])
  journal.close()
})

test('the journal keeps its size, is for its owner only, and holds no bytes but those of batches', async t => {
  const folder = temporaryFolder()
  t.deepEqual(readJournal(folder), [])
  const file = join(folder, 'journal')
  for (let round = 0; round < 2; round++) {
    const journal = new Journal(folder, 0)
    await journal.write(chained(1, 1, NO_HASH, { size: 9000 }))
    await journal.write(chained(2, 1))
    journal.close()
    t.is(statSync(file).size, 2 * HALF_BYTES)
    t.is(statSync(file).mode & 0o777, 0o600)
  }
  const bytes = readFileSync(file)
  const second = HALF_BYTES + batchBytes(chained(1, 1, NO_HASH, { size: 9000 }))
  const end = second + bytes.readUInt32BE(second + 36)
  t.true(bytes.subarray(end).every(byte => byte === 0))
})
