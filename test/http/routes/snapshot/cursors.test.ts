import test from 'ava'
import { createLogger } from '../../../../server/telemetry/logging/logger.js'
import { LOGGER, SETTINGS } from '../../../../server/settings/ports.js'
import { openStream } from '../../../support/stream.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { connect } from '../../stream/wires/subscribers.js'
import { indexOf } from '../../support.js'
import { restore, save, usedServer } from './support.js'

const PATH = '/v1/event/cursor/loader'

const put = async (server: TestServer, body: object): Promise<number> =>
  indexOf(await server.send('PUT', PATH, { body: { Topics: ['KV'], ...body } }))
const cursorOf = ({ app }: TestServer) => app.views.cursors.get('loader')

test('a cursor of a longer log is set to the end of this one, which its row, its streams and the log show', async t => {
  const longer = await serverInProcess(t)
  for (let i = 0; i < 30; i++) await longer.send('PUT', '/v1/kv/a', { body: String(i) })
  const from = await put(longer, {})
  const lines: string[] = []
  const server = await usedServer(t, {
    config: { log: { level: 'warn' } },
    register: scope => {
      const settings = scope.resolve(SETTINGS)
      scope.registerInstance(LOGGER, createLogger(settings, { write: line => void lines.push(line) }))
    }
  })
  t.is((await restore(server, await save(longer))).status, 200)
  const Index = cursorOf(server)?.Index ?? 0
  t.like(cursorOf(server), { Name: 'loader', ClampedFrom: from })
  t.true(Index < from && Index <= server.app.views.index)
  t.true(lines.some(line => line.includes('was set back to it') && line.includes(`"from":${from}`)))
  const stream = await openStream(server.base, 'cursor=loader', { token: ROOT })
  t.is(stream.headers['x-service-cursor-clamped-from'], String(from))
  const written = indexOf(await server.send('PUT', '/v1/kv/after', { body: 'v' }))
  await stream.upTo(written)
  stream.close()
  // That reader has moved nothing.
  const client = await connect(t, server)
  client.subscribe('a', { Cursor: 'loader' })
  t.deepEqual(await client.next(), { ID: 'a', ClampedFrom: from })
})

test('a cursor that a snapshot has where it was stays where it is now', async t => {
  const server = await serverInProcess(t)
  await put(server, {})
  const archive = await save(server)
  await server.send('PUT', '/v1/kv/a', { body: 'v' })
  const Index = server.app.views.index
  await put(server, { Index })
  t.is((await restore(server, archive)).status, 200)
  t.is(cursorOf(server)?.Index, Index)
})

test('a restore ends the cursors that the snapshot does not have', async t => {
  const server = await serverInProcess(t)
  const archive = await save(server)
  await put(server, {})
  const stream = await openStream(server.base, 'cursor=loader', { token: ROOT })
  t.is((await restore(server, archive)).status, 200)
  t.is(cursorOf(server), undefined)
  t.is((await stream.last()).Error?.Code, 404)
})
