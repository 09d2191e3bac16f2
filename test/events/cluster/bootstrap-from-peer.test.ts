// The files of another server in place of a log's own.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { clusterSeedOf, prepareLogFolder } from '../../../events/log/cluster/cluster-identity.js'
import { LogUnusable } from '../../../events/log/log.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { collect, commitOf } from '../commits.js'
import { temporaryFolder } from '../folders.js'

const key = Buffer.alloc(32, 3)

/** A log with some commits, and one of another server that has followed it so far. */
async function twoServers(commits: number, followed: number) {
  const [first, folder] = [await SegmentEventLog.open({ path: temporaryFolder(), key }), temporaryFolder()]
  for (let index = 1; index <= commits; index++) await first.append([commitOf(index)])
  const foundation = await clusterSeedOf(first)
  const path = join(folder, 'log')
  mkdirSync(path)
  await prepareLogFolder(path, foundation)
  const behind = await SegmentEventLog.open({ path, key, begunAs: foundation.log })
  for await (const records of first.records(1)) await behind.ingest(records.slice(0, followed), () => {})
  const coming = join(folder, 'coming')
  mkdirSync(coming)
  return { first, behind, coming }
}

test('a log continues with a longer copy of itself and then accepts appends', async t => {
  const { first, behind, coming } = await twoServers(6, 2)
  await first.copyTo(coming)
  await first.append([commitOf(7)])
  const durable: number[] = []
  behind.onDurable(index => durable.push(index))
  await behind.takeOver(coming)
  t.deepEqual(durable, [6])
  for await (const records of first.records(7)) await behind.ingest(records, () => {})
  t.is(behind.headHash, first.headHash)
  t.deepEqual(behind.identity, first.identity)
  t.is((await collect(behind.read(1))).length, 7)
  await behind.close()
  await first.close()
})

test('a copy that is not longer or of another log is rejected, and the log remains in use', async t => {
  const { first, behind, coming } = await twoServers(2, 2)
  await first.copyTo(coming)
  await t.throwsAsync(behind.takeOver(coming), { instanceOf: LogUnusable, message: /ends at commit 2/ })
  const other = await twoServers(5, 0)
  await other.first.copyTo(other.coming)
  await t.throwsAsync(behind.takeOver(other.coming), { instanceOf: LogUnusable, message: /another log/ })
  await first.append([commitOf(3)])
  for await (const records of first.records(3)) await behind.ingest(records, () => {})
  t.is(behind.headHash, first.headHash)
  for (const log of [first, behind, other.first, other.behind]) await log.close()
})

test('files in which a commit of this log is another one are refused', async t => {
  const { first, behind, coming } = await twoServers(1, 1)
  await behind.append([commitOf(2, { marker: 'own' })])
  await first.append([commitOf(2)])
  await first.append([commitOf(3)])
  await first.copyTo(coming)
  await t.throwsAsync(behind.takeOver(coming), {
    instanceOf: LogUnusable,
    message: /commit 2 .* another one/
  })
  for (const log of [first, behind]) await log.close()
})
