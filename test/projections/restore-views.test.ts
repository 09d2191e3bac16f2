// A start from snapshots: whatever became of them, the read models are what a replay of the log makes.
import fc from 'fast-check'
import test from 'ava'
import type { Commit } from '../../events/envelope.js'
import { CommitsPruned } from '../../events/log/log.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { BaseSnapshots } from '../../events/log/snapshots/base-snapshots.js'
import { DamagedSnapshot, type SnapshotBuilder } from '../../events/log/snapshots/format.js'
import { Snapshots } from '../../events/log/snapshots/snapshots.js'
import { blocksOf, loadSnapshot, restore } from '../../projections/restore-views.js'
import { Views } from '../../projections/read-models.js'
import { histories, perform } from '../actors/arbitrary-histories.js'
import { settingsOfTests } from '../support/decision-spec.js'
import { seeded } from '../support/random.js'
import { SimulatedDisk } from '../support/simulated-disk.js'
import { runs, sampleOf } from '../support/property-runs.js'

const MAKER: SnapshotBuilder = { program: '1.0.0', form: 1 }

/** The commits of one random history, always the same, which lets none of them go. */
const commits: readonly Commit[] =
  fc
    .sample(histories, { numRuns: 50, seed: 7 })
    .map(history => perform(new Views(settingsOfTests), history))
    .find(some => some.every(({ By }) => By.Command !== 'RetainLog')) ?? []
const [FIRST, SECOND, LAST] = [Math.floor(commits.length / 3), Math.floor(commits.length / 2), commits.length]

const logOf = async (some: readonly Commit[]): Promise<MemoryEventLog> => {
  const log = new MemoryEventLog()
  await log.append(some)
  return log
}

const stateAt = (index: number): Views => {
  const views = new Views(settingsOfTests)
  for (const commit of commits.slice(0, index)) views.apply(commit)
  return views
}

const dumpOf = (views: Views): string => JSON.stringify([...views.dump()])
const whole = dumpOf(stateAt(LAST))

/** A log with snapshots at these indexes. */
const logWith = async (indexes: readonly number[], disk = new SimulatedDisk(), maker = MAKER) => {
  const log = await logOf(commits)
  const snapshots = new Snapshots(disk, log, maker)
  for (const index of indexes) await snapshots.write(index, blocksOf(stateAt(index).saved()))
  return { log, snapshots, disk }
}

/** What a start makes of a log and its snapshots. */
const start = async (log: MemoryEventLog, snapshots: Snapshots) => {
  const views = new Views(settingsOfTests)
  const unsound: string[] = []
  const from = await restore(
    views,
    log,
    { snapshots, bases: new BaseSnapshots(new SimulatedDisk(), log, MAKER) },
    (file, reason) => unsound.push(`${file}: ${reason}`)
  )
  return { from, unsound, dump: dumpOf(views) }
}

const nameOf = (index: number): string => `${String(index).padStart(16, '0')}.snapshot`

const contentOf = (disk: SimulatedDisk, index: number): Buffer =>
  Buffer.from(disk.content(nameOf(index)) ?? [])

test('a start takes the newest snapshot and the commits after it; the last two are kept', async t => {
  const { log, snapshots, disk } = await logWith([FIRST, SECOND, LAST])
  t.deepEqual(await snapshots.indexes(), [LAST, SECOND])
  t.deepEqual(await start(log, snapshots), { from: LAST, unsound: [], dump: whole })
  await disk.unlink(nameOf(LAST))
  t.deepEqual(await start(log, snapshots), { from: SECOND, unsound: [], dump: whole })
  await disk.unlink(nameOf(SECOND))
  t.deepEqual(await start(log, snapshots), { from: 0, unsound: [], dump: whole })
})

test('each byte that is damaged, and each end that is missing, is found: the snapshot before it serves', async t => {
  const { log, snapshots, disk } = await logWith([FIRST, SECOND])
  const sound = contentOf(disk, SECOND)
  const isPassedOver = async (bytes: Buffer, what: string): Promise<void> => {
    disk.put(nameOf(SECOND), bytes)
    const { from, unsound, dump } = await start(log, snapshots)
    if (from !== FIRST || unsound.length !== 1 || dump !== whole) t.fail(`${what}: ${from} ${unsound.join()}`)
  }
  const step = Math.ceil(sound.length / runs(60))
  for (let at = 0; at < sound.length; at += step) {
    const flipped = Buffer.from(sound)
    flipped.writeUInt8((flipped[at] ?? 0) ^ (1 << (at % 8)), at)
    await isPassedOver(flipped, `bit of byte ${at}`)
    await isPassedOver(sound.subarray(0, at), `cut at ${at}`)
  }
  await isPassedOver(Buffer.concat([sound, Buffer.of(0)]), 'one byte more')
  disk.put(nameOf(SECOND), sound)
  t.is((await start(log, snapshots)).from, SECOND)
})

test('a snapshot of another log, of a longer one, of another program or format is passed over', async t => {
  const { log, disk } = await logWith([SECOND])
  const elsewhere = await logOf(commits.map(commit => ({ ...commit, Time: '2030-01-01T00:00:00Z' })))
  const cases: readonly (readonly [MemoryEventLog, SnapshotBuilder, RegExp])[] = [
    [elsewhere, MAKER, /of another log/],
    [await logOf(commits.slice(0, FIRST)), MAKER, /the log ends at commit/],
    [log, { ...MAKER, program: '2.0.0' }, /version 1\.0\.0 made it/],
    [log, { ...MAKER, form: 2 }, /version 1\.0\.0 made it/]
  ]
  for (const [other, maker, reason] of cases) {
    const { from, unsound } = await start(other, new Snapshots(disk, other, maker))
    t.is(from, 0)
    t.regex(unsound.join(), reason)
  }
  const bytes = contentOf(disk, SECOND).toString('latin1').replace('"Format":1', '"Format":9')
  disk.put(nameOf(SECOND), Buffer.from(bytes, 'latin1'))
  const { from, unsound } = await start(log, new Snapshots(disk, log, MAKER))
  t.is(from, 0)
  t.regex(unsound.join(), /it is in format 9; this version reads 1/)
})

test('a snapshot under the name of another one is passed over', async t => {
  const { log, snapshots, disk } = await logWith([FIRST])
  await disk.rename(nameOf(FIRST), nameOf(SECOND))
  await t.throwsAsync(loadSnapshot(new Views(settingsOfTests), snapshots, SECOND), {
    instanceOf: DamagedSnapshot,
    message: `it is of commit ${FIRST}`
  })
  t.is((await start(log, snapshots)).dump, whole)
})

test('power that fails while a snapshot is written leaves those before it, or the new one whole', async t => {
  let calls = 0
  await logWith([FIRST, SECOND], new SimulatedDisk('/simulated', { after: () => void calls++ }))
  t.true(calls > 10)
  for (const cut of sampleOf(Array.from({ length: calls }, (_, i) => i + 1))) {
    let count = 0
    let lost: SimulatedDisk | undefined
    const random = seeded(cut)
    const disk: SimulatedDisk = new SimulatedDisk('/simulated', {
      after: () => {
        if (++count === cut) lost = disk.powerLoss(random)
      }
    })
    const { log } = await logWith([FIRST, SECOND], disk)
    if (!lost) return t.fail(`there was no call ${cut}`)
    const { dump, unsound } = await start(log, new Snapshots(lost, log, MAKER))
    t.is(dump, whole)
    t.deepEqual(unsound, [], `power failed after call ${cut}`)
  }
})

test('a disk that fails while a snapshot is written leaves those before it and no rest', async t => {
  const { log, snapshots, disk } = await logWith([FIRST])
  const failing: Iterable<never> = {
    [Symbol.iterator]: () => ({
      next: () => {
        throw new Error('made by the test')
      }
    })
  }
  await t.throwsAsync(snapshots.write(SECOND, failing), { message: 'made by the test' })
  t.deepEqual(await disk.list(), [nameOf(FIRST)])
  t.is((await start(log, snapshots)).from, FIRST)
})

test('a log that is pruned during the restore is read again', async t => {
  class Pruned extends MemoryEventLog {
    reads = 0

    override pages(from: number): AsyncGenerator<readonly Commit[]> {
      if (++this.reads === 1) throw new CommitsPruned(from, from + 1)
      return super.pages(from)
    }
  }
  const log = new Pruned()
  await log.append(commits)
  const views = new Views(settingsOfTests)
  await restore(views, log)
  t.is(log.reads, 2)
  t.is(dumpOf(views), whole)
})
