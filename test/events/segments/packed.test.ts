// A log whose finished segments are packed: written, followed, cut, pruned and interrupted.
import test, { type ExecutionContext } from 'ava'
import { LogDamage } from '../../../events/log/log.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { unpackSegment } from '../../../events/log/segments/pack.js'
import { repair } from '../../../events/log/segments/repair.js'
import { verifyChain } from '../../../events/log/verify.js'
import { untilPacked } from '../../support/damage.js'
import { seeded } from '../../support/random.js'
import { SimulatedDisk, type DiskHooks } from '../../support/simulated-disk.js'
import { collect, commitOf } from '../commits.js'
import { openOn } from './workload.js'
import { sampleOf } from '../../support/property-runs.js'

const COMMITS = 60

const commit = (index: number) =>
  commitOf(index, { size: 15_000, key: `key-${index % 7}`, secrets: { SecretID: `hidden-${index}` } })
const upTo = (last: number) => Array.from({ length: last }, (_, i) => commit(i + 1))

async function append(log: SegmentEventLog, last: number): Promise<void> {
  while (log.durableIndex < last) await log.append([commit(log.durableIndex + 1)])
}

/** A closed log of which all but the newest segment is packed. */
async function packed(hooks: DiskHooks = {}): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk('/simulated', hooks)
  const log = await openOn(disk, { compress: true })
  await append(log, COMMITS)
  await untilPacked(disk)
  await log.close()
  return disk
}

const ending = async (disk: SimulatedDisk, end: string): Promise<readonly string[]> =>
  (await disk.list()).filter(name => name.endsWith(end)).toSorted()

async function isWhole(t: ExecutionContext, disk: SimulatedDisk, about = ''): Promise<void> {
  for (const readOnly of [true, false]) {
    const log = await openOn(disk, { readOnly })
    t.deepEqual(await collect(log.read(1)), upTo(COMMITS), about)
    const found = await collect(
      log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-3' })
    )
    t.deepEqual(
      found.map(({ Index }) => Index),
      Array.from({ length: COMMITS }, (_, i) => i + 1).filter(index => index % 7 === 3),
      about
    )
    t.is((await verifyChain(log)).broken, undefined, about)
    await log.close()
  }
}

test('segments are packed when they are sealed, while the log is written', async t => {
  const disk = await packed()
  t.true((await ending(disk, '.pack')).length >= 3)
  t.is((await ending(disk, '.seg')).length, 1)
  await isWhole(t, disk)
})

test('segments of a log that was not packed are packed by a start that is to', async t => {
  const disk = new SimulatedDisk()
  const plain = await openOn(disk)
  await append(plain, COMMITS)
  await plain.close()
  const log = await openOn(disk, { compress: true })
  await untilPacked(disk)
  await log.close()
  await isWhole(t, disk)
})

test('a follower continues reading when segments are packed or pruned', async t => {
  const disk = new SimulatedDisk()
  const writer = await openOn(disk)
  await append(writer, COMMITS)
  const follower = await openOn(disk, { readOnly: true })
  const early = follower.records(1)
  t.is((await early.next()).value?.[0]?.index, 1)
  await writer.close()
  const packing = await openOn(disk, { compress: true })
  await untilPacked(disk)
  t.is((await collect(early)).at(-1)?.at(-1)?.index, COMMITS)
  t.deepEqual(await collect(follower.read(1)), upTo(COMMITS))

  const upper = (await packing.prunableSegments()).at(-1)?.last ?? 0
  const late = follower.records(1)
  await late.next()
  await packing.bases({ program: '1.0.0', form: 1 }).write(upper, [])
  await packing.prune(upper)
  await t.throwsAsync(collect(late), { message: new RegExp(`the oldest is ${upper + 1}$`) })
  t.is(follower.firstIndex, upper + 1)
  t.deepEqual(await collect(follower.read(upper + 1)), upTo(COMMITS).slice(upper))
  const found = await collect(
    follower.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-3' })
  )
  t.true(found.every(({ Index }) => Index > upper))
  const resource = { topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-3' }
  t.deepEqual(await collect(follower.history(resource, { newestFirst: true })), found.toReversed())
  await follower.close()
  await packing.close()
})

test('power that fails, or a process that is killed, at any call of packing leaves a whole log', async t => {
  const plain = new SimulatedDisk()
  const log = await openOn(plain)
  await append(log, COMMITS)
  await log.close()
  const states: { readonly disk: SimulatedDisk; readonly about: string }[] = []
  const disk = plain.killed()
  const first = '0000000000000001-'
  const random = seeded(7)
  disk.hooks.after = ({ kind, name }) => {
    // One segment goes through all steps, and of the others the names.
    if (kind === 'write' && !name.startsWith(first)) return
    if (!/\.(pack|secrets|seg)/.test(name) && kind !== 'flushNames') return
    states.push({ disk: disk.powerLoss(random), about: `power lost after ${kind} of ${name}` })
    states.push({ disk: disk.killed(), about: `killed after ${kind} of ${name}` })
  }
  const packing = await openOn(disk, { compress: true })
  await untilPacked(disk)
  delete disk.hooks.after
  await packing.close()
  t.true(states.length > 50)
  for (const state of sampleOf(states)) {
    const again = await openOn(state.disk, { compress: true })
    await untilPacked(state.disk)
    await again.close()
    t.deepEqual(
      (await state.disk.list()).filter(name => name.endsWith('.new')),
      [],
      state.about
    )
    const reader = await openOn(state.disk, { readOnly: true })
    t.deepEqual(await collect(reader.read(1)), upTo(COMMITS), state.about)
    await reader.close()
  }
})

test('a disk that fails while a segment is packed leaves it plain, and nothing half made', async t => {
  const disk = new SimulatedDisk()
  const plain = await openOn(disk)
  await append(plain, COMMITS)
  await plain.close()
  const reports: string[] = []
  disk.hooks.before = ({ kind, name }) =>
    kind === 'write' && name.endsWith('.pack.new')
      ? { error: Object.assign(new Error('no space left'), { code: 'ENOSPC' }) }
      : undefined
  const log = await openOn(disk, { compress: true, report: ({ text }) => reports.push(text) })
  await append(log, COMMITS + 1)
  await log.close()
  delete disk.hooks.before
  t.regex(reports.join('\n'), /\.seg cannot be packed: no space left/)
  t.deepEqual(await ending(disk, '.new'), [])
  t.deepEqual(await ending(disk, '.pack'), [])
  const again = await openOn(disk)
  t.is((await collect(again.read(1))).length, COMMITS + 1)
  await again.close()
})

test('repair cuts inside a packed segment, and above damage in one; the log can be packed again', async t => {
  const names = await ending(await packed(), '.pack')
  const first = (name: string | undefined): number => Number(name?.slice(0, 16))
  const inside = first(names[1]) + 3
  for (const damaged of [false, true]) {
    const disk = await packed()
    const [, , third = ''] = names
    if (damaged) {
      const bytes = disk.content(third) ?? Buffer.alloc(0)
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 5) ^ 1, bytes.length - 5)
    }
    const before = new Map((await disk.list()).map(name => [name, Buffer.from(disk.content(name) ?? [])]))
    const begun = await repair(disk, {
      to: inside,
      time: '2026-01-02T03:04:05Z',
      confirm: async loss => {
        t.like(loss, { first: inside + 1, last: COMMITS })
        return true
      }
    })
    t.is(begun?.index, inside + 1)
    const cut = disk.folder('cut')
    const [copy = ''] = await cut.list()
    const copies = await cut.folder(copy).list()
    t.true(copies.includes(third) && copies.includes(third.replace('.pack', '.secrets')))
    for (const name of copies) t.deepEqual(cut.folder(copy).content(name), before.get(name))
    t.deepEqual(await ending(disk, '.pack'), names.slice(0, 2))
    t.deepEqual((await ending(disk, '.secrets')).length, 2)
    const log = await openOn(disk, { compress: true })
    t.deepEqual((await collect(log.read(1))).slice(0, inside), upTo(inside))
    t.is(log.durableIndex, inside + 1)
    await append(log, COMMITS)
    await untilPacked(disk)
    t.is((await verifyChain(log)).broken, undefined)
    await log.close()
  }
})

test('a start unpacks a packed newest segment and appends to it', async t => {
  const disk = await packed()
  const [newest = ''] = await ending(disk, '.seg')
  for (const name of [newest, 'head', 'durable']) disk.remove(name)
  const last = Number(newest.slice(0, 16)) - 1
  const reader = await openOn(disk, { readOnly: true })
  t.deepEqual(await collect(reader.read(1)), upTo(last))
  await reader.close()
  const log = await openOn(disk)
  t.deepEqual(await collect(log.read(1)), upTo(last))
  await append(log, COMMITS)
  await log.close()
  await isWhole(t, disk)
})

test('power that fails while a segment is made plain leaves one of its forms, whole', async t => {
  const disk = await packed()
  const [name = ''] = await ending(disk, '.pack')
  const states: SimulatedDisk[] = []
  const random = seeded(3)
  disk.hooks.after = () => states.push(disk.powerLoss(random))
  await unpackSegment(disk, name.replace('.pack', '.seg'))
  delete disk.hooks.after
  t.is((await ending(disk, '.seg')).length, 2)
  for (const state of [...states, disk]) await isWhole(t, state)
})

test('what crashes left of files that are derived or were being made goes with the next start', async t => {
  const disk = await packed()
  const [name = ''] = await ending(disk, '.pack')
  const lost = ['0000000000000009-3.secrets', '0000000000000009-3.idx', `${name}.new`]
  for (const each of lost) disk.put(each, Buffer.from('left'))
  await isWhole(t, disk)
  const names = await disk.list()
  t.deepEqual(
    lost.filter(each => names.includes(each)),
    []
  )
})

test('reading finds damage in a pack and in its secrets, and names the file', async t => {
  for (const end of ['.pack', '.secrets']) {
    const disk = await packed()
    const [name = ''] = await ending(disk, end)
    const bytes = disk.content(name) ?? Buffer.alloc(0)
    const at = Math.floor(bytes.length / 3)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    const log = await openOn(disk, { readOnly: true })
    const { broken } = await verifyChain(log)
    t.regex(broken?.reason ?? '', new RegExp(`${name.slice(0, 16)}.* is damaged at byte`))
    await t.throwsAsync(collect(log.read(1)), { instanceOf: LogDamage })
    await log.close()
  }
})
