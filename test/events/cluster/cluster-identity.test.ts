// A folder whose log begins as that of a cluster.
import test from 'ava'
import { clusterSeedOf, prepareLogFolder } from '../../../events/log/cluster/cluster-identity.js'
import { LogUnusable } from '../../../events/log/log.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { collect, commitOf } from '../commits.js'
import { temporaryFolder } from '../folders.js'

const key = Buffer.alloc(32, 3)
const COMMITS = [commitOf(1, { secrets: { SecretID: 'hush' } }), commitOf(2)]

/** A log that was there before the cluster. */
async function founder(): Promise<SegmentEventLog> {
  const log = await SegmentEventLog.open({ path: temporaryFolder(), key })
  await log.append(COMMITS)
  return log
}

test('a folder that joins is the same log, opens the same secrets, and signs with the same key', async t => {
  const first = await founder()
  const foundation = await clusterSeedOf(first)
  const path = temporaryFolder()
  // As after a crash before the log was opened.
  await prepareLogFolder(path, { ...foundation, keys: Buffer.from('{}') })
  await prepareLogFolder(path, foundation)
  const joined = await SegmentEventLog.open({ path, key, begunAs: foundation.log })
  t.deepEqual(joined.identity, first.identity)
  for await (const records of first.records(1)) await joined.ingest(records, () => {})
  t.deepEqual(await collect(joined.read(1)), COMMITS)
  t.deepEqual(await joined.signingKey(), await first.signingKey())
  await joined.close()
  await prepareLogFolder(path, foundation)
  const again = await SegmentEventLog.open({ path, key, begunAs: foundation.log })
  t.is(again.headHash, first.headHash)
  await again.close()
  await first.close()
})

test('a folder with another log is refused, and so is another key, or none', async t => {
  const [first, other] = [await founder(), await founder()]
  const foundation = await clusterSeedOf(first)
  await other.close()
  await t.throwsAsync(prepareLogFolder(other.path, foundation), {
    instanceOf: LogUnusable,
    message: /holds log [0-9a-f]+, and the cluster has log/
  })
  const path = temporaryFolder()
  await prepareLogFolder(path, foundation)
  for (const wrong of [Buffer.alloc(32, 4), undefined])
    await t.throwsAsync(
      SegmentEventLog.open({ path, begunAs: foundation.log, ...(wrong ? { key: wrong } : {}) }),
      { instanceOf: LogUnusable, message: /key/ }
    )
  await first.close()
})

test('a log whose secrets are not encrypted founds no cluster', async t => {
  const log = await SegmentEventLog.open({ path: temporaryFolder() })
  await t.throwsAsync(clusterSeedOf(log), { instanceOf: LogUnusable, message: /not encrypted/ })
  await log.close()
})
