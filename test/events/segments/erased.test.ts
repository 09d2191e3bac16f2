// Parts of commits that are erased, from every file of a log.
import test, { type ExecutionContext } from 'ava'
import type { CommitErasure } from '../../../events/erasure.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { decodeSegmentHeader, GROUPS_AT, readGroupHeader } from '../../../events/log/segments/format.js'
import { segmentsIn } from '../../../events/log/segments/segment-files.js'
import { verifyChain } from '../../../events/log/verify.js'
import { untilPacked } from '../../support/damage.js'
import { until } from '../../support/wait.js'
import { seeded } from '../../support/random.js'
import { SimulatedDisk } from '../../support/simulated-disk.js'
import { collect, commitOf } from '../commits.js'
import { openOn } from './workload.js'
import { sampleOf } from '../../support/property-runs.js'

const COMMITS = 60
const SIZE = 15_000

/** What only this commit holds. */
const marks = (index: number) => ({
  payload: `"ID":"key-${index}-`,
  secret: `hush-${index}-`,
  who: `"RequestID":"request-${index}-`
})

const commit = (index: number) => ({
  ...commitOf(index, {
    key: `key-${index}-`,
    size: SIZE,
    marker: `request-${index}-`,
    secrets: { SecretID: `hush-${index}-` }
  })
})

async function write(log: SegmentEventLog, last = COMMITS): Promise<void> {
  while (log.durableIndex < last) await log.append([commit(log.durableIndex + 1)])
}

/** Whether a text is in any file. */
async function holds(disk: SimulatedDisk, text: string): Promise<boolean> {
  for (const name of await disk.list()) if (disk.content(name)?.includes(text)) return true
  return false
}

/** Something of a sealed segment, of its last commit, and of the segment that is being written. */
const CHOSEN = [3, 4, 17, 18, 59] as const
const ALL: readonly CommitErasure[] = CHOSEN.map(index => ({ index, who: true, events: [0] }))
const SECRETS: readonly CommitErasure[] = CHOSEN.map(index => ({ index, secrets: [0] }))

async function isErased(t: ExecutionContext, disk: SimulatedDisk, about = ''): Promise<void> {
  for (const readOnly of [true, false]) {
    const log = await openOn(disk, { readOnly })
    for (const found of await collect(log.read(1))) {
      const isChosen = CHOSEN.some(index => index === found.Index)
      const [event] = commit(found.Index).Events
      const { Secrets: _, ...rest } = event!
      t.deepEqual(found.Events[0]!, isChosen ? { ...rest, Payload: {}, Erased: true } : event!, about)
      t.is(found.By.Erased, isChosen ? true : undefined, about)
    }
    t.is((await verifyChain(log)).broken, undefined, about)
    t.is(log.durableIndex, COMMITS)
    await log.close()
  }
}

test('what was erased is in no file of a plain log, the newest included, and every hash holds', async t => {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  await write(log)
  const before = log.headHash
  t.is(await log.erase(SECRETS), CHOSEN.length)
  for (const index of CHOSEN) {
    t.false(await holds(disk, marks(index).secret))
    t.is((await collect(log.read(index)))[0]?.Events[0]?.Secrets, undefined)
  }
  t.is(await log.erase(ALL), 2 * CHOSEN.length)
  t.is(await log.erase(ALL), 0)
  for (const index of CHOSEN)
    for (const mark of Object.values(marks(index))) t.false(await holds(disk, mark), mark)
  for (const mark of Object.values(marks(5))) t.true(await holds(disk, mark), mark)
  t.is(log.headHash, before)
  await log.append([commit(COMMITS + 1)])
  await log.close()
  const again = await openOn(disk)
  t.is(again.durableIndex, COMMITS + 1)
  t.is((await verifyChain(again)).broken, undefined)
  await again.close()
})

test('what was erased of a packed log is in no file of it', async t => {
  const disk = new SimulatedDisk()
  const log = await openOn(disk, { compress: true })
  await write(log)
  await untilPacked(disk)
  const packs = (await disk.list()).filter(name => name.endsWith('.pack')).length
  t.is(await log.erase(ALL), 3 * CHOSEN.length)
  await log.close()
  t.is((await disk.list()).filter(name => name.endsWith('.pack')).length, packs)
  for (const index of CHOSEN) t.false(await holds(disk, marks(index).secret))
  await isErased(t, disk)
})

test('damage before a commit to erase is reported, after the erasure of the commits before it', async t => {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  t.teardown(() => log.close())
  await write(log)
  const [name = ''] = segmentsIn(await disk.list())
  const content = disk.content(name) ?? Buffer.alloc(0)
  const segment = decodeSegmentHeader(content)
  if (typeof segment === 'string') return t.fail(segment)
  let at = GROUPS_AT
  while (readGroupHeader(content, segment, at)?.first !== 8) at += segment.sectorBytes
  const file = await disk.open(name, 'write')
  await file.write(Buffer.alloc(segment.sectorBytes, 1), at)
  await file.close()
  const error = await t.throwsAsync(log.erase([3, 9].map(index => ({ index, events: [0] }))))
  t.like(error, { name: 'LogDamage', location: { index: 8 } })
  t.false(await holds(disk, marks(3).payload))
})

test('a segment is packed without what was erased of it', async t => {
  const disk = new SimulatedDisk()
  const plain = await openOn(disk)
  await write(plain)
  await plain.erase(ALL)
  await plain.close()
  const log = await openOn(disk, { compress: true })
  await untilPacked(disk)
  await log.close()
  await isErased(t, disk)
})

test('a follower reads what is erased beneath it as erased', async t => {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  await write(log)
  const follower = await openOn(disk, { readOnly: true })
  t.teardown(() => follower.close())
  await until('the follower is there', () => follower.durableIndex === COMMITS)
  t.is((await collect(follower.read(1))).length, COMMITS)
  await log.erase(ALL)
  const found = (await collect(follower.read(1))).filter(({ Events }) => Events[0]?.Erased)
  await log.close()
  t.deepEqual(
    found.map(({ Index }) => Index),
    [...CHOSEN]
  )
})

test('a log in memory forgets what is erased', async t => {
  const { MemoryEventLog } = await import('../../../events/log/memory.js')
  const log = new MemoryEventLog()
  await log.append([commit(1), commit(2)])
  const { erasures } = log
  t.is(await log.erase([{ index: 1, events: [0] }]), 2)
  t.is(log.erasures, erasures + 2)
  const [first, second] = await collect(log.read(1))
  t.true(first?.Events[0]?.Erased)
  t.deepEqual(second, commit(2))
})

for (const block of [512, 4096])
  for (const compress of [false, true])
    test(`power lost at any call of an erasure, in blocks of ${block} bytes${compress ? ', packed' : ''}: each part is there or erased, and can be erased again`, async t => {
      const seed = Number(process.env['ANNALS_POWER_LOSS_SEED'] ?? Date.now() % 2 ** 32)
      t.log(`ANNALS_POWER_LOSS_SEED=${seed}`)
      const random = seeded(seed)
      const options = { compress, sectorBytes: block }
      const disk = new SimulatedDisk()
      const log = await openOn(disk, options)
      await write(log)
      if (compress) await untilPacked(disk)
      const states: { readonly disk: SimulatedDisk; readonly moment: string }[] = []
      const take =
        (moment: string) =>
        ({ kind, name }: { readonly kind: string; readonly name: string }) => {
          if (kind === 'read' || random.below(3) > 0) return
          states.push({ disk: disk.powerLoss(random, block), moment: `${moment} ${kind} of ${name}` })
        }
      disk.hooks.after = take('after')
      const before = take('before')
      disk.hooks.before = call => {
        before(call)
        return undefined
      }
      await log.erase(ALL)
      delete disk.hooks.after
      delete disk.hooks.before
      await log.close()
      t.true(states.length > 5)
      for (const state of sampleOf(states)) {
        const about = `power lost ${state.moment}`
        for (const readOnly of [true, false]) {
          const found = await openOn(state.disk, { ...options, readOnly })
          t.is((await verifyChain(found)).broken, undefined, about)
          for (const { Index, Events, By } of await collect(found.read(1))) {
            const [event] = commit(Index).Events
            const { Secrets: _, ...rest } = event!
            const shown = Events[0]!
            const { Secrets, ...others } = shown
            if (Secrets) t.deepEqual(Secrets, event!.Secrets, about)
            t.deepEqual(others, shown.Erased ? { ...rest, Payload: {}, Erased: true } : rest, about)
            t.true(By.Erased === true || By.RequestID === `request-${Index}-`, about)
          }
          if (!readOnly) await found.erase(ALL)
          await found.close()
        }
        await isErased(t, state.disk, about)
        for (const index of CHOSEN) t.false(await holds(state.disk, marks(index).secret), about)
      }
    })
