// A log whose records are of version 1 continues in it, so that earlier releases can read it.
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { MemoryEventLog } from '../../events/log/memory.js'
import { NodeDisk } from '../../events/log/node-disk.js'
import { repair } from '../../events/log/segments/repair.js'
import { readSegments } from '../../events/log/segments/segment.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { verifyChain } from '../../events/log/verify.js'
import { projectRoot } from '../support/process.js'
import { RELEASE_KEY } from '../support/release-fixtures.js'
import { commitOf } from './commits.js'
import { temporaryFolder } from './folders.js'

const key = Buffer.from(RELEASE_KEY, 'base64')
const time = '2026-01-02T03:04:05Z'

/** Returns the folder of a log that release 0.1.0 has written. */
function oldLog(): string {
  const path = temporaryFolder()
  cpSync(join(projectRoot, 'test/releases/0.1.0/folder/log'), path, { recursive: true })
  return path
}

async function append(log: Pick<SegmentEventLog, 'append' | 'durableIndex'>, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await log.append([commitOf(log.durableIndex + 1, { size: 9000 })])
}

/** Versions of the records, formats of the segments and of meta.json. */
async function formatsOf(path: string): Promise<readonly (ReadonlySet<number> | number)[]> {
  const log = await SegmentEventLog.open({ path, key, readOnly: true })
  const versions = new Set<number>()
  for await (const page of log.records(1)) for (const { version } of page) versions.add(version)
  await log.close()
  const segments = await readSegments(new NodeDisk(path), readdirSync(path), undefined)
  const formats = new Set(segments.map(({ format }) => format))
  return [versions, formats, JSON.parse(readFileSync(join(path, 'meta.json'), 'utf8')).Format]
}

test('a log of version 1 continues in it in further segments, after a start, a crash and a repair', async t => {
  const path = oldLog()
  const old = [new Set([1]), new Set([3]), 3]
  for (let start = 0; start < 2; start++) {
    const log = await SegmentEventLog.open({ path, key, segmentBytes: 300_000 })
    await append(log, 50)
    t.is((await verifyChain(log)).broken, undefined)
    await log.close()
  }
  t.true(readdirSync(path).filter(name => name.endsWith('.seg')).length > 2)
  t.deepEqual(await formatsOf(path), old)

  // A copy in use is what a crash leaves.
  const crashed = temporaryFolder()
  const log = await SegmentEventLog.open({ path, key })
  await append(log, 1)
  cpSync(path, crashed, { recursive: true })
  await log.close()
  const again = await SegmentEventLog.open({ path: crashed, key })
  await append(again, 1)
  await again.close()
  t.deepEqual(await formatsOf(crashed), old)

  await repair(new NodeDisk(path), { to: 40, time, confirm: async () => true })
  t.deepEqual(await formatsOf(path), old)
})

test('a log that has taken records of version 1 from another server continues in it', async t => {
  const source = await SegmentEventLog.open({ path: oldLog(), key, readOnly: true })
  const path = temporaryFolder()
  const log = await SegmentEventLog.open({ path })
  for await (const records of source.records(1)) await log.ingest(records.slice(0, 1), () => {})
  await source.close()
  t.is(log.durableIndex, 1)
  await append(log, 1)
  await log.close()
  const [versions] = await formatsOf(path)
  t.deepEqual(versions, new Set([1]))
})

test('a new log is of version 2', async t => {
  const path = temporaryFolder()
  const log = await SegmentEventLog.open({ path })
  await append(log, 2)
  await log.close()
  t.deepEqual(await formatsOf(path), [new Set([2]), new Set([4]), 4])

  const memory = new MemoryEventLog()
  await append(memory, 2)
  for await (const page of memory.records(1))
    t.deepEqual(
      page.map(({ version }) => version),
      [2, 2]
    )
})
