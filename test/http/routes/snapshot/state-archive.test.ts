// Archives of servers whose resources were last changed in other ways than by being written, also after the log was pruned.
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { restore, save } from './support.js'

const VALUE = 'x'.repeat(100_000)

const start = async (t: ExecutionContext, dataDir: string, config = {}): Promise<TestServer> => {
  const log = await SegmentEventLog.open({ path: join(dataDir, 'log'), segmentBytes: 1024 * 1024 })
  return serverInProcess(t, { dataDir, log, config })
}

/** Leaves a released lock, a moved cursor and a check whose status changed. */
const use = async (server: TestServer): Promise<void> => {
  const put = async (path: string, body: unknown, headers = {}): Promise<string> => {
    const { status, text } = await server.send('PUT', path, { body, headers })
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return text
  }
  const check = (Status: string) => ({
    Node: 'n',
    Address: '10.0.0.1',
    SkipNodeUpdate: true,
    Check: { Node: 'n', CheckID: 'c', Name: 'c', Status }
  })
  await put('/v1/catalog/register', { ...check('passing'), SkipNodeUpdate: false })
  await put('/v1/catalog/register', check('critical'))
  const { ID }: { readonly ID: string } = JSON.parse(await put('/v1/session/create', { LockDelay: '0s' }))
  await put(`/v1/kv/released?acquire=${ID}`, 'value')
  await put(`/v1/kv/released?release=${ID}`, 'value')
  await put('/v1/event/cursor/c', { Topics: ['KV'], Index: 1 })
  // With an idempotency key the move is a commit of its own.
  await put('/v1/event/cursor/c?cas=1', { Index: 3 }, { 'X-Service-Idempotency-Key': 'move' })
}

for (const query of ['', '?state'])
  test(`an archive (${query || 'log'}) of a pruned log restores what was last released, moved or updated`, async t => {
    const dataDir = join(temporaryFolder(t), 'data')
    const before = await start(t, dataDir)
    await use(before)
    for (let i = 0; i < 40; i++) await before.send('PUT', `/v1/kv/k${i % 3}`, { body: `${i}${VALUE}` })
    await before.close()
    const pruned = await start(t, dataDir, {
      log: { level: 'silent', retain: { commits: 10 } },
      cursor: { max_held: 0 }
    })
    await until('the oldest commits are pruned', () => pruned.app.log.firstIndex > 20)
    const into = await serverInProcess(t, { log: 'disk' })
    await into.send('PUT', '/v1/kv/used', { body: 'x' })
    const { status, text } = await restore(into, await save(pruned, query))
    t.is(status, 200, text)
    t.is((await into.send('GET', '/v1/kv/released?raw')).text, 'value')
    t.like(JSON.parse((await into.send('GET', '/v1/event/cursor/c')).text), { Topics: ['KV'] })
    t.like(JSON.parse((await into.send('GET', '/v1/health/node/n')).text), [{ Status: 'critical' }])
    t.is((await into.send('GET', '/v1/kv/used')).status, 404)
  })

test('a state archive restores a key whose lock was released last', async t => {
  const server = await serverInProcess(t, { log: 'disk' })
  await use(server)
  const into = await serverInProcess(t, { log: 'disk' })
  const { status, text } = await restore(into, await save(server, '?state'))
  t.is(status, 200, text)
  t.is((await into.send('GET', '/v1/kv/released?raw')).text, 'value')
})
