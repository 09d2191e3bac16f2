// The base snapshot that earlier states begin with, while it is replaced.
import test from 'ava'
import { Refusal } from '../../../actors/refusal.js'
import { CommitsPruned } from '../../../events/log/log.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { BaseSnapshotResources } from '../../../http/history/versions.js'
import { snapshotStoresIn } from '../../../projections/snapshot-stores.js'
import { commitOf } from '../../events/commits.js'
import { temporaryFolder } from '../../events/folders.js'

test('a base snapshot that replaces another one is used, and a read that began with that one is refused', async t => {
  const log = await SegmentEventLog.open({ path: temporaryFolder() })
  t.teardown(() => log.close())
  await log.append([1, 2, 3, 4].map(index => commitOf(index)))
  const stores = snapshotStoresIn(log)
  const pruned = { firstIndex: 2, durableIndex: 4 }
  const resources = new BaseSnapshotResources(pruned, stores)
  const read = async (index: number): Promise<number> => {
    let count = 0
    for await (const commits of resources.commits(index, ['KV'], () => true)) count += commits.length
    return count
  }
  const fact = { Topic: 'KV', Type: 'KVUpdate', Namespace: 'default', Key: 'a', Index: 2, Payload: {} }
  const rows = JSON.stringify([fact])
  await stores.bases.write(2, [{ part: 'kv', rows }])
  t.is(await resources.index(), 2)
  t.is(await read(2), 1)
  await stores.bases.write(4, [{ part: 'kv', rows }])
  await stores.bases.keepOnly(4)
  t.is(await resources.index(), 4)
  t.is(await new BaseSnapshotResources(log, stores).index(), 0, 'a complete log needs none')
  await t.throwsAsync(stores.bases.open(2), { instanceOf: CommitsPruned })
  const { code } = (await t.throwsAsync(read(2), { instanceOf: Refusal })) ?? {}
  t.is(code, 'read.unavailable')
})
