// What a cluster begins as, and what it was before.
import test from 'ava'
import { SharedMismatch } from '../../../events/log/cluster/shared-log.js'
import { until } from '../../support/wait.js'
import {
  appendAll,
  collectArrivals,
  EMPTY,
  etcdFor,
  CLUSTER_SEED,
  groupAfter,
  headOf,
  lead,
  logAt,
  serverAt,
  urlsOf
} from './support.js'

test('a cluster begins with what the server that founded it holds', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const end = headOf(groupAfter(EMPTY, 40))
  const log = logAt(t, urlsOf(etcd))
  t.is(await log.clusterSeed(), undefined)
  await t.throwsAsync(log.read(), { instanceOf: SharedMismatch, message: /no cluster was founded/ })
  t.deepEqual(await log.createCluster(CLUSTER_SEED, end), CLUSTER_SEED)
  t.deepEqual(await log.createCluster({ ...CLUSTER_SEED, cluster: 'another' }, EMPTY), CLUSTER_SEED)
  t.deepEqual(await log.clusterSeed(), CLUSTER_SEED)
  t.like(await log.read(), { head: { index: 40 }, floor: 41, leader: undefined })
  t.deepEqual((await log.follow(1, new AbortController().signal).next()).value, { kind: 'gone', floor: 41 })
})

test('an etcd restored from a backup is detected', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const put = (key: string, value: string): Promise<unknown> =>
    etcd.call('/v3/kv/put', {
      key: Buffer.from(key).toString('base64'),
      value: Buffer.from(value).toString('base64')
    })
  const server = await serverAt(t, urlsOf(etcd), 'a')
  const term = await lead(server)
  const head = await appendAll(server, term, EMPTY, [1])
  const backup = (await etcd.list('/annals/head')).get('/annals/head') ?? ''
  const later = await appendAll(server, term, head, [2])
  const following = logAt(t, urlsOf(etcd))
  const watching = collectArrivals(following, 1, 4)
  await until('all have arrived', async () => (await following.read()).head.index === 3)

  await put('/annals/head', backup)
  await t.throwsAsync(server.log.read(), {
    instanceOf: SharedMismatch,
    message: /ends at commit 1, and ended at 3 .*restore-head/
  })
  await t.throwsAsync(watching, { instanceOf: SharedMismatch })
  await t.throwsAsync(server.log.append(term, later, groupAfter(later)), { instanceOf: SharedMismatch })
  await t.throwsAsync(logAt(t, urlsOf(etcd)).follow(4, new AbortController().signal).next(), {
    instanceOf: SharedMismatch,
    message: /holds commit 3, and the log in etcd ends at 1/
  })

  const restored = { foundation: { ...CLUSTER_SEED, cluster: 'cluster-2' }, head: later }
  await server.log.restoreHead(restored, { foundation: CLUSTER_SEED, head })
  await t.throwsAsync(server.log.read(), { instanceOf: SharedMismatch, message: /another cluster/ })
  await t.throwsAsync(server.log.append(term, later, groupAfter(later)), { instanceOf: SharedMismatch })
  const again = logAt(t, urlsOf(etcd))
  t.like(await again.read(), { head: { index: 3, hash: later.hash }, floor: 4, leader: undefined })
  t.is((await again.clusterSeed())?.cluster, 'cluster-2')
})
