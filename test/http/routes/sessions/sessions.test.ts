import test from 'ava'
import { isKvEvent } from '../../../../events/kv.js'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

/** Only the test lets time pass. */
const stopped = (): SetClock => new SetClock({ runs: false })

const create = async (server: TestServer, body: object): Promise<string> => {
  const { text } = await server.send('PUT', '/v1/session/create', { body })
  return JSON.parse(text).ID
}

const isThere = async (server: TestServer, id: string): Promise<boolean> =>
  (await server.send('GET', `/v1/session/info/${id}`)).text !== '[]'

const acquire = async (server: TestServer, key: string, session: string): Promise<string> =>
  (await server.send('PUT', `/v1/kv/${key}?acquire=${session}`, { body: 'held' })).text

test('a session that is not renewed ends after one to two times its TTL', async t => {
  const server = await serverInProcess(t, { clock: stopped() })
  const id = await create(server, { TTL: '20s', LockDelay: '0s' })
  t.is(await acquire(server, 'lock', id), 'true')
  server.advance(30_000)
  t.true(await isThere(server, id))
  t.is((await server.send('PUT', `/v1/session/renew/${id}`)).status, 200)
  server.advance(20_500)
  t.true(await isThere(server, id))
  server.advance(20_500)
  await until('it has ended', async () => !(await isThere(server, id)))
  const [entry] = JSON.parse((await server.send('GET', '/v1/kv/lock')).text)
  t.is(entry.Session, undefined)
  t.is(entry.LockIndex, 1)
})

test('TTLs restart with the server', async t => {
  const first = await serverInProcess(t, { log: 'disk', clock: stopped() })
  const id = await create(first, { TTL: '20s' })
  await first.close()
  const again = await serverInProcess(t, { dataDir: first.settings.data_dir, clock: first.clock })
  again.advance(30_000)
  t.true(await isThere(again, id))
  again.advance(11_000)
  await until('it has ended', async () => !(await isThere(again, id)))
})

test('what a session holds is released or removed with it in one commit, and stays closed for the lock-delay', async t => {
  const log = new MemoryEventLog()
  const server = await serverInProcess(t, { log, clock: stopped() })
  for (const [Behavior, type] of [
    ['release', 'KVUnlock'],
    ['delete', 'KVDelete']
  ] as const) {
    const id = await create(server, { Behavior, LockDelay: '10s' })
    const other = await create(server, { LockDelay: '0s' })
    for (const key of ['b', 'a', 'c']) t.is(await acquire(server, `${Behavior}/${key}`, id), 'true')
    await server.send('PUT', `/v1/kv/${Behavior}/c?release=${id}`)
    const { headers } = await server.send('PUT', `/v1/session/destroy/${id}`)
    for await (const { Events } of log.read(Number(headers['x-service-index'])))
      t.deepEqual(
        Events.map(({ Type, Key }) => `${Type} ${Key}`),
        [`SessionDestroyed ${id}`, `${type} ${Behavior}/a`, `${type} ${Behavior}/b`]
      )
    t.is(await acquire(server, `${Behavior}/a`, other), 'false')
    t.is(await acquire(server, `${Behavior}/c`, other), 'true')
    server.clock.advance(10_000)
    t.is(await acquire(server, `${Behavior}/a`, other), 'true')
  }
})

test('a lock-delay outlives a restart', async t => {
  const first = await serverInProcess(t, { log: 'disk', clock: stopped() })
  const id = await create(first, { LockDelay: '1m' })
  await acquire(first, 'lock', id)
  await first.send('PUT', `/v1/session/destroy/${id}`)
  await first.close()
  const again = await serverInProcess(t, { dataDir: first.settings.data_dir, clock: first.clock })
  const other = await create(again, {})
  t.is(await acquire(again, 'lock', other), 'false')
  again.clock.advance(60_000)
  t.is(await acquire(again, 'lock', other), 'true')
})

test('fields are taken in any letter case and unknown ones ignored', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const id = await create(server, { name: 'mine', lockdelay: '3s', behavior: 'delete', ttl: '1m', extra: 1 })
  const [session] = JSON.parse((await server.send('GET', `/v1/session/info/${id}`)).text)
  t.like(session, { Name: 'mine', LockDelay: 3e9, Behavior: 'delete', TTL: '1m' })
})

test('a key event names the folders that its key is in', async t => {
  const log = new MemoryEventLog()
  const server = await serverInProcess(t, { log })
  const { headers } = await server.send('PUT', '/v1/kv/a/b/c', { body: 'x' })
  for await (const { Events } of log.read(Number(headers['x-service-index'])))
    for (const event of Events) {
      t.true(isKvEvent(event))
      t.deepEqual(event.FilterKeys, ['a/', 'a/b/'])
    }
})

test('an ID of 36 characters that no session has finds none, also one that is not a UUID', async t => {
  const server = await serverInProcess(t)
  const { index } = server.app.views
  const info = async (id: string): Promise<readonly [number, string]> => {
    const { status, text } = await server.send('GET', `/v1/session/info/${id}`)
    return [status, text]
  }
  t.deepEqual(await info('5ec51e41-9583-2bf5-eed4-3bfcbffede4f'), [200, '[]'])
  for (const id of [
    '0123456789abcdef0123456789abcdef0123',
    'x'.repeat(36),
    '--------/---------------------------'
  ]) {
    t.deepEqual(await info(id), [200, '[]'], id)
    const renewed = await server.send('PUT', `/v1/session/renew/${id}`)
    t.deepEqual([renewed.status, renewed.text.trim()], [404, `Session id '${id}' not found`])
    const destroyed = await server.send('PUT', `/v1/session/destroy/${id}`)
    t.deepEqual([destroyed.status, destroyed.text], [200, 'true'])
  }
  t.is(server.app.views.index, index)
  const [status, text] = await info('abc')
  t.is(status, 400)
  t.regex(text, /is not a valid UUID: a UUID must be 36 characters/)
})
