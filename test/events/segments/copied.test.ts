// Copies of a log of which old commits go meanwhile.
import { join } from 'node:path'
import test from 'ava'
import { LogUnusable } from '../../../events/log/log.js'
import { NodeDisk } from '../../../events/log/node-disk.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { retryWhilePruning } from '../../../events/log/segments/copy-log.js'
import { temporaryFolder } from '../../support/process.js'
import { commitOf } from '../commits.js'

test('a copy overtaken by pruning is repeated; other failures are not', async t => {
  const path = join(temporaryFolder(t), 'log')
  const log = await SegmentEventLog.open({ path, segmentBytes: 1024 * 1024 })
  t.teardown(() => log.close())
  const append = async (): Promise<void> => {
    const first = log.durableIndex + 1
    await log.append(Array.from({ length: 100 }, (_, i) => commitOf(first + i, { size: 20_000 })))
  }
  await append()
  const disk = new NodeDisk(path)
  const ends: number[] = []
  const end = await retryWhilePruning(disk, async () => {
    ends.push(log.durableIndex)
    if (ends.length < 3) {
      for (let i = 0; i < 3; i++) await append()
      await log.prune(log.durableIndex - 50)
    }
    if (ends.length === 2) throw new Error('a file is missing')
    return log.durableIndex
  })
  t.is(ends.length, 3)
  t.is(end, log.durableIndex)
  await t.throwsAsync(
    retryWhilePruning(disk, () => Promise.reject(new Error('the disk is full'))),
    { message: 'the disk is full' }
  )
  await t.throwsAsync(
    retryWhilePruning(disk, async () => {
      for (let i = 0; i < 3; i++) await append()
      await log.prune(log.durableIndex - 50)
    }),
    { instanceOf: LogUnusable, message: /5 times \(log\.retain\)/ }
  )
})

test('a copy tells its newest commit, and is a log that goes to it', async t => {
  const path = join(temporaryFolder(t), 'log')
  const log = await SegmentEventLog.open({ path })
  t.teardown(() => log.close())
  await log.append([commitOf(1), commitOf(2)])
  const target = join(temporaryFolder(t), 'copy')
  const { index, files, bytes } = await log.copyTo(target)
  t.is(index, 2)
  t.true(files > 0 && bytes > 0)
  const copy = await SegmentEventLog.open({ path: target, readOnly: true })
  t.is(copy.durableIndex, 2)
  await copy.close()
})
