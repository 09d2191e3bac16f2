// What every way of sharing a log keeps.
import test, { type ExecutionContext } from 'ava'
import { SharedMismatch, SharedUnreachable, type SharedLog } from '../../../events/log/cluster/shared-log.js'
import {
  appendAll,
  collectArrivals,
  chained,
  EMPTY,
  CLUSTER_SEED,
  groupAfter,
  headOf,
  lead,
  memberOf,
  serverOf,
  upTo
} from '../etcd/support.js'

/**
 * @param open prepares an empty cluster and returns a connection for each server; undefined when that cannot
 *   be had here, and the test is over then
 */
export const sharedLogContract = (
  open: (t: ExecutionContext) => Promise<(() => SharedLog) | undefined>
): void => {
  test('what the leader appends, others read as it was written, from any index on', async t => {
    const logOf = await open(t)
    if (!logOf) return
    const server = await serverOf(logOf(), 'a')
    const term = await lead(server)
    const head = await appendAll(server, term, EMPTY, [1, 64, 3, 1, 40])
    const other = logOf()
    const all = await collectArrivals(other, 1, 109)
    t.deepEqual(chained(all), upTo(109))
    t.deepEqual(all.at(-1)?.hash, head.hash)
    for (const from of [2, 65, 66, 109])
      t.deepEqual(
        chained(await collectArrivals(other, from, 109), {
          index: from - 1,
          hash: all[from - 2]?.hash ?? EMPTY.hash
        }),
        upTo(109, from)
      )
    const state = await other.read()
    t.like(state, { head: { index: 109 }, leader: { id: 'a', address: 'http://a:8500', ...term }, floor: 1 })
  })

  test('an append of an earlier leader is refuted', async t => {
    const logOf = await open(t)
    if (!logOf) return
    const a = await serverOf(logOf(), 'a')
    const b = await serverOf(logOf(), 'b')
    const first = await lead(a)
    const head = await appendAll(a, first, EMPTY, [2])
    t.is(await b.membership.campaign(memberOf('b')), undefined)
    await a.membership.resign(first)
    t.is(await a.log.append(first, head, groupAfter(head, 1, { marker: 'no leader' })), 'refuted')

    const second = await lead(b)
    t.true(second.epoch > first.epoch)
    t.is(await a.log.append(first, head, groupAfter(head, 1, { marker: 'b leads' })), 'refuted')
    const next = await appendAll(b, second, head, [1])
    t.is(await a.log.append(first, head, groupAfter(head, 1, { marker: 'b has written' })), 'refuted')
    await a.membership.resign(first)
    await appendAll(b, second, next, [1])
    t.is((await b.log.read()).leader?.id, 'b')
  })

  test('an append is not let in behind another end than the leader knows', async t => {
    const logOf = await open(t)
    if (!logOf) return
    const server = await serverOf(logOf(), 'a')
    const term = await lead(server)
    const head = await appendAll(server, term, EMPTY, [1])
    const another = headOf(groupAfter(EMPTY, 1, { marker: 'another' }))
    await t.throwsAsync(server.log.append(term, another, groupAfter(another)), { instanceOf: SharedMismatch })
    await appendAll(server, term, head, [1])
  })

  test('who takes part is known to all until it closes, and has joined until it is forgotten', async t => {
    const logOf = await open(t)
    if (!logOf) return
    const a = await serverOf(logOf(), 'a')
    const b = await serverOf(logOf(), 'b')
    await b.membership.announce(memberOf('b', 7))
    t.deepEqual((await a.log.members()).live, [memberOf('a'), memberOf('b', 7)])
    const term = await lead(b)
    await b.membership.close()
    const joined = [memberOf('a'), memberOf('b', 7)]
    t.deepEqual(await a.log.members(), { live: [memberOf('a')], joined })
    t.is((await a.log.read()).leader, undefined)
    await lead(a)
    await b.membership.resign(term)
    t.is((await a.log.read()).leader?.id, 'a')
    await a.log.forget('b')
    t.deepEqual((await a.log.members()).joined, [memberOf('a')])
    await t.throwsAsync(b.membership.announce(memberOf('b')), { instanceOf: SharedUnreachable })
  })

  test('a cluster is founded once, with what its first server holds', async t => {
    const logOf = await open(t)
    if (!logOf) return
    const end = headOf(groupAfter(EMPTY, 40))
    const log = logOf()
    t.is(await log.clusterSeed(), undefined)
    t.deepEqual(await log.createCluster(CLUSTER_SEED, end), CLUSTER_SEED)
    t.deepEqual(await logOf().createCluster({ ...CLUSTER_SEED, cluster: 'another' }, EMPTY), CLUSTER_SEED)
    t.deepEqual(await logOf().clusterSeed(), CLUSTER_SEED)
    t.like(await log.read(), { head: { index: 40 }, floor: 41, leader: undefined })
    await t.throwsAsync(collectArrivals(logOf(), 1, 40), { message: 'gone below 41' })
    const again = { ...CLUSTER_SEED, cluster: 'again' }
    await log.restoreHead({ foundation: again, head: EMPTY }, { foundation: CLUSTER_SEED, head: end })
    t.deepEqual(await logOf().clusterSeed(), again)
    t.like(await logOf().read(), { head: { index: 0 }, floor: 1 })
  })

  test('a head is restored only over the observed state', async t => {
    const logOf = await open(t)
    if (!logOf) return
    const a = await serverOf(logOf(), 'a')
    const term = await lead(a)
    const seen = { foundation: CLUSTER_SEED, head: EMPTY }
    const restored = { foundation: { ...CLUSTER_SEED, cluster: 'restored' }, head: EMPTY }
    const head = await appendAll(a, term, EMPTY, [1])
    for (const instead of [seen, undefined, { foundation: restored.foundation, head }])
      await t.throwsAsync(logOf().restoreHead(restored, instead), { instanceOf: SharedMismatch })
    t.like(await a.log.read(), { head: { index: 1 }, leader: { id: 'a' } })
    await logOf().restoreHead(restored, { ...seen, head })
    t.deepEqual(await logOf().clusterSeed(), restored.foundation)
  })

  test('only the leader compacts, and only complete windows', async t => {
    const logOf = await open(t)
    if (!logOf) return
    const a = await serverOf(logOf(), 'a')
    const term = await lead(a)
    const head = await appendAll(a, term, EMPTY, [1, 1, 10])
    t.is(await a.log.compact(term, 2), 2)
    t.is(await a.log.compact(term, 1), 2)
    await t.throwsAsync(collectArrivals(logOf(), 1, 12), { message: 'gone below 2' })
    t.is(await a.log.compact(term, 8), 3)
    t.deepEqual(
      (await collectArrivals(logOf(), 8, 12)).map(({ index }) => index),
      upTo(12, 8)
    )
    await a.membership.resign(term)
    t.is(await a.log.compact(term, 13), 3)
    const next = await lead(await serverOf(logOf(), 'b'))
    t.is(await logOf().compact(next, 13), 13)
    t.like(await logOf().read(), { head: { index: head.index }, floor: 13 })
  })
}
