// Streams, WebSockets and large bodies that a follower is asked for.
import { request as open, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { ROOT, type TestServer } from '../../../support/server.js'
import { openStream } from '../../../support/stream.js'
import { until } from '../../../support/wait.js'
import { pairOfServers } from './pair.js'

const put = (server: TestServer, key: string) => server.send('PUT', `/v1/kv/${key}`, { body: '1' })

/** A WebSocket whose messages are kept. */
const webSocket = (t: ExecutionContext, { port }: TestServer, query: string, protocols: string[] = []) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/event/stream?${query}`, protocols, {
    headers: { 'X-Service-Token': ROOT }
  })
  t.teardown(() => socket.terminate())
  const messages: string[] = []
  socket.on('message', (data: Buffer) => messages.push(data.toString()))
  socket.on('error', () => {})
  return { socket, messages }
}

test('a follower streams by itself, without the leader', async t => {
  const { leader, follower } = await pairOfServers(t)
  await put(leader, 'a')
  const reader = await openStream(follower.base, 'topic=KV&index=1', { token: ROOT })
  t.is((await reader.message()).Events?.[0]?.Key, 'a')
  t.is(leader.app.streams.size, 0)
  t.is(follower.app.streams.size, 1)
})

test('who reads by a cursor reads from the leader, and moves the cursor by what it takes', async t => {
  const { leader, follower } = await pairOfServers(t)
  await follower.send('PUT', '/v1/event/cursor/c', { body: { Topics: ['KV'] } })
  await put(leader, 'a')
  const reader = await openStream(follower.base, 'cursor=c', { token: ROOT })
  t.is((await reader.message()).Events?.[0]?.Key, 'a')
  t.is(leader.app.streams.size, 1)
  reader.close()
  await until('the leader knows that it has left', () => leader.app.streams.size === 0)
})

test('a stream by a cursor is broken off when another server leads', async t => {
  const { follower, ofFollower } = await pairOfServers(t)
  await follower.send('PUT', '/v1/event/cursor/c', { body: { Topics: ['KV'] } })
  const reader = await openStream(follower.base, 'cursor=c', { token: ROOT })
  ofFollower.change('following', { id: 'another', address: 'http://127.0.0.1:1' })
  t.is(await reader.end(), 'broken')
})

test('the end of a follower ends what it has from the leader', async t => {
  const { leader, follower } = await pairOfServers(t)
  await follower.send('PUT', '/v1/event/cursor/c', { body: { Topics: ['KV'] } })
  const reader = await openStream(follower.base, 'cursor=c', { token: ROOT })
  const { socket } = webSocket(t, follower, '', ['annals.v1'])
  await once(socket, 'open')
  const { watch } = leader.app.views
  const before = watch.size
  const events = follower.send('GET', '/v1/event/list?index=1')
  await until('it waits at the leader', () => watch.size > before)
  const closed = once(socket, 'close')
  await follower.close()
  await reader.end()
  await closed
  t.is((await events).status, 503)
  await until('the leader has no streams left', () => leader.app.streams.size === 0)
})

test('a WebSocket of a follower, and one that may acknowledge, which is the leader’s', async t => {
  const { leader, follower } = await pairOfServers(t)
  const { socket, messages } = webSocket(t, follower, 'topic=KV&index=1')
  await once(socket, 'open')
  const subscriber = webSocket(t, follower, '', ['annals.v1'])
  await once(subscriber.socket, 'open')
  t.is(subscriber.socket.protocol, 'annals.v1')
  subscriber.socket.send(JSON.stringify({ Subscribe: { ID: 's', Topics: ['KV'], Index: 1 } }))
  await put(follower, 'a')
  await until('both tell', () =>
    [messages, subscriber.messages].every(all => all.some(one => one.includes('"Key":"a"')))
  )
  t.is(leader.app.streams.size, 1)
  t.is(follower.app.streams.size, 1)
  subscriber.socket.close()
  await until('the leader knows that it has left', () => leader.app.streams.size === 0)
})

test('a WebSocket is refused as a request is', async t => {
  const { follower } = await pairOfServers(t)
  const refused = async (query: string, protocols: string[]): Promise<string> => {
    const socket = new WebSocket(`ws://127.0.0.1:${follower.port}/v1/event/stream?${query}`, protocols, {
      headers: { 'X-Service-Token': 'unknown' }
    })
    const [, answer] = await once(socket, 'unexpected-response')
    return `${answer.statusCode} ${answer.headers['x-service-error-code']} ${await text(answer)}`
  }
  t.is(await refused('topic=KV', []), '403 acl.token.unknown ACL not found')
  t.is(await refused('cursor=c', []), '403 acl.token.unknown ACL not found')
  t.is(await refused('', ['annals.v1']), '403 acl.token.unknown ACL not found')
  t.regex(await refused('wrong=1', []), /^400 request\.parameter-unknown Unknown query parameter/)
})

test('a snapshot goes to the leader as it comes, which asks for it first', async t => {
  const { leader, follower } = await pairOfServers(t)
  await put(follower, 'a')
  const saved = await fetch(`${leader.base}/v1/snapshot`, { headers: { 'X-Service-Token': ROOT } })
  const archive = Buffer.from(await saved.arrayBuffer())
  await put(follower, 'b')
  const restore = async (headers: Record<string, string>) => {
    const sending = open(`${follower.base}/v1/snapshot`, {
      method: 'PUT',
      headers: { Expect: '100-continue', ...headers }
    })
    let isAsked = false
    sending.once('continue', () => {
      isAsked = true
      sending.end(archive)
    })
    sending.flushHeaders()
    const answer: IncomingMessage[] = await once(sending, 'response')
    const status = answer[0]?.statusCode
    answer[0]?.resume()
    if (!isAsked) sending.destroy()
    return { status, isAsked }
  }
  t.like(await restore({ 'X-Service-Token': 'unknown' }), { status: 403, isAsked: false })
  t.is((await follower.send('GET', '/v1/kv/b')).status, 200)
  t.like(await restore({ 'X-Service-Token': ROOT }), { status: 200, isAsked: true })
  t.is((await leader.send('GET', '/v1/kv/b')).status, 404)
  t.is((await follower.send('GET', '/v1/kv/a?raw')).text, '1')
})
