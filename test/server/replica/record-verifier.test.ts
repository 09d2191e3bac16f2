// The verification of records on a thread, compared with that in place.
import test from 'ava'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { StoredRecord } from '../../../events/log/record.js'
import { faultIn, type FindFault } from '../../../server/publication/verified-records.js'
import { RecordVerifier } from '../../../server/replica/record-verifier.js'
import { collect, commitOf } from '../../events/commits.js'

/** A transfer that is verified on the thread. */
const MANY = 100_000

test('a thread finds the faults that a verification in place finds, in the order of the calls', async t => {
  const log = new MemoryEventLog()
  await log.append([commitOf(1), commitOf(2, { events: 3 }), commitOf(3)])
  const found = (await collect(log.records(1))).flat()
  const records = found.flatMap(({ bytes }) => StoredRecord.at(Buffer.from(bytes)) ?? [])
  const hashes = Buffer.concat(records.map(({ hash }) => hash))
  const verifier = new RecordVerifier()
  t.is(verifier.for(records.length), faultIn)
  t.is(await verifier.for(records.length)(records, 1, hashes), undefined)

  const findFault = verifier.for(MANY)
  t.is(await findFault(records, 1, hashes), undefined)
  const changed = records.map(({ bytes }) => bytes)
  const [, middle = Buffer.alloc(0)] = changed
  const lasts = [1, 20, 40].map(fromEnd => {
    const bytes = Buffer.from(middle)
    bytes[bytes.length - fromEnd] = (bytes.at(-fromEnd) ?? 0) ^ 1
    return changed.with(1, bytes).flatMap(each => StoredRecord.at(each) ?? [])
  })
  const calls: readonly Parameters<FindFault>[] = [
    ...lasts.map((each): Parameters<FindFault> => [each, 1, hashes]),
    [records, 2, hashes],
    [records.slice(1), 2, hashes.subarray(32)],
    [records, 1, Buffer.from(hashes).fill(0, 64, 65)],
    [records.toReversed(), 1, hashes]
  ]
  const faults = await Promise.all(calls.map(async call => findFault(...call)))
  t.deepEqual(
    faults,
    calls.map(call => faultIn(...call))
  )
  t.is(faults.filter(fault => fault === undefined).length, 1)
  await verifier.close()
  await t.throwsAsync(async () => findFault(records, 1, hashes), { message: /has ended/ })
})
