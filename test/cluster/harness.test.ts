// What the tests of a cluster are made of: writers, the comparison with the log, members of etcd, and the gates before them.
import { once } from 'node:events'
import { connect } from 'node:http2'
import test from 'ava'
import { missing } from '../support/programs.js'
import { until } from '../support/wait.js'
import { annalsServer } from './annals-server.js'
import { startEtcd } from './etcd-member.js'
import { startGrpcProxy } from './grpc-proxy.js'
import { loopbackMachines } from './machines/loopback.js'
import { assertEqual, assertAcknowledged, keysIn, storedBy, Violation } from './oracle.js'
import { startWorkload, type Write } from './workload.js'

test('what a server alone acknowledged through SIGKILL is in its log once, and lies are found', async t => {
  const [machine] = loopbackMachines(1)
  if (!machine) return t.fail()
  const server = await annalsServer(t, { machine, name: 'server-1' })
  server.start()
  await server.ready()
  const work = startWorkload({ bases: () => [server.base] })
  await work.acknowledges(50)
  await server.kill()
  server.start()
  await work.acknowledges(50)
  await work.stop()
  await server.stop()
  const { writes } = work
  const stored = await storedBy(server)
  const keys = await keysIn(server)
  t.notThrows(() => assertAcknowledged(writes, keys))
  t.notThrows(() => assertEqual([stored, { ...stored, name: 'server-2' }]))
  t.throws(() => assertEqual([stored, { ...stored, name: 'server-2', root: 'another' }]), {
    instanceOf: Violation
  })

  const acknowledged = writes.find(({ outcome }) => outcome === 'acknowledged')
  if (!acknowledged) return t.fail()
  const { key, index = 0 } = acknowledged
  const lies: readonly (readonly [Partial<Write>, readonly number[]])[] = [
    [{}, []],
    [{}, [index, index + 1000]],
    [{}, [index + 1000]],
    [{ outcome: 'refused', response: '503 no leader' }, [index]],
    [{ outcome: 'refused', response: '500 fault' }, []],
    [{ outcome: 'unknown' }, [index, index + 1000]]
  ]
  for (const [change, found] of lies)
    t.throws(() => assertAcknowledged([{ ...acknowledged, ...change }], new Map([[key, found]])), {
      instanceOf: Violation
    })
})

test('members of etcd elect a leader, also after theirs was killed, and keep what they have', async t => {
  if (await missing(t, 'etcd')) return
  const etcd = await startEtcd(t, loopbackMachines(3))
  const first = await etcd.leader()
  const key = Buffer.from('/annals/head').toString('base64')
  await etcd.call('/v3/kv/put', { key, value: Buffer.from('1 abc').toString('base64') })
  await first.kill()
  const second = await etcd.leader()
  t.not(second.name, first.name)
  t.deepEqual([...(await etcd.list('/annals/'))], [['/annals/head', '1 abc']])
  await etcd.remove('/annals/head')
  t.is((await etcd.list('/annals/')).size, 0)
  first.start()
  await until('the first member answers', async () => (await etcd.leader()).name !== first.name)
})

/** A Range of gRPC for the key `k`: field 1 of the message, behind the five bytes of its frame. */
const RANGE = Buffer.from([0, 0, 0, 0, 3, 0x0a, 1, 0x6b])

/** Calls a method of etcd by bare HTTP/2. @returns the status of gRPC, or undefined when nothing came within `patience` ms */
const range = async (url: string, patience: number): Promise<string | undefined> => {
  const session = connect(url)
  session.on('error', () => {})
  const call = session.request({
    ':method': 'POST',
    ':path': '/etcdserverpb.KV/Range',
    'content-type': 'application/grpc',
    te: 'trailers'
  })
  call.on('error', () => {})
  call.end(RANGE)
  call.resume()
  let status: string | undefined
  call.on('trailers', trailers => (status = String(trailers['grpc-status'])))
  const timer = setTimeout(() => session.destroy(), patience)
  await once(call, 'close')
  clearTimeout(timer)
  session.destroy()
  return status
}

test('a gate passes calls to etcd, holds them, and swallows what they are answered', async t => {
  if (await missing(t, 'etcd')) return
  const etcd = await startEtcd(t, loopbackMachines(1))
  const gate = await startGrpcProxy(
    t,
    '127.0.0.1',
    etcd.members.map(({ url }) => url)
  )
  const [url = ''] = gate.urls
  t.is(await range(url, 20_000), '0')
  const seen: string[] = []
  for (const treatment of ['hold', 'swallow'] as const) {
    gate.treat(({ path }) => {
      seen.push(path)
      return treatment
    })
    t.is(await range(url, 100), undefined)
  }
  t.true(seen.every(path => path === '/etcdserverpb.KV/Range'))
  gate.pass()
  t.is(await range(url, 20_000), '0')
  gate.cut()
  t.is(await range(url, 20_000), '0')
})
