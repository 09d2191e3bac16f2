// How the oldest commits of a log go: in whole segments, and so that no failing power leaves a log that cannot be opened.
import test from 'ava'
import { CommitsPruned } from '../../events/log/log.js'
import { indexAt } from '../../events/log/lookups.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { verifyChain } from '../../events/log/verify.js'
import { untilPacked } from '../support/damage.js'
import { seeded } from '../support/random.js'
import { SimulatedDisk, type DiskHooks } from '../support/simulated-disk.js'
import { formatTime } from '../../events/time.js'
import { collect, commitOf } from './commits.js'
import { sampleOf } from '../support/property-runs.js'

const MAKER = { program: '1.0.0', form: 1 }
const SEGMENT = 1024 * 1024
const COMMITS = 40

const open = (disk: SimulatedDisk, compress = false): Promise<SegmentEventLog> =>
  SegmentEventLog.open({ path: disk.path, disk, segmentBytes: SEGMENT, compress })

interface Prepared {
  readonly hooks?: DiskHooks
  /** Whether all but the newest segment is packed. */
  readonly compress?: boolean
}

/** A log of several segments, with a base for all but the newest. */
const prepared = async ({ hooks = {}, compress = false }: Prepared = {}) => {
  const disk = new SimulatedDisk('/simulated', hooks)
  const log = await open(disk, compress)
  for (let i = 1; i <= COMMITS; i++) await log.append([commitOf(i, { size: 150_000 })])
  if (compress) await untilPacked(disk)
  const upTo = (await log.prunableSegments()).at(-1)?.last ?? 0
  await log.bases(MAKER).write(upTo, [])
  return { disk, log, upTo }
}

const indexesOf = async (log: SegmentEventLog): Promise<number[]> =>
  (await collect(log.read(log.firstIndex))).map(({ Index }) => Index)

const from = (first: number): number[] => Array.from({ length: COMMITS - first + 1 }, (_, i) => first + i)

test('complete segments are pruned, and reads below the oldest commit fail', async t => {
  const { disk, log, upTo } = await prepared()
  t.true((await log.prunableSegments()).length > 2)
  t.is(log.firstIndex, 1)
  const before = await log.hashAt(upTo)
  await log.prune(upTo)
  t.is(log.firstIndex, upTo + 1)
  t.deepEqual(await log.prunableSegments(), [])
  t.is(await log.hashAt(upTo), before)
  const gone = await t.throwsAsync(collect(log.read(1)), { instanceOf: CommitsPruned })
  t.is(gone.oldest, upTo + 1)
  await t.throwsAsync(log.hashAt(1), { instanceOf: CommitsPruned })
  t.deepEqual(
    await collect(log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-1' })),
    []
  )
  t.is((await verifyChain(log)).headIndex, COMMITS)
  await log.close()
  const again = await open(disk)
  t.deepEqual(await indexesOf(again), from(upTo + 1))
  await again.append([commitOf(COMMITS + 1)])
  await again.close()
})

test('a closed log prunes nothing, since another writer may have its folder', async t => {
  const { disk, log, upTo } = await prepared()
  await log.close()
  await t.throwsAsync(log.prune(upTo), { message: 'the log is closed' })
  const again = await open(disk)
  t.is(again.firstIndex, 1)
  await again.prune(upTo)
  t.deepEqual(await indexesOf(again), from(upTo + 1))
  await again.close()
})

test('the log in memory lets commits go alike', async t => {
  const log = new MemoryEventLog()
  await log.append(Array.from({ length: 10 }, (_, i) => commitOf(i + 1)))
  await log.prune(4)
  t.is(log.firstIndex, 5)
  t.deepEqual(
    (await collect(log.read(5))).map(({ Index }) => Index),
    [5, 6, 7, 8, 9, 10]
  )
  await t.throwsAsync(collect(log.read(4)), { instanceOf: CommitsPruned })
  t.is((await verifyChain(log)).headIndex, 10)
})

for (const compress of [false, true])
  test(`power that fails at any call leaves a ${compress ? 'packed' : 'plain'} log that begins with some segment and has all behind it`, async t => {
    const states: SimulatedDisk[] = []
    const { disk, log, upTo } = await prepared({ compress })
    const random = seeded(1)
    disk.hooks.after = () => states.push(...Array.from({ length: 3 }, () => disk.powerLoss(random)))
    await log.prune(upTo)
    delete disk.hooks.after
    await log.close()
    t.true(states.length > 5)
    for (const [i, lost] of sampleOf(states).entries()) {
      const again = await open(lost)
      t.true(again.firstIndex <= upTo + 1)
      t.deepEqual(await indexesOf(again), from(again.firstIndex), `state ${i}`)
      await again.prune(upTo)
      t.is(again.firstIndex, upTo + 1)
      await again.close()
      const left = (await lost.list()).filter(name => /\.(pack|secrets)$/.test(name))
      t.deepEqual(left, [], `state ${i}`)
    }
  })

test('a log without its first segments and without a base is not opened', async t => {
  const { disk, log, upTo } = await prepared()
  await log.prune(upTo)
  await log.close()
  const bases = disk.folder('base')
  for (const name of await bases.list()) bases.remove(name)
  await t.throwsAsync(open(disk), { message: /neither the segments before it nor a base are there/ })
})

for (const compress of [false, true])
  test(`a time finds its commit in ${compress ? 'packed ' : ''}segments, some of which are gone`, async t => {
    const disk = new SimulatedDisk('/simulated')
    const log = await open(disk, compress)
    for (let i = 1; i <= COMMITS; i++)
      await log.append([commitOf(i, { size: 150_000, time: formatTime(i * 1000) })])
    if (compress) await untilPacked(disk)
    const indexes = from(1)
    t.deepEqual(await Promise.all(indexes.map(i => indexAt(log, i * 1000))), indexes)
    const upTo = (await log.prunableSegments())[0]?.last ?? 0
    await log.bases(MAKER).write(upTo, [])
    const searches = indexes.map(i => indexAt(log, i * 1000))
    await log.prune(upTo)
    t.true((await Promise.all(searches)).every((found, i) => found === i + 1 || found === upTo + 1))
    t.is(await indexAt(log, 0), upTo + 1)
    t.is(await indexAt(log, (upTo + 2) * 1000 - 1), upTo + 2)
    await log.close()
  })
