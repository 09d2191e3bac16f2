// Archives from before an erasure.
import test, { type ExecutionContext } from 'ava'
import { allErased } from '../../../support/erasures.js'
import { filesWith } from '../../../support/files-with.js'
import { withoutErasure } from '../../../support/no-erasure.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { restore, save, usedServer } from './support.js'

const SECRET = 'what-a-customer-said'

const deleteAndErase = async (t: ExecutionContext, server: TestServer): Promise<void> => {
  await server.send('DELETE', '/v1/kv/customers/1')
  const { status, text } = await server.send('POST', '/v1/event/erase', {
    body: { Topic: 'KV', Prefix: 'customers/', Reason: 'request 2026-117' }
  })
  t.is(status, 200, text)
}

test('a new server that continues the log of an archive executes the erasures in it', async t => {
  const source = await serverInProcess(t, { register: withoutErasure })
  await source.send('PUT', '/v1/kv/customers/1', { body: SECRET })
  await source.send('PUT', '/v1/kv/other', { body: 'stays' })
  await deleteAndErase(t, source)
  const bytes = await save(source)
  const target = await serverInProcess(t, { log: 'disk' })
  t.is((await restore(target, bytes)).status, 200)
  await allErased(target)
  t.is((await target.send('GET', '/v1/kv/other?raw')).text, 'stays')
  t.deepEqual(filesWith(target.settings.data_dir, [SECRET]), [])
})

for (const query of ['', '?state'])
  test(`an archive${query} that holds what was erased since is refused, and one from afterwards is not`, async t => {
    const server = await usedServer(t)
    await server.send('PUT', '/v1/kv/customers/1', { body: SECRET })
    const old = await save(server, query)
    await deleteAndErase(t, server)
    await allErased(server)
    const { index } = server.app.views
    const refused = await restore(server, old)
    t.is(refused.status, 409, refused.text)
    t.regex(refused.text, /KV "customers\/1", which commit \d+ ordered to be erased/)
    t.is(server.app.views.index, index)
    t.deepEqual(filesWith(server.settings.data_dir, [SECRET]), [])
    await server.send('PUT', '/v1/kv/customers/1', { body: 'written again' })
    const now = await save(server, query)
    await server.send('DELETE', '/v1/kv/customers/1')
    const restored = await restore(server, now)
    t.is(restored.status, 200, restored.text)
    t.is((await server.send('GET', '/v1/kv/customers/1?raw')).text, 'written again')
  })
