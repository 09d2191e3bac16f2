// The verification of records on a thread, compared with that in place.
import test from 'ava'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { StoredRecord } from '../../../events/log/record.js'
import { MerkleTree } from '../../../events/log/tree/tree.js'
import { TILE_WIDTH } from '../../../events/log/tree/tiles.js'
import { verifiedRecords, verifyRecords } from '../../../server/publication/verified-records.js'
import { RecordVerifier } from '../../../server/replica/record-verifier.js'
import { collect, commitOf } from '../../events/commits.js'

/** A transfer that is verified on the thread. */
const MANY = 100_000

type Task = Parameters<typeof verifyRecords>

const recordsUpTo = async (count: number): Promise<readonly StoredRecord[]> => {
  const log = new MemoryEventLog()
  await log.append(Array.from({ length: count }, (_, at) => commitOf(at + 1, { events: at === 1 ? 3 : 1 })))
  const found = (await collect(log.records(1))).flat()
  return found.flatMap(({ bytes }) => StoredRecord.at(Buffer.from(bytes)) ?? [])
}

const withChangedByte = (given: Buffer, at: number): Buffer => {
  const bytes = Buffer.from(given)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}

/** Returns the records with a changed byte in one of them. */
const changedAt = (
  records: readonly StoredRecord[],
  at: number,
  fromEnd: number
): readonly StoredRecord[] => {
  const given = records[at]?.bytes ?? Buffer.alloc(0)
  const bytes = withChangedByte(given, given.length - fromEnd)
  return [...records.slice(0, at), ...[StoredRecord.at(bytes) ?? []].flat(), ...records.slice(at + 1)]
}

test('a thread finds the faults that a verification in place finds, in the order of the calls', async t => {
  const records = await recordsUpTo(3)
  const hashes = Buffer.concat(records.map(({ hash }) => hash))
  const leaves = { width: 1, hashes }
  const verifier = new RecordVerifier()
  t.is(verifier.for(records.length), verifyRecords)

  const onThread = verifier.for(MANY)
  t.deepEqual(await onThread(records, 1, leaves), { fault: undefined, leaves: hashes })
  const calls: readonly Task[] = [
    ...[1, 20, 40].map((fromEnd): Task => [changedAt(records, 1, fromEnd), 1, leaves]),
    [records, 2, leaves],
    [records.slice(1), 2, { width: 1, hashes: hashes.subarray(32) }],
    [records.slice(1), 1, leaves],
    [records, 1, { width: 2, hashes }],
    [records, 1, { width: 1, hashes: withChangedByte(hashes, 64) }],
    [records.toReversed(), 1, leaves]
  ]
  const faults = await Promise.all(calls.map(async call => (await onThread(...call)).fault))
  t.deepEqual(
    faults,
    calls.map(call => verifyRecords(...call).fault)
  )
  t.is(faults.filter(fault => fault === undefined).length, 1)
  await verifier.close()
  await t.throwsAsync(async () => onThread(records, 1, leaves), { message: /has ended/ })
})

test('whole tiles are verified by their roots, and their leaves name the first commit at fault', async t => {
  const records = await recordsUpTo(2 * TILE_WIDTH)
  const tree = new MerkleTree()
  for (const { hash } of records) tree.append(hash)
  const verifier = new RecordVerifier()
  for (const verify of [verifyRecords, verifier.for(MANY)]) {
    const widths: number[] = []
    const verified = (given: readonly StoredRecord[], from = 1) =>
      verifiedRecords(given, from, tree, (...task) => {
        widths.push(task[2].width)
        return verify(...task)
      })
    const found = await verified(records)
    t.deepEqual(
      found.map(({ hash }) => hash),
      records.map(({ hash }) => hash)
    )
    t.true(found.every(({ isChecked }) => isChecked))
    await verified(records.slice(0, TILE_WIDTH))
    await verified(records.slice(1), 2)
    t.deepEqual(widths, [TILE_WIDTH, TILE_WIDTH, 1])
    for (const at of [0, 7, TILE_WIDTH - 1, TILE_WIDTH + 1]) {
      const message = `commit ${at + 1} was changed: `
      await t.throwsAsync(verified(changedAt(records, at, 1)), {
        message: `${message}part 2 is not what the header commits to`
      })
      await t.throwsAsync(
        verified([...records.slice(0, at), ...records.slice(at + 1, at + 2), ...records.slice(at + 1)]),
        {
          message: `${message}it is not the commit of the signed tree`
        }
      )
    }
    const other = [...records.slice(0, 7), ...(await recordsUpTo(9)).slice(7, 8), ...records.slice(8)]
    await t.throwsAsync(verified(other), {
      message: 'commit 8 was changed: it is not the commit of the signed tree'
    })
  }
  await verifier.close()
})
