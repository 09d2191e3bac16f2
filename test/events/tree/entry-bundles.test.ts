// The leaves of a log in bundles, as a reader of c2sp.org/tlog-tiles parses them.
import { createHash } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { CommitsPruned } from '../../../events/log/log.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { RecordBuffer } from '../../../events/log/record-buffer.js'
import { StoredRecord } from '../../../events/log/record.js'
import { SecretsVault } from '../../../events/log/secrets.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { repair } from '../../../events/log/segments/repair.js'
import type { StoredLog } from '../../../events/log/stored-log.js'
import { BUNDLES, LeafTooLong } from '../../../events/log/tree/entry-bundles.js'
import { NO_HASH } from '../../../events/codec.js'
import { evidenceOf, type TestEvidence } from '../../support/evidence.js'
import { SimulatedDisk } from '../../support/simulated-disk.js'
import { addRecord, commitOf } from '../commits.js'

const FIRST = '0000000000000000'

const open = (disk: SimulatedDisk, readOnly = false): Promise<SegmentEventLog> =>
  SegmentEventLog.open({ path: disk.path, disk, segmentBytes: 1024 * 1024, readOnly })

const append = async (log: StoredLog, count: number, size = 20): Promise<void> => {
  const first = log.durableIndex + 1
  await log.append(Array.from({ length: count }, (_, i) => commitOf(first + i, { size })))
}

/** Reads a bundle, and compares the hash of each entry with the tree. */
async function check(
  t: ExecutionContext,
  { bundles, tree }: Pick<TestEvidence, 'bundles' | 'tree'>,
  number: number,
  width: number
): Promise<void> {
  const bytes = await bundles.read(number, width)
  let at = 0
  for (let leaf = number * 256; leaf < number * 256 + width; leaf++) {
    const length = bytes.readUInt16BE(at)
    const entry = bytes.subarray(at + 2, (at += 2 + length))
    const hash = createHash('sha256').update(Buffer.of(0)).update(entry).digest()
    t.deepEqual(hash, await tree.tree.leafHash(leaf))
  }
  t.is(at, bytes.length)
}

test('bundles of any width have the leaves of the tree', async t => {
  const log = new MemoryEventLog()
  await append(log, 600)
  const evidence = await evidenceOf(log)
  await evidence.tree.catchUp()
  for (const [number, width] of [
    [0, 256],
    [0, 1],
    [1, 255],
    [2, 1],
    [2, 88],
    [2, 7]
  ] as const)
    await check(t, evidence, number, width)
  await append(log, 300)
  await evidence.tree.catchUp()
  await check(t, evidence, 2, 256)
  await check(t, evidence, 3, 132)
  await evidence.close()
})

test('full bundles are stored, and made again when they are damaged or the log was cut', async t => {
  const disk = new SimulatedDisk()
  const log = await open(disk)
  await append(log, 700)
  const evidence = await evidenceOf(log)
  await evidence.tree.catchUp()
  await Promise.all([0, 1, 0, 1].map(number => check(t, evidence, number, 256)))
  await check(t, evidence, 2, 188)
  const folder = disk.folder(BUNDLES)
  t.deepEqual(await folder.list(), [FIRST, '0000000000000001'])
  const sound = Buffer.from(folder.content(FIRST) ?? '')
  for (const damaged of [
    Buffer.alloc(0),
    sound.subarray(0, 1000),
    Buffer.alloc(sound.length, 7),
    Buffer.concat([sound.subarray(0, 50), Buffer.of(1), sound.subarray(51)])
  ]) {
    folder.put(FIRST, damaged)
    await check(t, evidence, 0, 256)
    t.deepEqual(folder.content(FIRST), sound)
  }
  await evidence.close()
  await log.close()

  await repair(disk, { to: 300, time: '2026-01-02T03:04:05Z', confirm: async () => true })
  const again = await open(disk)
  await append(again, 400)
  const reopened = await evidenceOf(again)
  await reopened.tree.catchUp()
  await check(t, reopened, 0, 256)
  await check(t, reopened, 1, 256)
  await reopened.close()
  await again.close()
})

test('a reader stores nothing', async t => {
  const disk = new SimulatedDisk()
  const log = await open(disk)
  await append(log, 300)
  await log.close()
  const reader = await open(disk, true)
  const { tree, bundles } = await reader.openTree()
  await tree?.catchUp()
  await bundles?.read(0, 256)
  t.deepEqual(await disk.folder(BUNDLES).list(), [])
  await tree?.close()
  await reader.close()
})

test('leaves of pruned commits are stored before the pruning, also those of a bundle that is not full', async t => {
  const disk = new SimulatedDisk()
  const log = await open(disk)
  const evidence = await evidenceOf(log)
  await append(log, 250)
  for (let i = 0; i < 30; i++) await append(log, 1, 150_000)
  const prune = async (own: SegmentEventLog): Promise<number> => {
    const upTo = (await own.prunableSegments()).at(-1)?.last ?? 0
    await own.bases({ program: '1.0.0', form: 1 }).write(upTo, [])
    await own.prune(upTo)
    return upTo
  }
  t.true((await prune(log)) > 256)
  const crashed = disk.killed()
  await evidence.close()
  await log.close()

  const again = await open(crashed)
  const reopened = await evidenceOf(again)
  for (let i = 0; i < 300; i++) await append(again, 1, i % 20 === 0 ? 150_000 : 20)
  await reopened.tree.catchUp()
  const upTo = await prune(again)
  t.true(upTo % 256 !== 0)
  for (const [number, width] of [
    [0, 1],
    [0, 256],
    [1, 256],
    [2, again.durableIndex - 512]
  ] as const)
    await check(t, reopened, number, width)

  const folder = crashed.folder(BUNDLES)
  const content = Buffer.from(folder.content(FIRST) ?? '')
  folder.put(FIRST, content.subarray(1))
  await t.throwsAsync(reopened.bundles.read(0, 256), { instanceOf: CommitsPruned })
  await reopened.close()
  await again.close()
})

test('a leaf of version 1 that is too long for an entry is refused', async t => {
  const buffer = new RecordBuffer(0, 1024)
  addRecord(buffer, commitOf(1, { events: 1000 }), NO_HASH, new SecretsVault(), 1)
  const record = StoredRecord.at(buffer.bytes.subarray(0, buffer.end))
  const log = new MemoryEventLog()
  await log.ingest(record ? [record] : [], () => {})
  const evidence = await evidenceOf(log)
  await evidence.tree.catchUp()
  await t.throwsAsync(evidence.bundles.read(0, 1), {
    instanceOf: LeafTooLong,
    message: /leaf of commit 1 has 66095 bytes/
  })
  await evidence.close()
})
