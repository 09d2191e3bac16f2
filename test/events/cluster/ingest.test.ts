// Records that come from another log, taken as they are.
import test from 'ava'
import { NO_CALLER, type Commit } from '../../../events/envelope.js'
import { RecordGroup } from '../../../events/log/record-group.js'
import { LogFailure, LogUnusable } from '../../../events/log/log.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { ERASED_BYTE, PAYLOAD_PART } from '../../../events/log/record-format.js'
import { StoredRecord } from '../../../events/log/record.js'
import { RecordRefused } from '../../../events/log/received-records.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { collect, commitOf } from '../commits.js'
import { temporaryFolder } from '../folders.js'

const COMMITS = [commitOf(1), commitOf(2, { events: 3, secrets: { SecretID: 'hush' } }), commitOf(3)]

/** The records of a log that holds some commits. */
async function recordsOf(commits: readonly Commit[] = COMMITS): Promise<readonly StoredRecord[]> {
  const log = new MemoryEventLog()
  await log.append(commits)
  return (await collect(log.records(1))).flat()
}

const bytesOf = async (log: MemoryEventLog | SegmentEventLog): Promise<Buffer> =>
  Buffer.concat((await collect(log.records(1))).flat().map(({ bytes }) => bytes))

test('what is taken has the bytes, the hashes and the histories that it had', async t => {
  const records = await recordsOf()
  const log = await SegmentEventLog.open({ path: temporaryFolder() })
  t.teardown(() => log.close())
  const hashes: Buffer[] = []
  log.onFlush(flush => hashes.push(Buffer.from(flush.hashes)))
  const applied: Commit[] = []
  await log.ingest(records.slice(0, 1), commits => applied.push(...commits))
  await log.ingest(records.slice(1), commits => applied.push(...commits))
  t.deepEqual(applied, COMMITS)
  t.deepEqual(await collect(log.read(1)), COMMITS)
  t.deepEqual(await bytesOf(log), Buffer.concat(records.map(({ bytes }) => bytes)))
  t.deepEqual(Buffer.concat(hashes), Buffer.concat(records.map(({ hash }) => hash)))
  t.deepEqual(
    await collect(log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-2' })),
    [COMMITS[1]!]
  )
  await log.append([commitOf(4)])
  t.is(log.durableIndex, 4)
})

test('a group knows where each record that it was given is', async t => {
  const group = new RecordGroup()
  for (const record of await recordsOf()) group.addRecord(record, record.hash, { By: NO_CALLER, Events: [] })
  t.deepEqual(
    group.starts.map(start => StoredRecord.at(group.bytes().subarray(start))?.index),
    [1, 2, 3]
  )
})

test('the read models have a commit before anybody hears that it is durable, and after it is on disk', async t => {
  const records = await recordsOf()
  const order: string[] = []
  const log = new MemoryEventLog({ beforeFlush: async () => void order.push('flush') })
  log.onDurable(index => order.push(`durable ${index}`))
  await log.ingest(records, () => order.push(`applied at ${log.durableIndex}`))
  t.deepEqual(order, ['flush', 'applied at 0', 'durable 3'])
})

test('what is there already is passed over', async t => {
  const records = await recordsOf()
  const log = new MemoryEventLog()
  await log.ingest(records.slice(0, 2), () => {})
  const applied: Commit[] = []
  await log.ingest(records, commits => applied.push(...commits))
  await log.ingest(records, commits => applied.push(...commits))
  t.deepEqual(applied, [COMMITS[2]!])
})

test('parts that were erased stay so', async t => {
  const records = await recordsOf()
  for (const record of records)
    for (const { kind, start, end } of record.layout())
      if (kind === PAYLOAD_PART) record.bytes.fill(ERASED_BYTE, start, end)
  const log = await SegmentEventLog.open({ path: temporaryFolder() })
  t.teardown(() => log.close())
  await log.ingest(records, () => {})
  t.true((await collect(log.read(1))).every(({ Events }) => Events.every(({ Erased }) => Erased)))
})

const refused = async (
  log: MemoryEventLog,
  records: readonly StoredRecord[]
): Promise<RecordRefused | undefined> => {
  try {
    await log.ingest(records, () => {})
  } catch (error) {
    if (error instanceof RecordRefused) return error
    throw error
  }
  return undefined
}

test('what does not continue the log is refused with its index, and nothing of what came with it is taken', async t => {
  const records = await recordsOf()
  const others = await recordsOf([commitOf(1, { marker: 'other' }), commitOf(2), commitOf(3)])
  const log = new MemoryEventLog()
  t.is((await refused(log, records.slice(1)))?.index, 2)
  await log.ingest(records.slice(0, 1), () => {})
  t.is((await refused(log, others.slice(0, 1)))?.index, 1)
  t.regex((await refused(log, others.slice(1)))?.message ?? '', /commit 2 .* the hash of commit 1/)
  const damaged = StoredRecord.at(Buffer.from(records[2]!.bytes))!
  damaged.bytes[damaged.bytes.length - 1]! ^= 1
  t.regex((await refused(log, [records[1]!, damaged]))?.message ?? '', /commit 3 .*checksum/)
  t.is(log.durableIndex, 1)
  await log.ingest(records, () => {})
  t.is(log.durableIndex, 3)
})

test('secrets that cannot be opened are not taken', async t => {
  const sealed = await SegmentEventLog.open({ path: temporaryFolder(), key: Buffer.alloc(32, 1) })
  t.teardown(() => sealed.close())
  await sealed.append(COMMITS)
  const log = new MemoryEventLog()
  const records = (await collect(sealed.records(1))).flat()
  await t.throwsAsync(
    log.ingest(records, () => {}),
    { instanceOf: LogUnusable, message: /data key/ }
  )
  t.is(log.durableIndex, 0)
})

test('a disk that takes nothing: nothing is applied, and all of it is taken after the log has recovered', async t => {
  const records = await recordsOf()
  const log = new MemoryEventLog({ failAt: 2 })
  const applied: Commit[] = []
  const ingest = (): Promise<void> => log.ingest(records, commits => applied.push(...commits))
  await t.throwsAsync(ingest(), { instanceOf: LogFailure })
  await t.throwsAsync(ingest(), { instanceOf: LogFailure })
  t.deepEqual(applied, [])
  await log.recover()
  await ingest()
  t.deepEqual(applied, COMMITS)
})

test('nothing is appended while records are taken, and nothing is taken before it is certain what was appended', async t => {
  const records = await recordsOf()
  let release = (): void => {}
  const log = new MemoryEventLog({ beforeFlush: () => new Promise(resolve => (release = resolve)) })
  const ingesting = log.ingest(records.slice(0, 1), () => {})
  await Promise.resolve()
  await t.throwsAsync(log.append([commitOf(1)]), { instanceOf: LogFailure })
  await new Promise(setImmediate)
  release()
  await ingesting
  const appending = log.append([commitOf(2, { marker: 'own' })])
  const late = t.throwsAsync(
    log.ingest(records, () => t.fail()),
    { instanceOf: RecordRefused, message: /commit 2/ }
  )
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  release()
  await appending
  t.deepEqual(await collect(log.read(2)), [commitOf(2, { marker: 'own' })])
  await log.ingest(records.slice(0, 1), () => {})
  await late
})
