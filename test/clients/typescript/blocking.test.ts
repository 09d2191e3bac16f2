// Blocking queries of the client as iterators.
import test from 'ava'
import { AnnalsClient } from '../../../clients/typescript/annals-client.js'
import { RequestRefused, Unreachable } from '../../../clients/typescript/failures.js'
import { freePort, temporaryFolder } from '../../support/process.js'
import { ROOT, serverInProcess } from '../../support/server.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'
import { answering, breaking, playing, refusal } from './support.js'

interface Entry {
  readonly Value: string
}

test('a key is yielded as it is, when it changes, and when it is gone', async t => {
  const server = await serverInProcess(t)
  const client = new AnnalsClient({ address: server.base, token: ROOT })
  const put = (body: string) => client.connection.request('PUT', '/v1/kv/a', { body })
  const shown = client.blocking<readonly Entry[]>('/v1/kv/a')
  t.is((await shown.next()).value.value, undefined)
  const first = shown.next()
  await put('1')
  const { value: written } = await first
  t.is(written.value?.[0]?.Value, btoa('1'))
  const second = shown.next()
  // Another key does not end the wait.
  await client.connection.request('PUT', '/v1/kv/b', { body: 'x' })
  await client.connection.request('DELETE', '/v1/kv/a')
  t.is((await second).value.value, undefined)
  await shown.return(undefined as never)
})

test('iteration starts after the given index, and continues after a wait without a change', async t => {
  const server = await serverInProcess(t)
  const client = new AnnalsClient({ address: server.base, token: ROOT })
  await client.connection.request('PUT', '/v1/kv/a', { body: '1' })
  const seen = await client.blocking('/v1/kv/a').next()
  const later = client.blocking<string>('/v1/kv/a', {
    query: { raw: true },
    index: seen.value.index,
    wait: '1ms',
    parse: answer => answer.text()
  })
  const next = later.next()
  await client.connection.request('PUT', '/v1/kv/a', { body: '2' })
  t.is((await next).value.value, '2')
})

test('an index that goes back is that of another log, whose state is yielded', async t => {
  const at = (index: string) => answering(200, index, { 'X-Service-Index': index })
  const { address, requests } = await playing(t, at('9007199254740993'), at('5'), at('5'), at('6'))
  const shown = new AnnalsClient({ address }).blocking<number>('/v1/any')
  t.is((await shown.next()).value.index, '9007199254740993')
  t.is((await shown.next()).value.value, 5)
  t.is((await shown.next()).value.value, 6)
  t.deepEqual(
    requests.map(({ url = '' }) => new URL(url, 'http://a').searchParams.get('index')),
    ['0', '9007199254740993', '0', '5']
  )
})

test('the iteration outlives faults of the server, and ends with what does not pass', async t => {
  const one = answering(200, '1', { 'X-Service-Index': '1' })
  const { address } = await playing(
    t,
    one,
    breaking,
    answering(500, 'no'),
    answering(403, 'Permission denied')
  )
  const shown = new AnnalsClient({ address, retries: 0 }).blocking('/v1/any')
  await shown.next()
  t.is((await refusal(shown.next(), RequestRefused)).status, 403)
  const nowhere = new AnnalsClient({ address: `127.0.0.1:${await freePort()}`, retries: 0 })
  await refusal(nowhere.blocking('/v1/any').next(), Unreachable)
})

test('a read without an index is rejected', async t => {
  const server = await serverInProcess(t)
  const client = new AnnalsClient({ address: server.base, token: ROOT })
  await t.throwsAsync(client.blocking('/v1/status/leader').next(), { message: /is no read that can block/ })
})

test('a wait is called off', async t => {
  const server = await serverInProcess(t)
  const ended = new AbortController()
  const client = new AnnalsClient({ address: server.base, token: ROOT })
  const shown = client.blocking('/v1/kv/a', { signal: ended.signal })
  await shown.next()
  const waiting = shown.next()
  ended.abort(new Error('enough'))
  await t.throwsAsync(waiting, { message: 'enough' })
})

test('the server is restarted meanwhile', async t => {
  const options = { dataDir: temporaryFolder(t), config: { acl: { enabled: false } } }
  const server = await serverInProcess(t, options)
  let { port } = server
  const gate = await startTcpProxy(t, () => port)
  const client = new AnnalsClient({ address: `127.0.0.1:${gate.port}` })
  const shown = client.blocking<readonly Entry[]>('/v1/kv/a')
  await shown.next()
  const next = shown.next()
  await server.close()
  const again = await serverInProcess(t, options)
  port = again.port
  await client.connection.request('PUT', '/v1/kv/a', { body: '1', idempotencyKey: true })
  t.is((await next).value.value?.[0]?.Value, btoa('1'))
})
