// Following the log of a cluster: everything, once, in order, whatever becomes of etcd and of what it tells.
import test from 'ava'
import { SharedUnreachable, type SharedRecords } from '../../../events/log/cluster/shared-log.js'
import { isWatch } from '../../cluster/grpc-proxy.js'
import { until } from '../../support/wait.js'
import {
  appendAll,
  collectArrivals,
  chained,
  LOST_CALL_TIMEOUT,
  EMPTY,
  etcdFor,
  gateTo,
  lead,
  logAt,
  serverAt,
  upTo,
  urlsOf
} from './support.js'

/** As many as these, each of one commit. */
const ones = (count: number): number[] => Array.from({ length: count }, () => 1)

const indexesOf = ({ value }: IteratorResult<SharedRecords, void>): readonly number[] =>
  value?.kind === 'records' ? value.records.map(({ index }) => index) : []

test('what is appended arrives as it is appended', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a')
  const term = await lead(server)
  const following = collectArrivals(logAt(t, urlsOf(etcd)), 1, 300)
  await appendAll(server, term, EMPTY, [...ones(100), 100, ...ones(100)])
  t.deepEqual(chained(await following), upTo(300))
})

test('a watch that tells nothing is noticed by the head', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const gate = await gateTo(t, etcd)
  const server = await serverAt(t, urlsOf(etcd), 'a')
  const term = await lead(server)
  const head = await appendAll(server, term, EMPTY, [1])
  const ended = new AbortController()
  const following = logAt(t, gate.urls).follow(1, ended.signal)
  t.deepEqual(indexesOf(await following.next()), [1])
  const second = following.next()
  let watches = 0
  gate.treat(call => {
    if (!isWatch(call)) return 'pass'
    watches++
    return 'swallow'
  })
  await until('there is a watch', () => watches > 0)
  await appendAll(server, term, head, [2])
  t.deepEqual(indexesOf(await second), [2, 3])
  ended.abort()
  t.true((await following.next()).done)
})

test('a server learns that commits it lacks were compacted, also during a read', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a')
  const term = await lead(server)
  const head = await appendAll(server, term, EMPTY, [...ones(100), 10])
  const other = logAt(t, urlsOf(etcd))
  const reading = other.follow(1, new AbortController().signal)
  const arrivals: SharedRecords[] = []
  arrivals.push((await reading.next()).value ?? t.fail())
  t.is(await server.log.compact(term, 51), 51)
  t.is(await server.log.compact(term, 40), 51)
  for await (const arrival of reading) arrivals.push(arrival)
  const last = arrivals.at(-1)
  t.deepEqual(last, { kind: 'gone', floor: 51 })
  const read = arrivals.flatMap(arrival => (arrival.kind === 'records' ? arrival.records : []))
  t.deepEqual(chained(read), upTo(read.length))

  t.deepEqual((await other.follow(50, new AbortController().signal).next()).value, {
    kind: 'gone',
    floor: 51
  })
  t.is((await collectArrivals(other, 51, 110)).length, 60)
  t.like(await other.read(), { floor: 51, head: { index: 110 } })
  // A window goes whole or not at all.
  t.is(await server.log.compact(term, 105), 101)
  t.is(await server.log.compact(term, 111), 111)
  t.deepEqual((await other.follow(110, new AbortController().signal).next()).value, {
    kind: 'gone',
    floor: 111
  })
  const later = collectArrivals(other, 111, 112)
  await appendAll(server, term, head, [2])
  t.deepEqual(chained(await later, head), [111, 112])
})

test('etcd that is killed in the midst of appends loses and doubles nothing', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a', { deadline: LOST_CALL_TIMEOUT })
  const term = await lead(server)
  const following = logAt(t, urlsOf(etcd), { deadline: LOST_CALL_TIMEOUT })
  const arrivals: number[] = []
  const ended = new AbortController()
  const follow = async (): Promise<void> => {
    while (!ended.signal.aborted)
      try {
        for await (const arrival of following.follow(arrivals.length + 1, ended.signal))
          if (arrival.kind === 'records') arrivals.push(...arrival.records.map(({ index }) => index))
      } catch (error) {
        if (!(error instanceof SharedUnreachable)) throw error
      }
  }
  const done = follow()
  let head = EMPTY
  for (let round = 0; round < 4; round++) {
    const appending = appendAll(server, term, head, ones(50))
    await until('some have arrived', () => arrivals.length > head.index)
    await etcd.members[0]?.kill()
    etcd.members[0]?.start()
    head = await appending
  }
  await until('all have arrived', () => arrivals.length >= head.index)
  ended.abort()
  await done
  t.deepEqual(arrivals, upTo(200))
  // When the last appends ended before the kill, nothing has waited for the new process yet.
  await etcd.leader()
  t.deepEqual(chained(await collectArrivals(following, 1, 200)), upTo(200))
})

test('the death of any member of etcd delays no server', async t => {
  const etcd = await etcdFor(t, 3)
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a', { deadline: LOST_CALL_TIMEOUT })
  const term = await lead(server)
  const following = collectArrivals(
    logAt(t, urlsOf(etcd).toReversed(), { deadline: LOST_CALL_TIMEOUT }),
    1,
    150
  )
  let head = await appendAll(server, term, EMPTY, ones(50))
  for (const member of [await etcd.leader(), etcd.members[0]]) {
    await member?.kill()
    head = await appendAll(server, term, head, ones(50))
    member?.start()
    await etcd.leader()
  }
  t.deepEqual(chained(await following), upTo(150))
})

test('an unreachable etcd is an error', async t => {
  const etcd = await etcdFor(t)
  if (!etcd) return
  const server = await serverAt(t, urlsOf(etcd), 'a')
  await etcd.members[0]?.kill()
  await t.throwsAsync(server.log.read(), { instanceOf: SharedUnreachable })
  await t.throwsAsync(server.log.follow(1, new AbortController().signal).next(), {
    instanceOf: SharedUnreachable
  })
})
