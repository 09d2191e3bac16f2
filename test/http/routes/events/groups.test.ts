import test, { type ExecutionContext } from 'ava'
import type { TestResponse } from '../../../support/client.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken, indexOf } from '../../support.js'

const PATH = '/v1/event/cursor/workers'
const GROUP = { Topics: ['KV:load/'], Group: { MaxDeliveries: 2 } }

interface Unit {
  readonly Receipt: string
  readonly Deliveries: number
  readonly Index: number
  readonly Events: readonly { readonly Key: string; readonly Type: string }[]
}
interface Settlement {
  readonly Settled: readonly string[]
  readonly Unknown: readonly string[]
}

const unitsOf = ({ status, text }: TestResponse): readonly Unit[] => {
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text)
}
const settlementOf = ({ text }: TestResponse): Settlement => JSON.parse(text)
const receiptsOf = (units: readonly Unit[]): readonly string[] => units.map(({ Receipt }) => Receipt)
const keysOf = (units: readonly Unit[]): readonly string[] =>
  units.map(({ Events }) => Events.map(({ Key }) => Key).join())

const receive = async (server: TestServer, query = '', token?: string): Promise<readonly Unit[]> =>
  unitsOf(
    await server.send(
      'POST',
      `${PATH}/receive?member=one&limit=10${query}`,
      token === undefined ? {} : { token }
    )
  )

/** Sends a request that is answered when its state is stored, which takes a second. */
const stored = async (server: TestServer, path: string, body: object): Promise<TestResponse> => {
  let isAnswered = false
  const sent = server.send('POST', `${PATH}/${path}`, { body }).then(answer => {
    isAnswered = true
    return answer
  })
  await until('the state is stored', () => {
    server.advance(1000)
    return isAnswered
  })
  return sent
}
const ack = async (server: TestServer, Receipts: readonly string[]): Promise<Settlement> =>
  settlementOf(await stored(server, 'ack', { Receipts }))
const nack = async (server: TestServer, Receipts: readonly string[], more = {}): Promise<Settlement> =>
  settlementOf(await stored(server, 'nack', { Receipts, ...more }))

const withGroup = async (t: ExecutionContext, body: object = GROUP, options: TestServerOptions = {}) => {
  const server = await serverInProcess(t, options)
  const made = await server.send('PUT', PATH, { body })
  t.is(made.status, 200, made.text)
  return server
}
const write = async (server: TestServer, key: string, body = 'value'): Promise<number> =>
  indexOf(await server.send('PUT', `/v1/kv/${key}`, { body }))

test('members share the units of a cursor, and acknowledgements move it', async t => {
  const server = await withGroup(t)
  const first = await write(server, 'load/a')
  await write(server, 'other')
  await write(server, 'load/b')
  const last = await write(server, 'load/a', 'next')
  const one = unitsOf(await server.send('POST', `${PATH}/receive?member=one`))
  t.like(one, [{ Index: first, Deliveries: 1, Events: [{ Topic: 'KV', Type: 'KVSet', Key: 'load/a' }] }])
  const two = await receive(server)
  t.deepEqual(keysOf(two), ['load/b'], 'the next change of load/a waits')
  t.deepEqual(await ack(server, receiptsOf(one)), { Settled: receiptsOf(one), Unknown: [] })
  const three = await receive(server)
  t.like(three, [{ Index: last }])
  await ack(server, receiptsOf([...two, ...three]))
  t.deepEqual(await receive(server), [])
  await until('the cursor has passed the units', async () => {
    const { text } = await server.send('GET', PATH)
    const cursor: { readonly Index: number; readonly Units?: unknown } = JSON.parse(text)
    return cursor.Index >= last && cursor.Units === undefined
  })
})

test('a transaction is delivered as one unit for each key', async t => {
  const server = await withGroup(t)
  const body = ['load/a', 'load/b', 'other'].map(Key => ({ KV: { Verb: 'set', Key, Value: 'dg==' } }))
  const index = indexOf(await server.send('PUT', '/v1/txn', { body }))
  const units = await receive(server)
  t.deepEqual(keysOf(units), ['load/a', 'load/b'])
  t.true(units.every(({ Index }) => Index === index))
})

test('a member waits for a unit', async t => {
  const server = await withGroup(t)
  const waiting = receive(server, '&wait=1m')
  await write(server, 'other')
  await write(server, 'load/a')
  t.deepEqual(keysOf(await waiting), ['load/a'])
})

test('a rejected unit is delivered after its delay, and then parked, replayed and dropped', async t => {
  const server = await withGroup(t)
  await write(server, 'load/a')
  const first = await receive(server)
  await nack(server, receiptsOf(first), { Delay: '1m', Reason: 'not now' })
  t.deepEqual(await receive(server), [])
  server.advance(60_000)
  const second = await receive(server)
  t.like(second, [{ Deliveries: 2 }])
  await nack(server, receiptsOf(second))
  t.deepEqual(await receive(server), [])
  const listed = async (): Promise<readonly { readonly Index: number; readonly Unit: string }[]> =>
    JSON.parse((await server.send('GET', `${PATH}/units`)).text)
  const parked = await listed()
  t.like(parked, [{ State: 'parked', Deliveries: 2, Topic: 'KV', Key: 'load/a' }])
  const Units = parked.map(({ Index, Unit }) => ({ Index, Unit }))
  t.is((await stored(server, 'units/replay', { Units })).text, '1')
  const third = await receive(server)
  t.like(third, [{ Deliveries: 1, Events: [{ Key: 'load/a' }] }])
  await nack(server, receiptsOf(third))
  await nack(server, receiptsOf(await receive(server)))
  t.is((await stored(server, 'units/drop', { Units })).text, '1')
  t.deepEqual(await listed(), [])
})

test('a unit whose lease ends is delivered again, and its receipt is unknown', async t => {
  const server = await withGroup(t)
  await write(server, 'load/a')
  const first = await receive(server)
  server.advance(30_000)
  const second = await receive(server, '&wait=1m')
  t.like(second, [{ Deliveries: 2 }])
  const sent = await server.send('POST', `${PATH}/ack`, { body: { Receipts: receiptsOf(first) } })
  t.deepEqual(settlementOf(sent), { Settled: [], Unknown: receiptsOf(first) })
})

test('a restart keeps acknowledgements and parked units, and delivers the rest again', async t => {
  const dataDir = temporaryFolder(t)
  const server = await withGroup(t, { Topics: ['KV:load/'], Group: { MaxDeliveries: 1 } }, { dataDir })
  for (const key of ['a', 'b', 'c', 'd']) await write(server, `load/${key}`)
  const [a, b, c, d] = await receive(server)
  if (!a || !b || !c || !d) return t.fail('four units are there')
  await ack(server, [b.Receipt])
  await nack(server, [c.Receipt])
  await server.close()
  const next = await serverInProcess(t, { dataDir })
  t.deepEqual(keysOf(await receive(next)), ['load/a', 'load/d'])
  t.deepEqual(settlementOf(await next.send('POST', `${PATH}/ack`, { body: { Receipts: [a.Receipt] } })), {
    Settled: [],
    Unknown: [a.Receipt]
  })
  t.like(JSON.parse((await next.send('GET', `${PATH}/units`)).text), [{ State: 'parked', Key: 'load/c' }])
})

test('the position of a group is set by PUT, and units that were received before are void', async t => {
  const server = await withGroup(t)
  const first = await write(server, 'load/a')
  const units = await receive(server)
  t.is((await server.send('PUT', PATH, { body: { ...GROUP, Index: 0 } })).status, 200)
  const answer = await server.send('POST', `${PATH}/ack`, { body: { Receipts: receiptsOf(units) } })
  t.deepEqual(settlementOf(answer).Settled, [])
  t.like(await receive(server), [{ Index: first, Deliveries: 1 }])
})

test('a member receives only units that it may read as the owner does', async t => {
  const server = await serverInProcess(t)
  const tokenOf = async (name: string, rules: string) =>
    createToken(server, { Policies: [{ ID: await createPolicy(server, name, rules) }] })
  const owner = await tokenOf('owner', 'key_prefix "load/" { policy = "read" }')
  const member = await tokenOf(
    'member',
    'key_prefix "load/" { policy = "read" } key "load/a" { policy = "deny" } operator = "write"'
  )
  const stranger = await tokenOf('stranger', 'key_prefix "load/" { policy = "read" }')
  t.is((await server.send('PUT', PATH, { body: GROUP, token: owner.SecretID })).status, 200)
  await write(server, 'load/a')
  await write(server, 'load/b')
  t.deepEqual(keysOf(await receive(server, '', member.SecretID)), ['load/b'])
  t.deepEqual(keysOf(await receive(server, '', owner.SecretID)), ['load/a'])
  const denied = await server.send('POST', `${PATH}/receive?member=one`, { token: stranger.SecretID })
  t.is(denied.status, 403)
  t.regex(denied.text, /operator:write/)
  const rows: readonly object[] = JSON.parse(
    (await server.send('GET', `${PATH}/units`, { token: member.SecretID })).text
  )
  t.is(rows.filter(row => 'Key' in row).length, 1)
})

test('a token that is deleted while it waits receives nothing', async t => {
  const server = await withGroup(t)
  const ID = await createPolicy(server, 'all', 'key_prefix "" { policy = "read" } operator = "write"')
  const member = await createToken(server, { Policies: [{ ID }] })
  const path = `${PATH}/receive?member=one&wait=1m`
  const waiting = server.send('POST', path, { token: member.SecretID })
  await receive(server)
  await server.send('DELETE', `/v1/acl/token/${member.AccessorID}`)
  await write(server, 'load/a')
  t.is((await waiting).status, 403)
  t.deepEqual(keysOf(await receive(server)), ['load/a'])
})

test('at most 128 members wait for units at a time', async t => {
  const server = await withGroup(t)
  const path = `${PATH}/receive?member=one&wait=1m`
  const sent = Array.from({ length: 129 }, () => server.send('POST', path))
  const refused = await Promise.race(sent)
  t.is(refused.status, 409, refused.text)
  t.regex(refused.text, /128 at most/)
  await server.send('PUT', PATH, { body: { ...GROUP, Lease: '1m' } })
  const answers = await Promise.all(sent)
  t.is(answers.filter(({ status, text }) => status === 200 && text === '[]').length, 128)
})

test('replayed units of one key are delivered in the order of the log', async t => {
  const server = await withGroup(t, { Topics: ['KV:load/'], Group: { MaxDeliveries: 1 } })
  const indexes: number[] = []
  for (const value of ['1', '2', '3'])
    indexes.push(indexOf(await server.send('PUT', '/v1/kv/load/a', { body: value })))
  for (const _ of indexes) await nack(server, receiptsOf(await receive(server)))
  const { text } = await server.send('GET', `${PATH}/units`)
  const Units = JSON.parse(text).map(({ Index, Unit }: { Index: number; Unit: string }) => ({ Index, Unit }))
  t.is(Units.length, 3)
  await stored(server, 'units/replay', { Units })
  const delivered: number[] = []
  for (const _ of indexes) {
    const [unit] = await receive(server)
    delivered.push(unit?.Index ?? 0)
    await ack(server, [unit?.Receipt ?? ''])
  }
  t.deepEqual(delivered, indexes)
})

const metricsOf = async (server: TestServer): Promise<Readonly<Record<string, number>>> => {
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  return Object.fromEntries(
    [...text.matchAll(/^annals_group_(\S+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)])
  )
}

test('metrics show lag, age, redeliveries by cause, and parked units, also before a member asks', async t => {
  const server = await withGroup(t)
  await write(server, 'load/a')
  const first = await server.send('PUT', '/v1/kv/load/b', { body: 'x' })
  server.advance(5000)
  const before = await metricsOf(server)
  t.like(before, { lag: 2, parked_units: 0 })
  t.true((before['oldest_seconds'] ?? 0) >= 5)
  t.is(first.status, 200)
  const [a, b] = receiptsOf(await receive(server))
  await nack(server, [a ?? ''])
  t.deepEqual(keysOf(await receive(server)), ['load/a'])
  await ack(server, [b ?? ''])
  // The second unit that is not acknowledged is parked.
  server.advance(31_000)
  await until('the unit is parked', async () => (await metricsOf(server))['parked_units'] === 1)
  t.like(await metricsOf(server), { lag: 0, oldest_seconds: 0, 'redeliveries_total{cause="rejected"}': 1 })
})

test('a unit that is delivered after its visibility timeout counts as such', async t => {
  const server = await withGroup(t)
  await write(server, 'load/a')
  await receive(server)
  server.advance(31_000)
  t.deepEqual(keysOf(await receive(server, '&wait=1m')), ['load/a'])
  t.is((await metricsOf(server))['redeliveries_total{cause="timeout"}'], 1)
})

const refusals: readonly (readonly [string, string, object | undefined, number, RegExp])[] = [
  ['PUT', PATH, { ...GROUP, URL: 'http://192.0.2.1/' }, 400, /Group and URL/],
  ['PUT', PATH, { Topics: ['KV'], Group: { MaxDeliveries: 0 } }, 400, /Group.MaxDeliveries 0/],
  ['PUT', PATH, { Topics: ['KV'], Group: { VisibilityTimeout: '1ms' } }, 400, /Group.VisibilityTimeout 1ms/],
  ['PUT', PATH, { Topics: ['KV'], Group: { OnParked: 'stop' } }, 400, /Group.OnParked "stop"/],
  ['PUT', `${PATH}?cas=1`, { Index: 1 }, 400, /acknowledgements of its group/],
  ['GET', '/v1/event/stream?cursor=workers', undefined, 409, /consumer group/],
  ['POST', `${PATH}/receive`, undefined, 400, /Invalid member: ""/],
  ['POST', `${PATH}/receive?member=one&limit=65`, undefined, 400, /Invalid limit: "65"/],
  ['POST', `${PATH}/receive?member=one&limit=0`, undefined, 400, /Invalid limit/],
  ['POST', `${PATH}/receive?member=one&wait=soon`, undefined, 400, /Invalid wait/],
  ['POST', `${PATH}/ack`, { Receipts: [] }, 400, /Receipts/],
  ['POST', `${PATH}/nack`, { Receipts: ['x'], Delay: '25h' }, 400, /Invalid Delay: "25h"/],
  ['POST', `${PATH}/nack`, { Receipts: ['x'], Reason: '\n' }, 400, /Invalid Reason/],
  ['POST', '/v1/event/cursor/plain/receive?member=one', undefined, 409, /has no Group/],
  ['POST', '/v1/event/cursor/none/receive?member=one', undefined, 404, /does not exist/]
]
test('what a group cannot do is refused', async t => {
  const server = await withGroup(t, GROUP, { config: { outgoing: { allow: ['192.0.2.0/24'] } } })
  await server.send('PUT', '/v1/event/cursor/plain', { body: { Topics: ['KV'] } })
  for (const [method, path, body, status, text] of refusals) {
    const answer = await server.send(method, path, body ? { body } : {})
    t.is(answer.status, status, `${method} ${path} ${answer.text}`)
    t.regex(answer.text, text)
  }
})

test('a change after a pause is stored at once, and the next one a second later', async t => {
  const server = await withGroup(t, GROUP, { clock: new SetClock({ runs: false }) })
  for (const key of ['a', 'b', 'c']) await write(server, `load/${key}`)
  const [first = '', ...others] = receiptsOf(await receive(server))
  const before = server.app.views.index
  const began = server.clock.elapsed()
  const now = await server.send('POST', `${PATH}/ack`, { body: { Receipts: [first] } })
  t.deepEqual(settlementOf(now).Settled, [first])
  t.is(server.app.views.index, before + 1)
  t.deepEqual((await ack(server, others)).Settled, others)
  t.is(server.app.views.index, before + 2)
  t.true(server.clock.elapsed() >= began + 1000)
})
