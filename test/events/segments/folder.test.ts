// What the log asks of its folder and its disk: room, its own files, no network in between.
import test from 'ava'
import { setImmediate } from 'node:timers/promises'
import { LogFailure, LogUnusable } from '../../../events/log/log.js'
import { readDurableIndex } from '../../../events/log/durable-index.js'
import type { LogReport } from '../../../events/log/report.js'
import { SimulatedDisk, diskError, type DiskHooks } from '../../support/simulated-disk.js'
import { collect, commitOf } from '../commits.js'
import { openOn } from './workload.js'

/** A disk that accepts only writes to allocated bytes while `state.isFull`. */
function fillingDisk(): { readonly disk: SimulatedDisk; readonly state: { isFull: boolean } } {
  const state = { isFull: false }
  const before: DiskHooks['before'] = ({ kind }) =>
    state.isFull && kind === 'allocate' ? { error: diskError('ENOSPC') } : undefined
  return { disk: new SimulatedDisk('/simulated', { before }), state }
}

test('on a full disk deletions are taken from the reserve, the error of one that is too large names both sizes, and the rest is rejected', async t => {
  const { disk, state } = fillingDisk()
  const log = await openOn(disk)
  await log.append([commitOf(1)])
  await log.recover()
  state.isFull = true
  const fill = async (): Promise<LogFailure> => {
    for (;;)
      try {
        await log.append([commitOf(log.durableIndex + 1, { size: 10_000 })])
      } catch (error) {
        if (error instanceof LogFailure) return error
        throw error
      }
  }
  const full = await fill()
  t.is(full.outcome, 'unchanged')
  t.is(full.hint, 'the disk is full')
  const kept = log.durableIndex
  t.is(await log.recover(), 'deletions')
  await log.append([commitOf(kept + 1, { marker: 'deletion', size: 10_000 })], { frees: true })
  const refused = await t.throwsAsync(log.append([commitOf(kept + 2)]), { instanceOf: LogFailure })
  t.is(refused?.outcome, 'unchanged')
  t.is(await log.recover(), 'deletions')
  const large = await t.throwsAsync(log.append([commitOf(kept + 2, { size: 300_000 })], { frees: true }), {
    instanceOf: LogFailure
  })
  t.regex(large?.hint ?? '', /the deletion takes 30\d\d\d\d bytes .* \d+ are left/)
  t.is(await log.recover(), 'deletions')
  state.isFull = false
  t.is(await log.recover(), 'all')
  await log.append([commitOf(kept + 2, { marker: 'after', size: 300_000 })])
  await log.close()
  const again = await openOn(disk)
  t.deepEqual(
    (await collect(again.read(kept + 1))).map(({ By }) => By.RequestID),
    ['deletion', 'after']
  )
  await again.close()
})

test('a log that cannot be written at its start is opened and read, and accepts appends later', async t => {
  const { disk, state } = fillingDisk()
  const log = await openOn(disk)
  await log.append([commitOf(1)])
  const killed = disk.killed(disk.hooks)
  killed.remove('reserve')
  await log.close()
  state.isFull = true
  const reports: LogReport[] = []
  const again = await openOn(killed, { report: report => reports.push(report) })
  t.true(reports.some(({ text }) => text === 'the log cannot be written now'))
  t.deepEqual(await collect(again.read(1)), [commitOf(1)])
  t.deepEqual(
    await collect(again.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'key-1' })),
    [commitOf(1)]
  )
  await t.throwsAsync(again.append([commitOf(2)]), { instanceOf: LogFailure })
  state.isFull = false
  t.is(await again.recover(), 'all')
  await again.append([commitOf(2)])
  await again.close()
})

test('a segment that is removed or replaced during writes is reported, so that the server ends', async t => {
  // The log looks now and then, and does not keep a process running for it.
  const running = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(running))
  for (const replace of [false, true]) {
    const disk = new SimulatedDisk()
    let tell: (error: LogUnusable) => void = () => {}
    const reported = new Promise<LogUnusable>(resolve => (tell = resolve))
    const log = await openOn(disk, { fatal: error => tell(error) })
    await log.append([commitOf(1)])
    const name = (await disk.list()).find(each => each.endsWith('.seg')) ?? ''
    const content = disk.content(name) ?? Buffer.alloc(0)
    disk.remove(name)
    if (replace) disk.put(name, content)
    t.regex((await reported).message, /\.seg was removed or replaced while/)
    await t.throwsAsync(log.append([commitOf(2)]), { instanceOf: LogFailure })
  }
})

test('a network file system is refused unless it is allowed, and read all the same', async t => {
  const disk = Object.assign(new SimulatedDisk(), { network: async () => 'nfs' })
  await t.throwsAsync(openOn(disk), { instanceOf: LogUnusable, message: /network file system \(nfs\)/ })
  const log = await openOn(disk, { allowNetworkFileSystem: true })
  await log.append([commitOf(1)])
  await log.close()
  const reader = await openOn(disk, { readOnly: true })
  t.is(reader.durableIndex, 1)
  await reader.close()
})

test('what a folder lacks that can be made again is made again, with a word', async t => {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  await log.append([commitOf(1)])
  await log.close()
  for (const name of ['meta.json', 'head', 'durable', 'reserve'])
    for (const content of [undefined, Buffer.alloc(0), Buffer.from('{"half')]) {
      if (content) disk.put(name, content)
      else disk.remove(name)
      const reports: LogReport[] = []
      const again = await openOn(disk, { report: report => reports.push(report) })
      t.deepEqual(await collect(again.read(1)), [commitOf(1)])
      await again.close()
      t.is(
        reports.some(({ level }) => level === 'warn'),
        ['meta.json', 'head'].includes(name),
        name
      )
    }
})

/** A folder as a killed server leaves it, whose last group lacks a sector. */
async function tornFolder(
  beforeKill: (disk: SimulatedDisk) => Promise<void> = async () => {}
): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  const log = await openOn(disk)
  await log.append([commitOf(1)])
  await log.append([commitOf(2, { size: 2000 })])
  await beforeKill(disk)
  const killed = disk.killed()
  await log.close()
  const [name = ''] = (await killed.list()).filter(each => each.endsWith('.seg'))
  const bytes = killed.content(name) ?? Buffer.alloc(0)
  const end = bytes.findLastIndex(byte => byte !== 0) + 1
  killed.put(name, Buffer.from(bytes).fill(0, end - (end % 512) - 512, end - (end % 512)))
  return killed
}

for (const readOnly of [false, true])
  test(`a log whose last group is not whole says that it cannot tell whether it was acknowledged${readOnly ? ', also to a reader' : ''}`, async t => {
    const disk = await tornFolder()
    disk.remove('head')
    disk.remove('durable')
    const reports: string[] = []
    const log = await openOn(disk, { readOnly, report: ({ text }) => reports.push(text) })
    t.is(log.durableIndex, 1)
    await log.close()
    const cut = reports.find(text => text.includes('not whole')) ?? ''
    t.regex(
      cut,
      /commits from 2 on are void\. Whether they were acknowledged is unknown: .* prove no commit$/
    )
  })

test('a log whose last group is not whole is not opened when the published index proves that it was acknowledged', async t => {
  const disk = await tornFolder(async written => {
    while ((await readDurableIndex(written))?.durable !== 2) await setImmediate()
  })
  disk.remove('head')
  await t.throwsAsync(openOn(disk), {
    instanceOf: LogUnusable,
    message: /the published index tells that commit 2 was acknowledged/
  })
})
