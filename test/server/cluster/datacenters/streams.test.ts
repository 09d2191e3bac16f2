// Streams, WebSockets and large bodies of another datacenter.
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { startDatacenters } from '../../../support/datacenters.js'
import { ROOT, type TestServer } from '../../../support/server.js'
import { openStream } from '../../../support/stream.js'
import { until } from '../../../support/wait.js'

const two = async (t: ExecutionContext) => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  return { dc1: all.at('dc1'), dc2: all.at('dc2') }
}

const put = (server: TestServer, key: string) => server.send('PUT', `/v1/kv/${key}`, { body: '1' })

const webSocket = (t: ExecutionContext, { port }: TestServer, query: string, token = ROOT) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/event/stream?${query}`, {
    headers: { 'X-Service-Token': token }
  })
  t.teardown(() => socket.terminate())
  socket.on('error', () => {})
  return socket
}

for (const where of ['dc=dc2', 'region=dc2', 'datacenter=dc2'])
  test(`a stream with ${where} is that of the other datacenter, and ends with its reader`, async t => {
    const { dc1, dc2 } = await two(t)
    await put(dc2, 'a')
    const reader = await openStream(dc1.base, `topic=KV&index=1&${where}`, { token: ROOT })
    t.is((await reader.message()).Events?.[0]?.Key, 'a')
    await put(dc2, 'b')
    t.is((await reader.message()).Events?.[0]?.Key, 'b')
    t.deepEqual([dc1.app.streams.size, dc2.app.streams.size], [0, 1])
    reader.close()
    await until('it is known there that the reader has left', () => dc2.app.streams.size === 0)
  })

test('the regions that mean this datacenter stay here', async t => {
  const { dc1, dc2 } = await two(t)
  await put(dc1, 'a')
  for (const region of ['global', 'dc1', '']) {
    const reader = await openStream(dc1.base, `topic=KV&index=1&region=${region}`, { token: ROOT })
    t.is((await reader.message()).Events?.[0]?.Key, 'a')
    reader.close()
  }
  t.is(dc2.app.streams.size, 0)
})

test('the end of a server ends what it has of another datacenter', async t => {
  const { dc1, dc2 } = await two(t)
  const reader = await openStream(dc1.base, 'topic=KV&dc=dc2', { token: ROOT })
  const socket = webSocket(t, dc1, 'topic=KV&dc=dc2')
  await once(socket, 'open')
  t.is(dc2.app.streams.size, 2)
  const closed = once(socket, 'close')
  await dc1.close()
  await reader.end()
  await closed
  await until('no stream is open there', () => dc2.app.streams.size === 0)
})

test('a WebSocket is opened there, and refused as it is refused there', async t => {
  const { dc1, dc2 } = await two(t)
  const socket = webSocket(t, dc1, 'topic=KV&index=1&region=dc2')
  const messages: string[] = []
  socket.on('message', (data: Buffer) => messages.push(data.toString()))
  await once(socket, 'open')
  await put(dc2, 'a')
  await until('it tells', () => messages.some(one => one.includes('"Key":"a"')))
  t.is(dc1.app.streams.size, 0)
  socket.close()
  await until('it is known there that the reader has left', () => dc2.app.streams.size === 0)
  const refused = async (query: string, token?: string): Promise<string> => {
    const [, answer] = await once(webSocket(t, dc1, query, token), 'unexpected-response')
    return `${answer.statusCode} ${answer.headers['x-service-error-code']} ${await text(answer)}`
  }
  t.is(await refused('topic=KV&dc=dc2', 'unknown'), '403 acl.token.unknown ACL not found')
  t.regex(
    await refused('topic=KV&dc=dc9'),
    /^400 datacenter\.unknown No path to datacenter: "dc9" is not known/
  )
  t.regex(await refused('wrong=1&dc=dc2'), /^400 request\.parameter-unknown Unknown query parameter/)
  await dc2.gate.shut()
  t.regex(
    await refused('topic=KV&dc=dc2'),
    /^500 datacenter\.unreachable No path to datacenter: no server of "dc2"/
  )
})

test('a snapshot is that of the other datacenter, and is restored there, which asks for it first', async t => {
  const { dc1, dc2 } = await two(t)
  await put(dc2, 'a')
  const headers = { 'X-Service-Token': ROOT }
  const saved = await fetch(`${dc1.base}/v1/snapshot?dc=dc2`, { headers })
  t.is(saved.status, 200)
  const archive = Buffer.from(await saved.arrayBuffer())
  await put(dc2, 'b')
  const restored = await fetch(`${dc1.base}/v1/snapshot?dc=dc2`, { method: 'PUT', headers, body: archive })
  t.is(restored.status, 200, await restored.text())
  t.is((await dc2.send('GET', '/v1/kv/b')).status, 404)
  t.is((await dc2.send('GET', '/v1/kv/a')).status, 200)
  t.is((await dc1.send('GET', '/v1/kv/a')).status, 404)
  const unknown = { 'X-Service-Token': 'unknown' }
  const refused = await fetch(`${dc1.base}/v1/snapshot?dc=dc2`, {
    method: 'PUT',
    headers: unknown,
    body: archive
  })
  t.is(refused.status, 403)
})
