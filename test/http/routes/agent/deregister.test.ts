import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'

const kinds = ['service', 'check'] as const
const remove = async (server: TestServer, kind: string, id: string): Promise<number> =>
  (await server.send('PUT', `/v1/agent/${kind}/deregister/${id}`)).status

test('without ACLs the removal of an unknown service or check has succeeded already', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  await server.send('PUT', '/v1/agent/service/register', {
    body: { Name: 'web', Check: { CheckID: 'up', TTL: '1m' } }
  })
  t.is(await remove(server, 'check', 'up'), 200)
  t.deepEqual(JSON.parse((await server.send('GET', '/v1/agent/checks')).text), {})
  t.is(await remove(server, 'service', 'web'), 200)
  t.deepEqual(JSON.parse((await server.send('GET', '/v1/agent/services')).text), {})
  const { index } = server.app.views
  for (const kind of kinds) t.is(await remove(server, kind, 'web'), 200, kind)
  t.is(server.app.views.index, index)
})

test('with ACLs it is refused, because the required permission is unknown', async t => {
  const server = await serverInProcess(t)
  for (const kind of kinds) t.is(await remove(server, kind, 'web'), 404, kind)
})
