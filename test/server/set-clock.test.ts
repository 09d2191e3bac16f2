// A server whose machine's clock is set while it runs: what that ends, and what it must not delete.
import test, { type ExecutionContext } from 'ava'
import { MemoryEventLog } from '../../events/log/memory.js'
import { parseTime } from '../../events/time.js'
import { createLogger } from '../../server/telemetry/logging/logger.js'
import { LOGGER } from '../../server/settings/ports.js'
import { SetClock } from '../../library/testing/set-clock.js'
import { serverInProcess, type TestServer } from '../support/server.js'
import { until } from '../support/wait.js'
import { createToken } from '../http/support.js'

const HOUR = 3_600_000
const MINUTE = 60_000

/** A server for which time passes only as the test says, and that has run for some time. */
const begin = async (t: ExecutionContext): Promise<TestServer> => {
  const server = await serverInProcess(t, { log: new MemoryEventLog(), clock: new SetClock({ runs: false }) })
  server.advance(HOUR)
  return server
}

const isKept = (server: TestServer, accessor: string): boolean =>
  server.app.views.tokens.get(accessor) !== undefined

const use = async (server: TestServer, token: string): Promise<number> =>
  (await server.send('GET', '/v1/acl/token/self', { token })).status

test('what has expired by a clock that was set forward is refused at once, and removed when the time has held', async t => {
  const server = await begin(t)
  const { AccessorID, SecretID } = await createToken(server, { ExpirationTTL: '1h' })
  server.setClockBy(2 * HOUR)
  t.is(await use(server, SecretID), 403)
  server.advance(MINUTE - 1)
  // Deadlines pass in the order of time: this one would follow the end of the token.
  const { status } = await server.send('PUT', '/v1/kv/a', { body: 'a' })
  t.is(status, 200)
  t.true(isKept(server, AccessorID))
  server.advance(1)
  await until('the token is removed', () => !isKept(server, AccessorID))
})

test('a clock that was wrong for a moment deletes nothing, and what it ended lives again', async t => {
  const server = await begin(t)
  const { AccessorID, SecretID } = await createToken(server, { ExpirationTTL: '1h' })
  server.setClockBy(2 * HOUR)
  t.is(await use(server, SecretID), 403)
  server.advance(30_000)
  server.setClockBy(-2 * HOUR)
  t.is(await use(server, SecretID), 200)
  server.advance(50 * MINUTE)
  t.is(await use(server, SecretID), 200)
  t.true(isKept(server, AccessorID))
  // Its own end comes all the same.
  server.advance(10 * MINUTE)
  await until('the token is removed', () => !isKept(server, AccessorID))
})

test('sessions last their time, whatever becomes of the clock', async t => {
  const server = await begin(t)
  const made = await server.send('PUT', '/v1/session/create', { body: { TTL: '10s' } })
  const { ID }: { readonly ID: string } = JSON.parse(made.text)
  const isThere = (): boolean => server.app.views.sessions.get(ID) !== undefined
  server.setClockBy(2 * HOUR)
  server.advance(2 * MINUTE - 100_001)
  await server.send('PUT', '/v1/kv/a', { body: 'a' })
  t.true(isThere())
  server.setClockBy(-5 * HOUR)
  server.advance(10_000)
  await until('the session ends', () => !isThere())
})

test('the time of a commit is never before that of the one before it, also after a restart', async t => {
  const clock = new SetClock({ runs: false })
  const server = await serverInProcess(t, { clock, log: 'disk' })
  let writes = 0
  const write = async (on: TestServer): Promise<number> => {
    await on.send('PUT', '/v1/kv/a', { body: String(++writes) })
    return parseTime(on.app.views.time) ?? 0
  }
  const first = await write(server)
  server.setClockBy(-HOUR)
  t.is(await write(server), first)
  await server.close()
  const again = await serverInProcess(t, { clock, dataDir: server.settings.data_dir })
  t.is(await write(again), first)
  again.setClockBy(HOUR + 1000)
  t.is(await write(again), first + 1000)
})

test('a lock is not kept shut by a delay that began in a time which was set back', async t => {
  const server = await begin(t)
  const create = async (): Promise<string> => {
    const { ID }: { readonly ID: string } = JSON.parse(
      (await server.send('PUT', '/v1/session/create', { body: { LockDelay: '15s' } })).text
    )
    return ID
  }
  const acquire = async (id: string): Promise<string> =>
    (await server.send('PUT', `/v1/kv/lock?acquire=${id}`, { body: '' })).text.trim()
  const holder = await create()
  t.is(await acquire(holder), 'true')
  await server.send('PUT', `/v1/session/destroy/${holder}`)
  const next = await create()
  t.is(await acquire(next), 'false')
  server.setClockBy(-HOUR)
  t.is(await acquire(next), 'true')
})

test('a jump is a line of the log', async t => {
  const lines: string[] = []
  const server = await serverInProcess(t, {
    log: new MemoryEventLog(),
    register: scope => {
      const settings = { log: { level: 'warn' as const, pretty: false } }
      scope.registerInstance(LOGGER, createLogger(settings, { write: line => void lines.push(line) }))
    }
  })
  server.setClockBy(-HOUR)
  t.is(lines.filter(line => line.includes('the clock was set')).length, 1)
})
