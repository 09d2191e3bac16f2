// A revert writes each resource kind as its endpoint does.
import test from 'ava'
import { send } from '../../../support/client.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { METHOD } from '../../tenancy/tenants.js'
import { createPolicy, createToken, indexOf, tokenOf } from '../../support.js'
import { ask, done, read, revert } from './reverts.js'

test('config entries, and intentions in them, are written as their endpoint writes them', async t => {
  const server = await serverInProcess(t)
  const web = (Protocol: string) => ({ Kind: 'service-defaults', Name: 'Web', Protocol })
  const first = await done(t, server, 'PUT', '/v1/config', web('http'))
  await done(t, server, 'PUT', '/v1/config', web('grpc'))
  const key = encodeURIComponent('service-defaults/web')
  await revert(t, server, `topic=ConfigEntry&key=${key}&to=${first}`)
  t.like(await read(server, '/v1/config/service-defaults/Web'), { Protocol: 'http', Name: 'Web' })
  await revert(t, server, `topic=ConfigEntry&key=${key}&to=${first - 1}`)
  t.is(await read(server, '/v1/config/service-defaults/Web'), 404)

  const intentions = { Kind: 'service-intentions', Name: 'db', Sources: [{ Name: 'web', Action: 'allow' }] }
  const allowed = await done(t, server, 'PUT', '/v1/config', intentions)
  await done(t, server, 'DELETE', '/v1/connect/intentions/exact?source=web&destination=db')
  await revert(
    t,
    server,
    `topic=ConfigEntry&key=${encodeURIComponent('service-intentions/db')}&to=${allowed}`
  )
  t.like(await read(server, '/v1/connect/intentions/exact?source=web&destination=db'), { Action: 'allow' })
})

test('queries and namespaces are written as their endpoints write them', async t => {
  const server = await serverInProcess(t)
  const query = await server.send('POST', '/v1/query', {
    body: { Name: 'q', Token: ROOT, Service: { Service: 'web', Tags: ['v1'] }, DNS: { TTL: '10s' } }
  })
  const { ID }: { ID: string } = JSON.parse(query.text)
  const queried = server.app.views.index
  await done(t, server, 'DELETE', `/v1/query/${ID}`)
  await revert(t, server, `topic=PreparedQuery&key=${ID}&to=${queried}`)
  t.like(await read(server, `/v1/query/${ID}`), [{ ID, Name: 'q', Token: ROOT, DNS: { TTL: '10s' } }])

  const named = await done(t, server, 'PUT', '/v1/namespace', {
    Name: 'team',
    Description: 'one',
    Meta: { a: 'b' }
  })
  await done(t, server, 'PUT', '/v1/namespace/team', { Description: 'two' })
  await revert(t, server, `topic=Namespace&key=team&to=${named}`)
  t.like(await read(server, '/v1/namespace/team'), { Description: 'one', Meta: { a: 'b' } })
})

test('partitions are written as their endpoint writes them, and made again when they are gone', async t => {
  const server = await serverInProcess(t)
  const made = await done(t, server, 'PUT', '/v1/partition', { Name: 'east', Description: 'one' })
  const changed = await done(t, server, 'PUT', '/v1/partition/east', { Description: 'two' })
  const trial = await revert(t, server, `topic=Partition&key=east&to=${made}&dry-run`)
  t.like(trial, { DryRun: true, To: made, Undone: changed })
  await revert(t, server, `topic=Partition&key=east&to=${made}`)
  t.like(await read(server, '/v1/partition/east'), { Name: 'east', Description: 'one' })
  await done(t, server, 'DELETE', '/v1/partition/east')
  await until('it is gone', async () => (await server.send('GET', '/v1/partition/east')).status === 404)
  await revert(t, server, `topic=Partition&key=east&to=${changed}`)
  t.like(await read(server, '/v1/partition/east'), { Name: 'east', Description: 'two' })
  await revert(t, server, `topic=Partition&key=east&to=${made - 1}`)
  await until('it is gone again', async () => (await server.send('GET', '/v1/partition/east')).status === 404)
})

test('services, checks and nodes of the catalog are registered as before', async t => {
  const server = await serverInProcess(t)
  const node = { Node: 'n', Address: '10.0.0.1', NodeMeta: { rack: 'a' } }
  const service = { ID: 'web-1', Service: 'web', Tags: ['v1'], Port: 80, Meta: { v: '1' } }
  const check = { CheckID: 'up', Name: 'up', ServiceID: 'web-1', Status: 'passing' }
  const registered = await done(t, server, 'PUT', '/v1/catalog/register', {
    ...node,
    Service: service,
    Check: check
  })
  await done(t, server, 'PUT', '/v1/catalog/register', {
    ...node,
    Address: '10.0.0.2',
    Service: { ...service, Tags: ['v2'], Port: 81 },
    Check: { ...check, Status: 'critical' }
  })
  await revert(t, server, `topic=Service&key=web-1&node=n&to=${registered}`)
  await revert(t, server, `topic=Check&key=up&node=n&to=${registered}`)
  await revert(t, server, `topic=Node&key=n&to=${registered}`)
  t.like(await read(server, '/v1/catalog/service/web'), [
    {
      Address: '10.0.0.1',
      ServiceTags: ['v1'],
      ServicePort: 80,
      ServiceMeta: { v: '1' },
      NodeMeta: { rack: 'a' }
    }
  ])
  t.like(await read(server, '/v1/health/node/n'), [{ CheckID: 'up', Status: 'passing' }])
  await done(t, server, 'PUT', '/v1/catalog/deregister', { Node: 'n' })
  const orphan = await ask(server, `topic=Service&key=web-1&node=n&to=${registered}`)
  t.is(orphan.status, 400)
  t.regex(orphan.text, /its node "n" is gone/)
})

test('an auth method and its rules come back, each by itself', async t => {
  const server = await serverInProcess(t)
  const method = await done(t, server, 'PUT', '/v1/acl/auth-method', { ...METHOD, Description: 'one' })
  const rule = await server.send('PUT', '/v1/acl/binding-rule', {
    body: { AuthMethod: METHOD.Name, BindType: 'service', BindName: 'web' }
  })
  const { ID }: { ID: string } = JSON.parse(rule.text)
  await done(t, server, 'DELETE', `/v1/acl/auth-method/${METHOD.Name}`)
  const index = indexOf(rule)
  t.is((await ask(server, `topic=ACLBindingRule&key=${ID}&to=${index}`)).status, 400, 'its method is gone')
  await revert(t, server, `topic=ACLAuthMethod&key=${METHOD.Name}&to=${method}`)
  t.like(await read(server, `/v1/acl/auth-method/${METHOD.Name}`), { ...METHOD, Description: 'one' })
  await revert(t, server, `topic=ACLBindingRule&key=${ID}&to=${index}`)
  t.like(await read(server, `/v1/acl/binding-rule/${ID}`), { ID, BindName: 'web' })
})

test('policies, roles and rules come back with their IDs; links by ID, whatever their names are', async t => {
  const server = await serverInProcess(t)
  const policy = await createPolicy(server, 'one', 'key "a" { policy = "read" }')
  const role = await server.send('PUT', '/v1/acl/role', {
    body: { Name: 'role', Description: 'd', Policies: [{ ID: policy }] }
  })
  const { ID }: { ID: string } = JSON.parse(role.text)
  const made = server.app.views.index
  await server.send('PUT', `/v1/acl/policy/${policy}`, { body: { Name: 'renamed', Rules: '' } })
  const renamed = await revert(t, server, `topic=ACLRole&key=${ID}&to=${made}`)
  t.is(renamed.Index, undefined, 'the role itself is as it was')
  await done(t, server, 'DELETE', `/v1/acl/role/${ID}`)
  await revert(t, server, `topic=ACLRole&key=${ID}&to=${made}`)
  t.like(await read(server, `/v1/acl/role/${ID}`), {
    ID,
    Name: 'role',
    Policies: [{ ID: policy, Name: 'renamed' }]
  })
  await done(t, server, 'DELETE', `/v1/acl/role/${ID}`)
  await done(t, server, 'DELETE', `/v1/acl/policy/${policy}`)
  await revert(t, server, `topic=ACLPolicy&key=${policy}&to=${made}`)
  t.like(await read(server, `/v1/acl/policy/${policy}`), { ID: policy, Name: 'one' })
})

test('a deleted token comes back with its accessor and secret; its content comes back in place', async t => {
  const server = await serverInProcess(t)
  const token = await createToken(server, { Description: 'first', Local: true })
  const to = `topic=ACLToken&key=${token.AccessorID}&to=${token.CreateIndex}`
  await server.send('PUT', `/v1/acl/token/${token.AccessorID}`, {
    body: { Description: 'second', Local: true }
  })
  await revert(t, server, to)
  await done(t, server, 'DELETE', `/v1/acl/token/${token.AccessorID}`)
  const back = await ask(server, to)
  t.is(back.status, 200, back.text)
  t.false(back.text.includes(token.SecretID))
  t.like(tokenOf(await server.send('GET', `/v1/acl/token/${token.AccessorID}`)), {
    Description: 'first',
    SecretID: token.SecretID
  })
  t.is((await send(server.base, 'GET', '/v1/acl/token/self', { token: token.SecretID })).status, 200)
})
