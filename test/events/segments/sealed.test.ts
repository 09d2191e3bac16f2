// Segments that are finished: their index files, packing, and the scrub.
import test, { type ExecutionContext } from 'ava'
import { LogDamage } from '../../../events/log/log.js'
import type { LogReport } from '../../../events/log/report.js'
import { HistoryEntries } from '../../../events/log/history.js'
import { IndexFile } from '../../../events/log/segments/index-file.js'
import { IndexFiles, readSegmentContent } from '../../../events/log/segments/index-files.js'
import { packSegment } from '../../../events/log/segments/pack.js'
import { PackingProcess, Scrubber } from '../../../events/log/segments/background-tasks.js'
import { readSegments, type Segment } from '../../../events/log/segments/segment.js'
import { withSegment } from '../../../events/log/segments/segment-files.js'
import { verifyChain } from '../../../events/log/verify.js'
import { SimulatedDisk } from '../../support/simulated-disk.js'
import { collect, commitOf } from '../commits.js'
import { openOn } from './workload.js'

const COMMITS = 120
const SOUGHT = [7, 50, 51, 93]

const commits = Array.from({ length: COMMITS }, (_, i) =>
  commitOf(i + 1, {
    size: 6000,
    ...(SOUGHT.includes(i + 1) ? { key: 'sought' } : {}),
    ...(i % 3 === 0 ? { secrets: { SecretID: `hidden-${i}-${'s'.repeat(i * 20)}` } } : {})
  })
)

/** A closed log of some segments. */
async function written(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  for (let i = 0; i < COMMITS; i += 5) await log.append(commits.slice(i, i + 5))
  await log.close()
  return disk
}

async function sealedOf(disk: SimulatedDisk): Promise<readonly Segment[]> {
  const segments = await readSegments(disk, await disk.list(), undefined)
  return segments.slice(0, -1)
}

/** The log tells all commits, and where the sought key is. */
async function isWhole(t: ExecutionContext, disk: SimulatedDisk, readOnly = false): Promise<void> {
  const log = await openOn(disk, { readOnly })
  t.deepEqual(await collect(log.read(1)), commits)
  t.deepEqual(await collect(log.read(60)), commits.slice(59))
  const found = await collect(
    log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'sought' })
  )
  t.deepEqual(
    found.map(({ Index }) => Index),
    SOUGHT
  )
  t.is((await verifyChain(log)).broken, undefined)
  await log.close()
}

test('records of some topics are all there, and segments without any are passed over', async t => {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  const rare = [3, 5]
  for (let i = 1; i <= COMMITS; i++)
    await log.append([commitOf(i, { topic: rare.includes(i) ? 'ACLPolicy' : 'ACLToken', size: 6000 })])
  const found = (await collect(log.records(1, { topics: ['ACLPolicy'] }))).flat().map(({ index }) => index)
  t.true(rare.every(index => found.includes(index)))
  t.true(found.length < COMMITS)
  const both = (await collect(log.records(10, { topics: ['ACLPolicy', 'ACLToken'] }))).flat()
  t.deepEqual(
    both.map(({ index }) => index),
    Array.from({ length: COMMITS - 9 }, (_, i) => i + 10)
  )
  t.deepEqual(await collect(log.records(COMMITS + 1, { topics: ['ACLPolicy'] })), [])
  await log.close()
})

test('the index file of a segment lists the kinds of its events', async t => {
  const kindsWith = async (topics: number): Promise<readonly string[] | undefined> => {
    const disk = new SimulatedDisk()
    const log = await openOn(disk)
    for (let i = 1; i <= COMMITS; i += 10)
      await log.append(
        Array.from({ length: 10 }, (_, j) =>
          commitOf(i + j, { topic: `Topic${(i + j) % topics}`, size: 6000 })
        )
      )
    await log.close()
    const [segment] = await sealedOf(disk)
    const file = segment && (await IndexFile.open(disk, segment))
    await file?.close()
    return file?.kinds?.map(({ Topic, Type, Namespace, Partition }) =>
      [Topic, Type, Namespace, Partition].join()
    )
  }
  t.deepEqual(await kindsWith(1), ['Topic0,Topic0Upserted,,default'])
  t.deepEqual((await kindsWith(2))?.toSorted(), [
    'Topic0,Topic0Upserted,,default',
    'Topic1,Topic1Upserted,,default'
  ])
})

test('kinds of events are listed up to a number', t => {
  const entries = new HistoryEntries()
  const heads = Array.from({ length: 257 }, (_, i) => ({
    Topic: 'KV',
    Type: 'KVSet',
    Namespace: `team-${i}`,
    Key: 'a',
    FilterKeys: null
  }))
  for (const head of heads.slice(0, 256)) entries.add(head, 1)
  t.is(entries.kinds?.length, 256)
  const both = new HistoryEntries()
  both.addAll(entries)
  t.deepEqual(both.kinds, entries.kinds)
  for (const head of heads.slice(256)) both.add(head, 1)
  t.is(both.kinds, undefined)
  t.is(both.topics.size, 1)
  both.cut()
  t.deepEqual(both.kinds, [])
})

test('index files that are missing, damaged anywhere, or another segment’s are made again', async t => {
  const disk = await written()
  const names = (await disk.list()).filter(name => name.endsWith('.idx'))
  t.true(names.length >= 2)
  await isWhole(t, disk)
  const [first = '', second = ''] = names
  const whole = Buffer.from(disk.content(first) ?? [])
  const damages: ((bytes: Buffer) => Buffer)[] = [
    bytes => bytes.subarray(0, bytes.length / 2),
    () => Buffer.alloc(0),
    bytes => Buffer.alloc(bytes.length),
    () => Buffer.from(disk.content(second) ?? []),
    ...Array.from({ length: 40 }, (_, i) => (bytes: Buffer) => {
      const at = Math.floor((bytes.length * i) / 40)
      bytes[at] = (bytes[at] ?? 0) ^ 4
      return bytes
    })
  ]
  for (const damage of damages) {
    disk.put(first, damage(Buffer.from(whole)))
    await isWhole(t, disk)
    disk.put(first, whole)
  }
  for (const name of names) disk.remove(name)
  await isWhole(t, disk, true)
  t.false((await disk.list()).includes(first))
  await isWhole(t, disk)
  t.deepEqual(disk.content(first), whole)
})

test('a packed segment is read as it was, takes less room, and leaves its secrets beside it', async t => {
  const disk = await written()
  const sealed = await sealedOf(disk)
  const before = sealed.map(({ name }) => Buffer.from(disk.content(name) ?? []))
  for (const segment of sealed) {
    const { end } = await readSegmentContent(disk, segment)
    await packSegment(disk, segment, end)
  }
  const names = await disk.list()
  for (const [i, { name }] of sealed.entries()) {
    t.false(names.includes(name))
    const pack = disk.content(name.replace('.seg', '.pack')) ?? Buffer.alloc(0)
    t.true(pack.length * 5 < (before[i]?.length ?? 0))
    t.false(pack.includes('hidden-'))
    t.true(disk.content(name.replace('.seg', '.secrets'))?.includes('hidden-'))
    await withSegment(disk, name, async file => {
      const bytes = Buffer.alloc(await file.size())
      for (let at = 0; at < bytes.length;) at += await file.read(bytes.subarray(at), at)
      t.true(bytes.equals(before[i]?.subarray(0, bytes.length) ?? Buffer.alloc(0)))
    })
  }
  await isWhole(t, disk)
  await isWhole(t, disk, true)
  for (const name of names) if (name.endsWith('.idx')) disk.remove(name)
  await isWhole(t, disk)
})

test('a pack that is damaged is named, and never served as something else', async t => {
  const disk = await written()
  const [segment] = await sealedOf(disk)
  if (!segment) return t.fail('there is no sealed segment')
  await packSegment(disk, segment, (await readSegmentContent(disk, segment)).end)
  for (const ending of ['.pack', '.secrets']) {
    const name = segment.name.replace('.seg', ending)
    const whole = Buffer.from(disk.content(name) ?? [])
    for (let i = 0; i < 30; i++) {
      const bytes = Buffer.from(whole)
      const at = Math.floor((bytes.length * i) / 30)
      bytes[at] = (bytes[at] ?? 0) ^ 16
      disk.put(name, bytes)
      await t.throwsAsync(
        readSegmentContent(disk, segment, { withParts: true }),
        { instanceOf: LogDamage },
        `${name} ${at}`
      )
    }
    disk.put(name, whole.subarray(0, whole.length - 10))
    await t.throwsAsync(readSegmentContent(disk, segment), { instanceOf: LogDamage })
    disk.remove(name)
    await t.throwsAsync(readSegmentContent(disk, segment))
    disk.put(name, whole)
  }
  await isWhole(t, disk)
})

test('what a crash leaves of packing is done again', async t => {
  const disk = await written()
  const sealed = await sealedOf(disk)
  const [segment] = sealed
  if (!segment) return t.fail('there is no sealed segment')
  const whole = Buffer.from(disk.content(segment.name) ?? [])
  await packSegment(disk, segment, (await readSegmentContent(disk, segment)).end)
  // As a crash leaves it: both forms, and the newer one cut.
  disk.put(segment.name, whole)
  disk.put(segment.name.replace('.seg', '.pack'), Buffer.alloc(10))
  await isWhole(t, disk)
  const packing = new PackingProcess(
    disk,
    new IndexFiles(disk, false),
    () => sealed,
    report => t.fail(report.text)
  )
  packing.begin()
  await packing.idle()
  t.deepEqual((await disk.list()).filter(name => name.endsWith('.pack')).length, sealed.length)
  await isWhole(t, disk)
})

test('the scrub finds damage of a sealed segment, tells it once, and names the place', async t => {
  const disk = await written()
  const sealed = await sealedOf(disk)
  const reports: LogReport[] = []
  const scrub = new Scrubber(
    disk,
    () => sealed,
    0,
    report => reports.push(report)
  )
  for (const _ of sealed) await scrub.step()
  t.deepEqual(reports, [])
  const bytes = disk.content(sealed[0]?.name ?? '') ?? Buffer.alloc(0)
  const at = bytes.indexOf('"key-20"')
  bytes[at] = (bytes[at] ?? 0) ^ 1
  for (let round = 0; round < 2; round++) for (const _ of sealed) await scrub.step()
  t.is(reports.length, 1)
  t.is(scrub.found, 1)
  t.regex(reports[0]?.text ?? '', /is damaged at byte \d+, commit 20/)
})

test('damage in a sealed segment is an error for the commits that it concerns, and for no others', async t => {
  const disk = await written()
  const log = await openOn(disk)
  const [segment] = await sealedOf(disk)
  const bytes = disk.content(segment?.name ?? '') ?? Buffer.alloc(0)
  const at = bytes.indexOf('"key-20"')
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await t.throwsAsync(collect(log.read(1)), { instanceOf: LogDamage, message: /commit 20/ })
  await t.throwsAsync(
    collect(log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-20' })),
    { instanceOf: LogDamage }
  )
  t.is((await collect(log.read(40))).length, COMMITS - 39)
  t.is(
    (await collect(log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'sought' })))
      .length,
    SOUGHT.length
  )
  await log.append([commitOf(COMMITS + 1)])
  await log.close()
})
