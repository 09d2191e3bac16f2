// Commits by accessor and by source address: what the index files find is what a scan finds.
import test, { type ExecutionContext } from 'ava'
import * as fc from 'fast-check'
import type { Commit } from '../../../events/envelope.js'
import { accessorHash, addressHash } from '../../../events/log/history.js'
import { BoundedReader, type SearchPosition } from '../../../events/log/segments/bounded-reader.js'
import { IndexFile } from '../../../events/log/segments/index-file.js'
import { readSegments, type Segment } from '../../../events/log/segments/segment.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import type { Search } from '../../../events/stored.js'
import { seeded } from '../../support/random.js'
import { SimulatedDisk } from '../../support/simulated-disk.js'
import { until } from '../../support/wait.js'
import { collect, commitOf } from '../commits.js'
import { openOn } from './workload.js'
import { runs, sampleOf } from '../../support/property-runs.js'

const ACCESSORS = ['often', 'sometimes', 'rarely', 'never', '']
const ADDRESSES = ['192.0.2.1', '192.0.2.2', '']

/** Most commits have the first caller, few the third, and none the fourth. */
const callerOf = (index: number): Pick<Commit['By'], 'AccessorID' | 'Address'> => ({
  AccessorID: index % 29 === 0 ? 'rarely' : index % 5 === 0 ? 'sometimes' : index % 13 === 0 ? '' : 'often',
  Address: index % 7 === 0 ? '192.0.2.2' : index % 11 === 0 ? '' : '192.0.2.1'
})

const commitAt = (index: number): Commit => {
  const commit = commitOf(index, { size: 9000, key: `key-${index % 3}` })
  return { ...commit, By: { ...commit.By, ...callerOf(index) } }
}

type Origin = NonNullable<Search['origin']>

const origins: readonly Origin[] = [
  ...ACCESSORS.filter(Boolean).map(AccessorID => ({ AccessorID })),
  ...ADDRESSES.filter(Boolean).map(Address => ({ Address })),
  { AccessorID: 'sometimes', Address: '192.0.2.2' },
  { AccessorID: 'rarely', Address: '198.51.100.1' }
]

const isOf = ({ By }: Commit, { AccessorID = By.AccessorID, Address = By.Address }: Origin): boolean =>
  By.AccessorID === AccessorID && By.Address === Address

/** The commits that a search reads, and how many those are that it did not look for. */
async function search(
  reader: BoundedReader,
  log: SegmentEventLog,
  origin: Origin
): Promise<{ readonly found: readonly number[]; readonly read: number }> {
  const wanted: Search = { wanted: undefined, partition: undefined, namespace: undefined, origin }
  const extent = { to: log.durableIndex, newest: log.newestSegment }
  const found: number[] = []
  let [read, place]: [number, SearchPosition | undefined] = [0, undefined]
  for (let from = log.firstIndex; from <= extent.to;) {
    const page = await reader.page(from, extent, wanted, place)
    for (const { index, by } of page.records) {
      read++
      if (isOf({ ...commitOf(index), By: by }, origin)) found.push(index)
    }
    from = page.next
    place = page.place
  }
  return { found, read }
}

async function findsAll(t: ExecutionContext, log: SegmentEventLog, reader: BoundedReader): Promise<void> {
  const all = await collect(log.read(log.firstIndex))
  for (const origin of origins) {
    const expected = all.filter(commit => isOf(commit, origin)).map(({ Index }) => Index)
    t.deepEqual((await search(reader, log, origin)).found, expected, JSON.stringify(origin))
  }
}

const sealedOf = async (disk: SimulatedDisk): Promise<readonly Segment[]> =>
  (await readSegments(disk, await disk.list(), undefined)).slice(0, -1)

async function indexesOf(disk: SimulatedDisk): Promise<readonly IndexFile[]> {
  const files: IndexFile[] = []
  for (const segment of await sealedOf(disk)) {
    const file = await IndexFile.open(disk, segment)
    if (file) files.push(file)
  }
  return files
}

const areIndexed = async (disk: SimulatedDisk): Promise<boolean> =>
  (await indexesOf(disk)).length === (await sealedOf(disk)).length

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 40 }).map(count => ({ kind: 'append' as const, count }))
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 60 }).map(share => ({ kind: 'prune' as const, share })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('erase' as const),
      accessor: fc.constantFrom(...ACCESSORS),
      share: fc.integer({ min: 0, max: 100 })
    })
  }
)

async function eraseOrigins(log: SegmentEventLog, accessor: string, upTo: number): Promise<void> {
  const commits = await collect(log.read(log.firstIndex))
  await log.erase(
    commits
      .filter(({ Index, By }) => Index <= upTo && By.AccessorID === accessor)
      .map(({ Index: index }) => ({ index, who: true }))
  )
}

test('searches by origin find what a scan finds, after appends, restarts, pruning and erasures', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async steps => {
      const disk = new SimulatedDisk()
      const reader = new BoundedReader(disk)
      let log = await openOn(disk)
      for (const each of steps) {
        const index = log.durableIndex
        if (each.kind === 'append')
          await log.append(Array.from({ length: each.count }, (_, i) => commitAt(index + i + 1)))
        else if (each.kind === 'prune') await log.prune(Math.floor((index * each.share) / 100))
        else if (each.kind === 'erase') {
          await eraseOrigins(log, each.accessor, Math.floor((index * each.share) / 100))
          await reader.forgetIndexes()
        } else if (log.firstIndex === 1) {
          // A pruned log has a base snapshot, which these commits do not make.
          await log.close()
          log = await openOn(disk)
        }
        if (log.durableIndex > 0) await findsAll(t, log, reader)
      }
      await log.close()
    }),
    { numRuns: runs(25) }
  )
})

const COMMITS = 300

async function written(): Promise<{ readonly disk: SimulatedDisk; readonly log: SegmentEventLog }> {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  for (let i = 1; i <= COMMITS; i += 5) await log.append(Array.from({ length: 5 }, (_, j) => commitAt(i + j)))
  await until('all segments have an index', () => areIndexed(disk))
  return { disk, log }
}

test('a search by origin reads the commits that it finds, and those of the newest segment', async t => {
  const { disk, log } = await written()
  const reader = new BoundedReader(disk)
  const newest = COMMITS - ((await sealedOf(disk)).at(-1)?.last ?? 0)
  const { found, read } = await search(reader, log, { AccessorID: 'rarely' })
  t.true(found.length > 5)
  t.true(read <= found.length + newest, `${read} commits read for ${found.length}`)
  const { read: unnecessary } = await search(reader, log, { AccessorID: 'never' })
  t.is(unnecessary, newest)
  await log.close()
})

test('erased origins have no entry in any index file, which are made again', async t => {
  const { disk, log } = await written()
  const upTo = 200
  await eraseOrigins(log, 'rarely', upTo)
  await until('all segments have an index', () => areIndexed(disk))
  const isHeld = async (hash: number): Promise<readonly number[]> =>
    (await Promise.all((await indexesOf(disk)).map(file => file.find(hash)))).flatMap(found => found ?? [])
  t.deepEqual(
    (await isHeld(accessorHash('rarely'))).filter(index => index <= upTo),
    []
  )
  t.true((await isHeld(accessorHash('often'))).length > 100)
  const erased = new Set(
    Array.from({ length: upTo }, (_, i) => i + 1).filter(index => callerOf(index).AccessorID === 'rarely')
  )
  t.true(erased.size > 3)
  t.false((await isHeld(addressHash('192.0.2.1'))).some(index => erased.has(index)))
  t.true((await isHeld(addressHash('192.0.2.1'))).some(index => index < upTo))
  await log.close()
})

test('origins erased in the segment that is being written have no entry when it is sealed', async t => {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  await log.append(Array.from({ length: 10 }, (_, i) => commitAt(i + 1)))
  await eraseOrigins(log, 'often', 10)
  while ((await sealedOf(disk)).length === 0)
    await log.append([commitOf(log.durableIndex + 1, { size: 9000 })])
  await until('all segments have an index', () => areIndexed(disk))
  const [file] = await indexesOf(disk)
  t.deepEqual(await file?.find(accessorHash('often')), [])
  t.deepEqual(await file?.find(accessorHash('sometimes')), [5, 10])
  await log.close()
})

test('power lost at any call of an erasure of origins: no index file has an entry after it was repeated', async t => {
  const seed = Number(process.env['ANNALS_POWER_LOSS_SEED'] ?? Date.now() % 2 ** 32)
  t.log(`ANNALS_POWER_LOSS_SEED=${seed}`)
  const random = seeded(seed)
  const { disk, log } = await written()
  const states: { readonly disk: SimulatedDisk; readonly moment: string }[] = []
  disk.hooks.after = ({ kind, name }) => {
    if (kind !== 'read' && random.below(3) === 0)
      states.push({ disk: disk.powerLoss(random), moment: `${kind} of ${name}` })
  }
  await eraseOrigins(log, 'rarely', COMMITS)
  delete disk.hooks.after
  await log.close()
  t.true(states.length > 5)
  for (const state of sampleOf(states)) {
    const found = await openOn(state.disk)
    await eraseOrigins(found, 'rarely', COMMITS)
    await until('all segments have an index', () => areIndexed(state.disk))
    for (const file of await indexesOf(state.disk))
      t.deepEqual(await file.find(accessorHash('rarely')), [], `power lost after ${state.moment}`)
    await found.close()
  }
})
