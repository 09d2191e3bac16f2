// What the servers of a cluster let go of together.
import test from 'ava'
import { floorOf, letGoOfShared, type Holders } from '../../../events/log/cluster/floor.js'
import type { Member } from '../../../events/log/cluster/shared-log.js'
import { appendAll, arrivals, EMPTY, etcdFor, lead, memberOf, serverAt, urlsOf } from '../etcd/support.js'

const RULE = { keepCommits: 10, copies: 2 }

const member = ([id, flushed]: readonly [string, number]): Member => memberOf(id, flushed)

const holders = (
  members: Readonly<Record<string, number>>,
  away: Readonly<Record<string, number>> = {}
): Holders => ({
  members: Object.entries(members).map(member),
  joined: Object.entries({ ...members, ...away }).map(member)
})

test('what a server that takes part lacks, and the newest commits, stay', t => {
  t.is(floorOf(100, holders({ a: 100, b: 100, c: 100 }), RULE), 91)
  t.is(floorOf(100, holders({ a: 100, b: 100, c: 60 }), RULE), 61)
  t.is(floorOf(5, holders({ a: 5, b: 5, c: 5 }), RULE), 1)
})

test('a server that is away holds nothing back', t => {
  t.is(floorOf(100, holders({ a: 100, b: 95 }, { c: 20 }), RULE), 91)
})

test('what lies on too few disks stays, however long the others are away', t => {
  t.is(floorOf(100, holders({ a: 100 }, { b: 40, c: 20 }), RULE), 41)
  t.is(floorOf(100, holders({ a: 100 }, { b: 40, c: 20 }), { ...RULE, copies: 3 }), 21)
  t.is(floorOf(100, holders({ a: 100, b: 90 }, { c: 20 }), { ...RULE, copies: 5 }), 21)
})

test('a cluster of one server counts its one disk', t => {
  t.is(floorOf(100, holders({ a: 100 }), RULE), 91)
})

test('nothing goes while nobody is known to hold it', t => {
  t.is(floorOf(100, holders({}), RULE), 1)
})

test('the leader lets go of what the others hold as well', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const a = await serverAt(t, urlsOf(etcd), 'a')
  const b = await serverAt(t, urlsOf(etcd), 'b')
  const term = await lead(a)
  await appendAll(
    a,
    term,
    EMPTY,
    Array.from({ length: 50 }, () => 1)
  )
  t.is(await letGoOfShared(a.log, term, RULE), 1)
  await a.membership.announce(memberOf('a', 50))
  await b.membership.announce(memberOf('b', 30))
  t.is(await letGoOfShared(a.log, term, RULE), 31)
  await b.membership.close()
  t.is(await letGoOfShared(a.log, term, RULE), 31)
  t.is(await letGoOfShared(a.log, term, { ...RULE, copies: 1 }), 41)
  t.is((await arrivals(b.log, 41, 50)).length, 10)
})
