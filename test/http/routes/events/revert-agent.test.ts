// Services and checks that were registered at the agent, made again what they were by its own writes.
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess } from '../../../support/server.js'
import { createToken } from '../../support.js'
import { ask, done, newest, read, revert } from './reverts.js'

const REGISTER_SERVICE = '/v1/agent/service/register'
const REGISTER_CHECK = '/v1/agent/check/register'

test('a service of the agent comes back by its registration, and its checks stay as they are', async t => {
  const server = await serverInProcess(t)
  const at = `node=${server.settings.node_name}`
  const web = { ID: 'web-1', Name: 'web', Tags: ['v1'], Port: 80, Meta: { v: '1' } }
  const check = { CheckID: 'alive', TTL: '1h', Status: 'passing' }
  const first = await done(t, server, 'PUT', REGISTER_SERVICE, { ...web, Check: check })
  await done(t, server, 'PUT', REGISTER_SERVICE, { ...web, Tags: null, Port: 81, Meta: { v: '2' } })
  const back = await revert(t, server, `topic=Service&key=web-1&${at}&to=${first}`)
  t.true(back.Patch.length > 0)
  t.like(await newest(server), { By: { Command: 'RegisterAgentServices', Cause: [first, first + 1] } })
  const stored = { Service: 'web', Tags: ['v1'], Port: 80, Meta: { v: '1' } }
  t.like(await read(server, '/v1/agent/service/web-1'), stored)
  await done(t, server, 'PUT', '/v1/agent/service/deregister/web-1')
  await revert(t, server, `topic=Service&key=web-1&${at}&to=${first}`)
  t.like(await read(server, '/v1/agent/service/web-1'), stored)
  await revert(t, server, `topic=Check&key=alive&${at}&to=${first}`)
  t.like(await read(server, '/v1/agent/checks'), { alive: { ServiceID: 'web-1', Status: 'passing' } })
  const { SecretID } = await createToken(server)
  t.is((await ask(server, `topic=Service&key=web-1&${at}&to=${first + 1}`, SecretID)).status, 403)
})

test('a check of the agent runs again as it did, with the secrets that it had, or is refused by the rules of its registration', async t => {
  const server = await serverInProcess(t)
  const at = `node=${server.settings.node_name}`
  const http = {
    ID: 'http',
    Name: 'answers',
    HTTP: 'http://127.0.0.1:1/alive',
    Interval: '1h',
    Header: { Authorization: ['Bearer s3cret'] }
  }
  await done(t, server, 'PUT', REGISTER_SERVICE, { ID: 'web-1', Name: 'web' })
  const asked = await done(t, server, 'PUT', REGISTER_CHECK, { ...http, ServiceID: 'web-1' })
  const changedIndex = await done(t, server, 'PUT', REGISTER_CHECK, {
    ID: 'http',
    Name: 'changed',
    TTL: '1h',
    ServiceID: 'web-1'
  })
  const runner = () =>
    server.app.views.catalog.check(DEFAULT_TENANCY, server.settings.node_name, 'http')?.runner
  t.deepEqual(runner(), { TTL: 3_600_000_000_000 })
  const answer = await ask(server, `topic=Check&key=http&${at}&to=${asked}`)
  t.is(answer.status, 200, answer.text)
  t.false(answer.text.includes('s3cret'))
  t.like(runner(), { HTTP: http.HTTP, Interval: '1h0m0s', Header: http.Header })
  await revert(t, server, `topic=Check&key=http&${at}&to=${changedIndex}`)
  t.deepEqual(runner(), { TTL: 3_600_000_000_000 })
  await done(t, server, 'PUT', '/v1/agent/service/deregister/web-1')
  const orphan = await ask(server, `topic=Check&key=http&${at}&to=${asked}`)
  t.is(orphan.status, 400)
  t.regex(orphan.text, /ServiceID "web-1" does not exist/)
})

test('maintenance is turned on again with its reason', async t => {
  const server = await serverInProcess(t)
  const at = `node=${server.settings.node_name}`
  await done(t, server, 'PUT', REGISTER_SERVICE, { ID: 'web-1', Name: 'web' })
  for (const [path, key] of [
    ['/v1/agent/maintenance', '_node_maintenance'],
    ['/v1/agent/service/maintenance/web-1', '_service_maintenance:web-1']
  ]) {
    const on = await done(t, server, 'PUT', `${path}?enable=true&reason=new+disks`)
    await done(t, server, 'PUT', `${path}?enable=false`)
    await revert(t, server, `topic=Check&key=${key}&${at}&to=${on}`)
    t.like(await read(server, '/v1/agent/checks'), {
      [String(key)]: { Notes: 'new disks', Status: 'critical' }
    })
  }
})

test('what another agent registered is reverted there', async t => {
  const dataDir = temporaryFolder(t)
  const first = await serverInProcess(t, { dataDir, config: { node_name: 'one' } })
  const made = await done(t, first, 'PUT', REGISTER_SERVICE, { ID: 'web-1', Name: 'web' })
  await done(t, first, 'PUT', REGISTER_SERVICE, { ID: 'web-1', Name: 'web', Port: 80 })
  await first.close()
  // Another ID, since a server that changes its name alone renames its node.
  const other = { node_name: 'two', node_id: '5a4c2a3e-7c1d-4d43-9a55-0d6c9b8f1e02' }
  const next = await serverInProcess(t, { dataDir, config: other })
  const refused = await ask(next, `topic=Service&key=web-1&node=one&to=${made}`)
  t.is(refused.status, 400)
  t.regex(
    refused.text,
    /^Invalid node: it was registered at the agent of "one", and this is the agent of "two"/
  )
})
