// Appending to the log of a cluster: one order, one leader, and no doubt that stays one.
import test from 'ava'
import { SharedMismatch } from '../../../events/log/cluster/shared-log.js'
import { grpcGate, isAppend } from '../../cluster/grpc-gate.js'
import { until } from '../../support/wait.js'
import {
  appendAll,
  arrivals,
  chained,
  EMPTY,
  etcdFor,
  groupAfter,
  headOf,
  lead,
  logAt,
  memberOf,
  serverAt,
  upTo,
  urlsOf
} from './support.js'

const HOST = '127.0.0.1'

test('what the leader appends, others read as it was written, from any index on', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a')
  const term = await lead(server)
  const head = await appendAll(server, term, EMPTY, [1, 64, 3, 1, 40])
  const other = logAt(t, urlsOf(etcd))
  const all = await arrivals(other, 1, 109)
  t.deepEqual(chained(all), upTo(109))
  t.deepEqual(all.at(-1)?.hash, head.hash)
  for (const from of [2, 65, 66, 109])
    t.deepEqual(
      chained(await arrivals(other, from, 109), { index: from - 1, hash: all[from - 2]?.hash ?? EMPTY.hash }),
      upTo(109, from)
    )
  const state = await other.read()
  t.like(state, { head: { index: 109 }, leader: { id: 'a', address: 'http://a:8500', ...term }, floor: 1 })
})

test('a leader of before appends nothing, and knows that it did not', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const a = await serverAt(t, urlsOf(etcd), 'a')
  const b = await serverAt(t, urlsOf(etcd), 'b')
  const first = await lead(a)
  const head = await appendAll(a, first, EMPTY, [2])
  t.is(await b.membership.campaign(memberOf('b')), undefined)
  await a.membership.resign(first)
  t.is(await a.log.append(first, head, groupAfter(head, 1, { marker: 'nobody leads' })), 'refuted')

  const second = await lead(b)
  t.true(second.epoch > first.epoch)
  t.is(await a.log.append(first, head, groupAfter(head, 1, { marker: 'b leads' })), 'refuted')
  const next = await appendAll(b, second, head, [1])
  t.is(await a.log.append(first, head, groupAfter(head, 1, { marker: 'b has written' })), 'refuted')
  await a.membership.resign(first)
  await appendAll(b, second, next, [1])
  t.is((await b.log.read()).leader?.id, 'b')
})

test('an append whose answer is lost is stored once', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const gate = await grpcGate(t, HOST, urlsOf(etcd))
  const server = await serverAt(t, gate.urls, 'a')
  const term = await lead(server)
  gate.treat(call => (isAppend(call) ? 'swallow' : 'pass'))
  const appending = appendAll(server, term, EMPTY, [3])
  await until('etcd has stored it', async () => (await etcd.list('/annals/log/')).size > 0)
  gate.pass()
  const head = await appending
  await appendAll(server, term, head, [1])
  t.deepEqual(chained(await arrivals(server.log, 1, 4)), upTo(4))
})

for (const [what, treatment, settlement] of [
  ['stored', 'swallow', 'stored'],
  ['never brought to etcd', 'hold', 'refuted']
] as const)
  test(`an append that was ${what} is settled after others have led, and let go of it`, async t => {
    const etcd = await etcdFor(t)
    if (!etcd) return
    const gate = await grpcGate(t, HOST, urlsOf(etcd))
    const a = await serverAt(t, gate.urls, 'a')
    const b = await serverAt(t, urlsOf(etcd), 'b')
    const term = await lead(a)
    const before = await appendAll(a, term, EMPTY, [1])
    let asked = 0
    gate.treat(call => {
      if (!isAppend(call)) return 'pass'
      asked++
      return treatment
    })
    const group = groupAfter(before, 2)
    const appending = a.log.append(term, before, group)
    await until('the append was tried twice', () => asked > 1)
    await etcd.remove('/annals/leader')
    const second = await lead(b)
    const { head } = await b.log.read()
    t.is(head.index, settlement === 'stored' ? 3 : 1)
    const later = await appendAll(b, second, head, [1, 1])
    await b.membership.resign(second)
    const third = await lead(b)
    const newest = await appendAll(b, third, later, [1])
    t.is(await b.log.compact(third, newest.index), newest.index)
    gate.pass()
    t.is(await appending, settlement)
  })

test('an append is not let in behind another end than the leader knows', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a')
  const term = await lead(server)
  const head = await appendAll(server, term, EMPTY, [1])
  const another = headOf(groupAfter(EMPTY, 1, { marker: 'another' }))
  await t.throwsAsync(server.log.append(term, another, groupAfter(another)), {
    instanceOf: SharedMismatch,
    message: /ended at commit 1 where this server, which led, had it end at 1/
  })
  await appendAll(server, term, head, [1])
})
