// Request IDs: accepted from the caller, validated, stored with commits, and returned.
import test from 'ava'
import { WebSocket } from 'ws'
import { send } from '../../support/client.js'
import { ROOT, serverInProcess } from '../../support/server.js'
import { openStream } from '../../support/stream.js'
import { tokenOf } from '../support.js'

const named = (id: string) => ({ 'X-Service-Request-Id': id })
const ID = 'Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8'

test('every answer bears the name of its request, whatever the answer is', async t => {
  const server = await serverInProcess(t)
  for (const [method, path, status] of [
    ['GET', '/v1/acl/tokens', 200],
    ['GET', '/v1/agent/metrics?format=xml', 400],
    ['GET', '/v1/nowhere', 404],
    ['DELETE', '/v1/acl/tokens', 405],
    ['OPTIONS', '/v1/acl/tokens', 200],
    ['GET', '//v1/acl/tokens', 301],
    ['GET', '/v1/event/stream?index=x', 400]
  ] as const) {
    const answer = await server.send(method, path, { headers: named(ID) })
    t.is(answer.status, status, path)
    t.is(answer.headers['x-service-request-id'], ID, path)
  }
  const denied = await send(server.base, 'GET', '/v1/acl/tokens', { token: 'x', headers: named(ID) })
  t.is(denied.status, 403)
  t.is(denied.headers['x-service-request-id'], ID)
  const unmet = await server.send('GET', '/v1/acl/tokens', { headers: { ...named(ID), Expect: 'more' } })
  t.is(unmet.status, 417)
  t.is(unmet.headers['x-service-request-id'], ID)
})

test('a stream bears it too, over either protocol', async t => {
  const server = await serverInProcess(t)
  const reader = await openStream(server.base, '', { token: ROOT, headers: named(ID) })
  t.is(reader.headers['x-service-request-id'], ID)
  reader.close()
  const socket = new WebSocket(`${server.base.replace('http', 'ws')}/v1/event/stream?token=${ROOT}`, {
    headers: named(ID)
  })
  const head = await new Promise(resolve => {
    socket.on('upgrade', response => resolve(response.headers['x-service-request-id']))
  })
  t.is(head, ID)
  socket.terminate()
})

test('an answer to a request without a name bears none', async t => {
  const server = await serverInProcess(t)
  t.is((await server.send('GET', '/v1/acl/tokens')).headers['x-service-request-id'], undefined)
})

test('the log keeps the name with what the request changed', async t => {
  const server = await serverInProcess(t)
  const made = tokenOf(await server.send('PUT', '/v1/acl/token', { body: {}, headers: named(ID) }))
  for await (const { By } of server.app.log.read(made.CreateIndex)) t.is(By.RequestID, ID)
})

test('what cannot be a name is 400, and nothing is changed', async t => {
  const server = await serverInProcess(t)
  const { index } = server.app.views
  for (const id of ['', 'two words', 'x'.repeat(129), 'caf\u00e9']) {
    const answer = await server.send('PUT', '/v1/acl/token', { body: {}, headers: named(id) })
    t.is(answer.status, 400, id)
    t.regex(answer.text, /^Bad request: X-Service-Request-Id must be 1 to 128 printable ASCII characters/)
    t.is(answer.headers['x-service-request-id'], undefined)
  }
  t.is(server.app.views.index, index)
})
