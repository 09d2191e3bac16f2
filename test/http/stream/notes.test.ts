// Internal notes of events never leave the server.
import test from 'ava'
import { read, streamServer } from './streams.js'

const NOTES = /"(NotGiven|Agent|RegisteredAt)":/

test('neither the stream nor an answer tells what was not given, nor that the agent registered it', async t => {
  const server = await streamServer(t)
  const node = { Node: 'n', Address: '10.0.0.1' }
  t.is((await server.send('PUT', '/v1/catalog/register', { body: node })).status, 200)
  const { status } = await server.send('PUT', '/v1/agent/service/register', { body: { Name: 'web' } })
  t.is(status, 200)
  const reader = await read(t, server, 'index=1')
  await reader.upTo(server.app.views.index)
  const sent = reader.bytes.toString()
  t.regex(sent, /"Name":"n",.*"Meta":\{\}/)
  t.regex(sent, /"Topic":"Service".*"Tags":\[\]/)
  t.notRegex(sent, NOTES)
  for (const path of [
    '/v1/catalog/nodes',
    '/v1/catalog/node/n',
    '/v1/catalog/service/web',
    '/v1/health/service/web',
    '/v1/agent/services',
    '/v1/agent/service/web',
    '/v1/agent/self'
  ]) {
    const answer = await server.send('GET', path)
    t.is(answer.status, 200, path)
    t.notRegex(answer.text, NOTES, path)
  }
})
