// What is large, and what no longer fits.
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
  headOf,
  lead,
  memberOf,
  serverAt,
  upTo,
  urlsOf
} from './support.js'

test('a large group is stored in pieces, all or nothing', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const gate = await gateTo(t, etcd)
  const a = await serverAt(t, gate.urls, 'a', { deadline: LOST_CALL_TIMEOUT })
  const b = await serverAt(t, urlsOf(etcd), 'b')
  const first = await lead(a)
  const large = groupAfter(EMPTY, 1, { size: 20_000_000 })
  const allPieces = {
    key: Buffer.from('/annals/part/').toString('base64'),
    range_end: Buffer.from('/annals/part0').toString('base64')
  }
  const pieces = async (): Promise<number> => {
    const { count = 0 } = await etcd.call('/v3/kv/range', { ...allPieces, count_only: true })
    return Number(count)
  }

  gate.treat(({ request }) => (request.includes('/0000000000000007') ? 'hold' : 'pass'))
  const refused = a.log.append(first, EMPTY, large)
  await until('some pieces are there', async () => (await pieces()) === 7)
  await etcd.remove('/annals/leader')
  const second = await lead(b)
  gate.pass()
  t.is(await refused, 'refuted')
  t.is(await pieces(), 0)
  t.is((await b.log.read()).head.index, 0)

  t.is(await b.log.append(second, EMPTY, large), 'stored')
  t.is(await pieces(), 16)
  const head = await appendAll(b, second, headOf(large), [1])
  // What an earlier try may leave behind is none of it.
  const { kvs } = await etcd.call('/v3/kv/range', { ...allPieces, keys_only: true, limit: 1 })
  const [found]: readonly { readonly key: string }[] = Array.isArray(kvs) ? kvs : []
  const piece = Buffer.from(found?.key ?? '', 'base64').toString()
  const left = Buffer.from(`${piece.slice(0, -16)}0000000000000016`).toString('base64')
  await etcd.call('/v3/kv/put', { key: left, value: Buffer.from('left').toString('base64') })
  const read = await collectArrivals(a.log, 1, 2)
  t.deepEqual(chained(read), [1, 2])
  t.true((read[0]?.bytes.length ?? 0) > 20_000_000)
  t.is(await b.log.compact(second, 2), 2)
  t.is(await pieces(), 0)
  t.deepEqual(chained(await collectArrivals(a.log, 2, 2), headOf(large)), [2])
  await appendAll(b, second, head, [1])
})

test('a full etcd rejects appends, and accepts them again when it has space', async t => {
  const etcd = await etcdFor(t, 1, { quota: 16 * 1024 * 1024 })
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a')
  const term = await lead(server)
  let head = EMPTY
  let appended = 0
  const fill = async (): Promise<string> => {
    for (;;)
      try {
        head = await appendAll(server, term, head, [1], 1_000_000)
        appended++
      } catch (error) {
        return String(error)
      }
  }
  t.regex(await fill(), /NoRoom|WriteFailure.*space/)
  t.true(appended > 5)
  t.is((await server.log.read()).head.index, head.index)
  t.regex(await fill(), /space exceeded/)
  const { bytes, isFull } = await server.log.usage()
  t.true(isFull && bytes > 5_000_000)
  t.deepEqual(chained(await collectArrivals(server.log, 1, head.index)), upTo(head.index))

  // The floor cannot be written, but what is below it goes, and then its room.
  t.is(await server.log.compact(term, head.index), head.index)
  t.is((await etcd.list('/annals/log/')).size, 1)
  await etcd.call('/v3/maintenance/defragment', {})
  const { alarms } = await etcd.call('/v3/maintenance/alarm', { action: 'GET' })
  for (const alarm of Array.isArray(alarms) ? alarms : [])
    await etcd.call('/v3/maintenance/alarm', { action: 'DEACTIVATE', ...alarm })
  const before = head
  head = await appendAll(server, term, head, [1])
  t.deepEqual(chained(await collectArrivals(server.log, head.index, head.index), before), [head.index])
  t.deepEqual((await server.log.follow(1, new AbortController().signal).next()).value, {
    kind: 'gone',
    floor: before.index
  })
})

test('an append in doubt at a full etcd ends with the term', async t => {
  const etcd = await etcdFor(t, 1, { quota: 16 * 1024 * 1024 })
  if (!etcd) return
  const gate = await gateTo(t, etcd)
  const server = await serverAt(t, gate.urls, 'a', { deadline: LOST_CALL_TIMEOUT })
  const term = await lead(server)
  let asked = 0
  gate.treat(call => {
    if (!isAppend(call)) return 'pass'
    asked++
    return 'hold'
  })
  const appending = server.log.append(term, EMPTY, groupAfter(EMPTY))
  await until('the append was tried', () => asked > 1)
  const value = Buffer.alloc(1_000_000).toString('base64')
  for (let full = false; !full;)
    full = await etcd.call('/v3/kv/put', { key: Buffer.from('/other').toString('base64'), value }).then(
      () => false,
      () => true
    )
  gate.pass()
  await t.throwsAsync(appending, { message: /nothing can be written: .*space exceeded/ })
  t.like(await server.log.read(), { head: { index: 0 }, leader: undefined })
})

test('the history of etcd holds no replaced or compacted values', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a')
  const term = await lead(server)
  const head = await appendAll(server, term, EMPTY, [1, 1])
  const revisionOf = async (key: string): Promise<string> => {
    const { kvs } = await etcd.call('/v3/kv/range', { key: Buffer.from(key).toString('base64') })
    const [found]: readonly { readonly mod_revision: string }[] = Array.isArray(kvs) ? kvs : []
    return found?.mod_revision ?? ''
  }
  const at = async (key: string, revision: string): Promise<unknown> =>
    etcd.call('/v3/kv/range', { key: Buffer.from(key).toString('base64'), revision })

  const window = '/annals/log/0000000000000001'
  const appended = await revisionOf(window)
  await t.notThrowsAsync(at(window, appended))
  t.is(await server.log.compact(term, 2), 2)
  await t.throwsAsync(at(window, appended), { message: /compacted/ })

  const announced = await revisionOf('/annals/node/a')
  await server.membership.announce(memberOf('a', 2))
  await t.notThrowsAsync(at('/annals/node/a', await revisionOf('/annals/node/a')))
  t.is(await server.log.compact(term, 2), 2)
  await t.throwsAsync(at('/annals/node/a', announced), { message: /compacted/ })
  t.is((await collectArrivals(server.log, 2, 2)).length, 1)
  await appendAll(server, term, head, [1])
})
