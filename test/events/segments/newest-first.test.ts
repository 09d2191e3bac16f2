// The cost of reading some of a resource's thousands of versions.
import test from 'ava'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { SimulatedDisk, type DiskHooks } from '../../support/simulated-disk.js'
import { commitOf } from '../commits.js'

const TOTAL = 6000
const RESOURCE = { topic: 'ACLToken', partition: 'default', namespace: '', key: 'often' }

test('some of the newest of thousands of versions cost some reads, from anywhere in the log', async t => {
  let reads = 0
  const hooks: DiskHooks = { after: ({ kind }) => void (reads += kind === 'read' ? 1 : 0) }
  const disk = new SimulatedDisk('/simulated', hooks)
  const log = await SegmentEventLog.open({ path: disk.path, disk, segmentBytes: 512 * 1024 })
  t.teardown(() => log.close())
  for (let i = 1; i <= TOTAL; i += 500)
    await log.append(Array.from({ length: 500 }, (_, at) => commitOf(i + at, { key: 'often', size: 400 })))
  const take = async (count: number, from: number): Promise<readonly number[]> => {
    const indexes: number[] = []
    for await (const { Index } of log.history(RESOURCE, { from, newestFirst: true }))
      if (indexes.push(Index) === count) break
    return indexes
  }
  t.true((await log.prunableSegments()).length > 4)
  for (const from of [TOTAL, 4321, 100]) {
    // The first look into a segment reads the tables of its index file.
    await take(1, from)
    reads = 0
    t.deepEqual(await take(1, from), [from])
    t.true(reads <= 8, `${reads} reads for one version`)
    reads = 0
    t.deepEqual(
      await take(10, from),
      Array.from({ length: 10 }, (_, i) => from - i)
    )
    t.true(reads <= 100, `${reads} reads for ten versions`)
  }
})

test('a version of a large group is read without the rest of the group, and one file is opened for several', async t => {
  let [reads, bytes, opened] = [0, 0, 0]
  const hooks: DiskHooks = {
    after: ({ kind, length = 0 }) => {
      if (kind === 'read') [reads, bytes] = [reads + 1, bytes + length]
      if (kind === 'open') opened++
    }
  }
  const disk = new SimulatedDisk('/simulated', hooks)
  const log = await SegmentEventLog.open({ path: disk.path, disk, segmentBytes: 2 * 1024 * 1024 })
  t.teardown(() => log.close())
  for (let i = 1; i <= TOTAL; i += 1000)
    await log.append(
      Array.from({ length: 1000 }, (_, at) =>
        commitOf(i + at, { key: (i + at) % 300 === 0 ? 'often' : 'other', size: 600 })
      )
    )
  const take = async (count: number, from: number): Promise<readonly number[]> => {
    const indexes: number[] = []
    for await (const { Index } of log.history(RESOURCE, { from, newestFirst: true, limit: count }))
      if (indexes.push(Index) === count) break
    return indexes
  }
  t.true((await log.prunableSegments()).length > 1)
  // In the segment that is written, and in sealed ones.
  for (const from of [TOTAL, 3000, 1800]) {
    await take(1, from)
    ;[reads, bytes, opened] = [0, 0, 0]
    t.deepEqual(await take(1, from), [from])
    t.true(reads <= 2, `${reads} reads for one version`)
    t.true(bytes <= 40 * 1024, `${bytes} bytes for one version`)
    t.is(opened, 1)
    await take(5, from)
    ;[reads, bytes, opened] = [0, 0, 0]
    t.deepEqual(
      await take(5, from),
      Array.from({ length: 5 }, (_, i) => from - 300 * i)
    )
    t.true(reads <= 5 + 4, `${reads} reads for five versions`)
    t.true(bytes <= 200 * 1024, `${bytes} bytes for five versions`)
    t.true(opened <= 3, `${opened} files were opened for five versions`)
  }
})
