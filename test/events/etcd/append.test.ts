// Appending to the log of a cluster: one order, one leader, and no doubt that stays one.
import test from 'ava'
import { isAppend } from '../../cluster/grpc-proxy.js'
import { until } from '../../support/wait.js'
import {
  appendAll,
  collectArrivals,
  chained,
  LOST_CALL_TIMEOUT,
  EMPTY,
  etcdFor,
  gateTo,
  groupAfter,
  lead,
  serverAt,
  upTo,
  urlsOf
} from './support.js'

test('an append whose answer is lost is stored once', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const gate = await gateTo(t, etcd)
  const server = await serverAt(t, gate.urls, 'a', { deadline: LOST_CALL_TIMEOUT })
  const term = await lead(server)
  gate.treat(call => (isAppend(call) ? 'swallow' : 'pass'))
  const appending = appendAll(server, term, EMPTY, [3])
  await until('etcd has stored it', async () => (await etcd.list('/annals/log/')).size > 0)
  gate.pass()
  const head = await appending
  await appendAll(server, term, head, [1])
  t.deepEqual(chained(await collectArrivals(server.log, 1, 4)), upTo(4))
})

for (const [what, treatment, settlement] of [
  ['stored', 'swallow', 'stored'],
  ['never brought to etcd', 'hold', 'refuted']
] as const)
  test(`an append that was ${what} is settled after other terms and compaction`, async t => {
    const etcd = await etcdFor(t)
    if (!etcd) return
    const gate = await gateTo(t, etcd)
    const a = await serverAt(t, gate.urls, 'a', { deadline: LOST_CALL_TIMEOUT })
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
