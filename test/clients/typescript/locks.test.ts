// Sessions and locks of the client.
import test from 'ava'
import { AnnalsClient } from '../../../clients/typescript/annals-client.js'
import { LOCK_FLAGS, LockLost, NotALock } from '../../../clients/typescript/locks.js'
import { SessionLost } from '../../../clients/typescript/sessions.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { answering, breaking, playing, refusal } from './support.js'

const clientOf = ({ base }: TestServer): AnnalsClient<{}> => new AnnalsClient({ address: base, token: ROOT })

/** Resolves with the reason when a signal aborts. */
const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise(resolve => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason))
  })

const holderOf = async (server: TestServer, key: string): Promise<string | undefined> => {
  const { text } = await server.send('GET', `/v1/kv/${key}`)
  const [entry]: readonly { readonly Session?: string }[] = JSON.parse(text)
  return entry?.Session
}

test('a session lives until it is destroyed, and no longer', async t => {
  const server = await serverInProcess(t)
  const client = clientOf(server)
  const session = await client.session({ name: 'one', ttl: 10, behavior: 'delete', lockDelay: 1 })
  const [shown]: readonly object[] = JSON.parse(
    (await server.send('GET', `/v1/session/info/${session.id}`)).text
  )
  t.like(shown, { Name: 'one', TTL: '10s', Behavior: 'delete', LockDelay: 1_000_000_000 })
  await session.destroy()
  t.is((await server.send('GET', `/v1/session/info/${session.id}`)).text, '[]')
  t.false(session.lost.aborted)
})

test('a lock goes from one holder to the next', async t => {
  const server = await serverInProcess(t)
  const [one, other] = [clientOf(server), clientOf(server)]
  const first = await one.lock('jobs/leader', { value: 'one' })
  t.is(await holderOf(server, 'jobs/leader'), first.session)
  const waiting = other.lock('jobs/leader', { value: 'other' })
  await until(
    'both have a session',
    () => server.app.views.sessions.list({ partition: 'default', namespace: 'default' }).length === 2
  )
  await first.release()
  t.false(first.lost.aborted)
  const second = await waiting
  t.is(await holderOf(server, 'jobs/leader'), second.session)
  t.is((await server.send('GET', '/v1/kv/jobs/leader?raw')).text, 'other')
  const [{ Flags }]: [{ Flags: number }] = JSON.parse((await server.send('GET', '/v1/kv/jobs/leader')).text)
  t.is(Flags, Number(LOCK_FLAGS))
  await second.release()
  t.is((await server.send('GET', '/v1/session/list')).text, '[]')
})

test('the holder of a lock learns that it is lost', async t => {
  const server = await serverInProcess(t)
  const lock = await clientOf(server).lock('a')
  await server.send('PUT', `/v1/session/destroy/${lock.session}`)
  const reason = await aborted(lock.lost)
  t.true(reason instanceof LockLost)
  t.regex(String(reason), /lock "a" is lost/)
})

test('a session that cannot be renewed is lost when its time is over', async t => {
  const made = answering(200, '{"ID":"71143eea-f1ac-44d0-b959-0d2ff1b0e0a4"}')
  const { address } = await playing(t, made, breaking)
  const session = await new AnnalsClient({ address }).session({ ttl: 0.02 })
  const reason = await aborted(session.lost)
  t.true(reason instanceof SessionLost)
  t.regex(String(reason), /could not be renewed in time/)
})

test('waiting for a lock can be given up, and leaves no session behind', async t => {
  const server = await serverInProcess(t)
  const client = clientOf(server)
  const lock = await client.lock('a')
  const ended = new AbortController()
  const waiting = client.lock('a', { signal: ended.signal })
  await until(
    'both have a session',
    () => server.app.views.sessions.list({ partition: 'default', namespace: 'default' }).length === 2
  )
  ended.abort(new Error('enough'))
  await t.throwsAsync(waiting, { message: 'enough' })
  t.is(server.app.views.sessions.list({ partition: 'default', namespace: 'default' }).length, 1)
  await lock.release()
})

test('a key that is no lock is left alone', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/a', { body: 'precious' })
  await refusal(clientOf(server).lock('a'), NotALock)
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, 'precious')
})

test('withLock releases whatever becomes of its work', async t => {
  const server = await serverInProcess(t)
  const client = clientOf(server)
  t.is(await client.withLock('a', {}, async () => 7), 7)
  await t.throwsAsync(
    client.withLock('a', {}, async () => {
      throw new Error('failed')
    }),
    { message: 'failed' }
  )
  t.is(await holderOf(server, 'a'), undefined)
})
