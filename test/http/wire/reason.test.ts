// The reason of a write: read from its headers, validated, stored with the commit, and shown by the stream and `annals log`.
import { request } from 'node:http'
import test from 'ava'
import type { Commit } from '../../../events/envelope.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { openStream } from '../../support/stream.js'
import { indexOf } from '../support.js'

const because = (reason: string) => ({ 'X-Service-Reason': reason })

const put = (server: TestServer, reason: string, key = 'a') =>
  server.send('PUT', `/v1/kv/${key}`, { body: reason, headers: because(reason) })

const commitAt = async (server: TestServer, index: number): Promise<Commit | undefined> => {
  for await (const commit of server.app.log.read(index)) return commit
  return undefined
}

test('the log keeps the reason of a write, and none where none was given', async t => {
  const server = await serverInProcess(t)
  const reason = 'ticket OPS-12: 100% of "web" moves, see plan'
  const commit = await commitAt(server, indexOf(await put(server, reason)))
  t.is(commit?.By.Reason, reason)
  const silent = await commitAt(server, indexOf(await server.send('PUT', '/v1/kv/a', { body: '2' })))
  t.deepEqual(Object.keys(silent?.By ?? {}), ['AccessorID', 'Address', 'RequestID', 'Command'])
})

test('text that is not ASCII comes as RFC 8187 writes it', async t => {
  const server = await serverInProcess(t)
  for (const [given, kept] of [
    ["UTF-8''na%C3%AFve%20%E2%82%AC%20rates", 'naïve € rates'],
    ["utf-8'en'plain", 'plain'],
    [`UTF-8''${encodeURIComponent('😀'.repeat(512))}`, '😀'.repeat(512)]
  ] as const)
    t.is((await commitAt(server, indexOf(await put(server, given))))?.By.Reason, kept)
})

test('a reason that cannot be one is refused by header and rule, and nothing is written', async t => {
  const server = await serverInProcess(t)
  const index = server.app.views.index
  for (const reason of [
    '',
    ' ',
    'x'.repeat(513),
    'tab\there',
    'caf\u00e9',
    "UTF-8''",
    "UTF-8''%C3",
    "UTF-8''%ZZ",
    "UTF-8''a b",
    "UTF-8''line%0Abreak",
    "UTF-8''turned%E2%80%AEround",
    `UTF-8''${'x'.repeat(513)}`
  ]) {
    const { status, text } = await put(server, reason)
    t.is(status, 400, JSON.stringify(reason))
    t.regex(text, /X-Service-Reason must be 1 to 512 printable characters/)
  }
  t.is(server.app.views.index, index)
  t.is((await put(server, 'x'.repeat(512))).status, 200)
})

test('a reason that is given twice is refused', async t => {
  const server = await serverInProcess(t)
  const status = await new Promise(resolve => {
    request(`${server.base}/v1/kv/a`, {
      method: 'PUT',
      headers: { 'x-service-token': ROOT, 'x-service-reason': ['one', 'another'] }
    })
      .on('response', response => resolve(response.statusCode))
      .end('1')
  })
  t.is(status, 400)
})

test('reads take no notice of it', async t => {
  const server = await serverInProcess(t)
  t.is((await server.send('GET', '/v1/acl/tokens', { headers: because('x'.repeat(600)) })).status, 200)
})

test('a stream with meta=true tells the reason', async t => {
  const server = await serverInProcess(t)
  await put(server, 'a test')
  await server.send('PUT', '/v1/kv/b', { body: '2' })
  const reader = await openStream(server.base, 'topic=KV&index=1&until=now&meta=true', { token: ROOT })
  t.is((await reader.message()).Meta?.Reason, 'a test')
  const { Meta = {} } = await reader.message()
  t.true('Command' in Meta)
  t.false('Reason' in Meta)
})
