// Taking part in a cluster, and leading it.
import test from 'ava'
import { SharedUnreachable } from '../../../events/log/cluster/shared-log.js'
import type { TimerPort } from '../../../events/log/etcd/timer-port.js'
import { until } from '../../support/wait.js'
import {
  appendAll,
  LOST_CALL_TIMEOUT,
  EMPTY,
  etcdFor,
  gateTo,
  lead,
  logAt,
  memberOf,
  serverAt,
  urlsOf
} from './support.js'

test('of two that campaign at once one becomes the leader, a thousand times', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const servers = [await serverAt(t, urlsOf(etcd), 'a'), await serverAt(t, urlsOf(etcd), 'b')]
  let epoch = 0
  const wins = { a: 0, b: 0 }
  for (let round = 0; round < 1000; round++) {
    const terms = await Promise.all(servers.map(({ id, membership }) => membership.campaign(memberOf(id))))
    const won = terms.filter(term => term !== undefined)
    const [term] = won
    if (!term || won.length !== 1 || term.epoch <= epoch)
      return t.fail(`${won.length} lead in round ${round}`)
    epoch = term.epoch
    const winner = terms[0] ? servers[0] : servers[1]
    wins[terms[0] ? 'a' : 'b']++
    await winner?.membership.resign(term)
  }
  t.is(wins.a + wins.b, 1000)
})

test('a membership is renewed, and lost when it is not', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const gate = await gateTo(t, etcd)
  const a = await serverAt(t, gate.urls, 'a', { leaseTtl: 4000 })
  const b = await serverAt(t, urlsOf(etcd), 'b')
  const { validUntil } = a.membership
  t.true(validUntil > performance.now())
  await until('it was renewed', () => a.membership.validUntil > validUntil)
  await lead(a)
  let lost = 0
  a.membership.onLost(() => lost++)
  gate.treat(() => 'hold')
  await until('it is lost', () => lost > 0)
  t.true(a.membership.validUntil < performance.now())
  await until('another one leads', () => b.membership.campaign(memberOf('b')))
  t.is(lost, 1)
})

test('a server that lost the answer of its campaign leads by its next one', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const gate = await gateTo(t, etcd)
  const a = await serverAt(t, gate.urls, 'a', { deadline: LOST_CALL_TIMEOUT })
  gate.treat(({ request }) => (request.includes('/annals/term/') ? 'swallow' : 'pass'))
  await t.throwsAsync(a.membership.campaign(memberOf('a')), { instanceOf: SharedUnreachable })
  t.is((await a.log.read()).leader?.id, 'a')
  gate.pass()
  const term = await lead(a)
  t.is((await a.log.read()).leader?.nonce, term.nonce)
  await appendAll(a, term, EMPTY, [1])
})

test('a server whose lease is gone knows it when it campaigns', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const { membership } = await serverAt(t, urlsOf(etcd), 'a')
  const { leases } = await etcd.call('/v3/lease/leases', {})
  if (!Array.isArray(leases)) return t.fail()
  t.is(leases.length, 1)
  for (const { ID } of leases) await etcd.call('/v3/lease/revoke', { ID })
  let lost = 0
  membership.onLost(() => lost++)
  await t.throwsAsync(membership.campaign(memberOf('a')), { instanceOf: SharedUnreachable })
  t.is(lost, 1)
  t.is(membership.validUntil, -Infinity)
})

test('closing the shared log ends the renewals of a lease', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  let paused = 0
  const time: TimerPort = {
    elapsed: () => 0,
    pause: (_, signal) =>
      new Promise(resolve => {
        paused++
        signal?.addEventListener('abort', () => {
          paused--
          resolve()
        })
      })
  }
  const { log } = await serverAt(t, urlsOf(etcd), 'a', { time })
  t.is(paused, 1)
  await log.close()
  t.is(paused, 0)
})

test('the name of a live member is refused to another one until that has ended', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const a = await serverAt(t, urlsOf(etcd), 'a')
  await a.membership.announce(memberOf('a', 1))
  const log = logAt(t, urlsOf(etcd))
  const b = await log.join()
  const namesake = { ...memberOf('b'), name: 'SERVER-A' }
  await t.throwsAsync(b.announce(namesake), {
    name: 'JoinRefused',
    message: 'node_name SERVER-A belongs to the live server with node ID a'
  })
  t.deepEqual(
    (await log.members()).live.map(({ id }) => id),
    ['a']
  )
  await a.membership.close()
  await b.announce(namesake)
  t.deepEqual(
    (await log.members()).live.map(({ id }) => id),
    ['b']
  )
})
