// Defects of other servers, each with a test that names it (spec: tenancy.md §14).
import test from 'ava'
import { setTimeout as pause } from 'node:timers/promises'
import { gatedLog } from '../../support/gated-log.js'
import { ROOT, serverInProcess, testSettings, type TestServer } from '../../support/server.js'
import { openStream, type StreamReader } from '../../support/stream.js'
import { until } from '../../support/wait.js'
import { call, fillKeys, partDeleted, waitUntilDeleted, makeNamespaces, tenant } from './support.js'

const keysLeft = ({ app }: TestServer, namespace: string): number =>
  app.views.kv.sizeUnder({ partition: 'default', namespace }, '')

const registration = (Namespace: string) => ({
  Node: 'n',
  Address: '10.0.0.1',
  Service: { ID: 'web', Service: 'web', Port: 80, Namespace },
  Check: { CheckID: 'c', Name: 'c', ServiceID: 'web', Status: 'passing', Namespace }
})

test('services and checks of a deleted namespace stayed (Consul 1.7.11, 1.8.7)', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'a', 'b')
  for (const name of ['a', 'b']) await call(server, 'PUT', '/v1/catalog/register', registration(name))
  const ofNode = { CheckID: 'node', Name: 'node', Status: 'passing' }
  await call(server, 'PUT', '/v1/catalog/register', { Node: 'n', Address: '10.0.0.1', Check: ofNode })
  await call(server, 'DELETE', '/v1/namespace/a')
  await waitUntilDeleted(server, '/v1/namespace/a')
  await makeNamespaces(server, 'a')
  t.deepEqual(await call(server, 'GET', '/v1/catalog/services?ns=a'), {})
  t.deepEqual(await call(server, 'GET', '/v1/health/state/any?ns=a'), [])
  t.is((await call(server, 'GET', '/v1/catalog/service/web?ns=b')).length, 1)
  t.is((await call(server, 'GET', '/v1/health/state/any?ns=b')).length, 1)
  const { Node, Services } = await call(server, 'GET', '/v1/catalog/node/n')
  t.is(Node.Node, 'n')
  t.deepEqual(Services, {})
  t.is((await call(server, 'GET', '/v1/health/node/n')).length, 1)
})

test('a namespace was stuck in deletion forever after a change of leader (hashicorp/consul#17483)', async t => {
  const { data_dir: dataDir } = testSettings(t)
  const first = await serverInProcess(t, { dataDir })
  await makeNamespaces(first, 'a')
  await fillKeys(first, 'a', 2000)
  const cutOff = partDeleted(first, 'a', 2000).then(() => first.close())
  await call(first, 'DELETE', '/v1/namespace/a')
  await cutOff
  t.regex(
    first.app.views.namespaces.get({ partition: 'default', namespace: 'a' })?.namespace.DeletedAt ?? '',
    /Z$/
  )
  t.true(keysLeft(first, 'a') > 0, 'it was cut off in the middle')
  const second = await serverInProcess(t, { dataDir })
  await waitUntilDeleted(second, '/v1/namespace/a')
  t.deepEqual(await call(second, 'GET', '/v1/kv/?keys&ns=a'), [])
})

test('a snapshot with a half-deleted namespace could not be restored (hashicorp/consul#9156)', async t => {
  const gate = gatedLog()
  const from = await serverInProcess(t, { log: gate.log })
  await makeNamespaces(from, 'b')
  await call(from, 'PUT', '/v1/kv/kept?ns=b', 'v')
  const headers = { 'x-service-token': ROOT }
  let name = ''
  let attempts = 0
  // Nothing more is deleted before the save begins, unless the request is late on a busy machine.
  const saved = await until('a namespace was half deleted when it was saved', async () => {
    name = `a${++attempts}`
    await makeNamespaces(from, name)
    await fillKeys(from, name, 2000)
    const halfDeleted = partDeleted(from, name, 2000).then(() => {
      gate.hold()
      return from.app.views.index
    })
    const deleted = call(from, 'DELETE', `/v1/namespace/${name}`)
    const index = await halfDeleted
    t.true(keysLeft(from, name) > 0)
    const saving = fetch(`${from.base}/v1/snapshot`, { headers })
    await pause(attempts)
    gate.release()
    const response = await saving
    const bytes = await response.arrayBuffer()
    await deleted
    return response.headers.get('x-service-index') === String(index) && bytes
  })
  const into = await serverInProcess(t)
  const restored = await fetch(`${into.base}/v1/snapshot`, { method: 'PUT', headers, body: saved })
  t.is(restored.status, 200, await restored.text())
  await waitUntilDeleted(into, `/v1/namespace/${name}`)
  t.deepEqual(await call(into, 'GET', '/v1/kv/?keys&ns=b'), ['kept'])
})

test('a token with rights in many namespaces got results of all when it asked for one (Consul 1.7.3)', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'a', 'b')
  await fillKeys(server, 'a', 3)
  await fillKeys(server, 'b', 5)
  const rules = 'namespace_prefix "" { key_prefix "" { policy = "list" } acl = "read" }'
  const token = await tenant(server, 'default', rules)
  t.is((await call(server, 'GET', '/v1/kv/?keys&ns=a', undefined, token)).length, 3)
  t.is((await call(server, 'GET', '/v1/kv/?keys&ns=*', undefined, token)).length, 8)
  const policies = await call(server, 'GET', '/v1/acl/policies?ns=a', undefined, token)
  t.deepEqual(
    policies.map((policy: { Namespace: string }) => policy.Namespace),
    ['a']
  )
})

test('Partition in the body of a namespace was lost (hashicorp/consul#12845)', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  t.is((await call(server, 'PUT', '/v1/namespace', { Name: 'a', Partition: 'p' })).Partition, 'p')
  t.is((await server.send('GET', '/v1/namespace/a')).status, 404)
  t.is((await call(server, 'GET', '/v1/namespace/a?partition=p')).Name, 'a')
})

test('attaching default policies gave away privileges (CVE-2021-41805)', async t => {
  const server = await serverInProcess(t)
  const ACLs = { PolicyDefaults: [{ Name: 'global-management' }] }
  const operator = await tenant(server, 'default', 'operator = "write"', 'operator')
  const both = await tenant(server, 'default', 'operator = "write" acl = "write"', 'both')
  await makeNamespaces(server, 'a')
  const inside = await tenant(server, 'default', 'namespace "a" { policy = "write" acl = "write" }', 'inside')
  await call(server, 'PUT', '/v1/acl/role', { Name: 'r', Policies: [{ Name: 'global-management' }] })
  const roles = { RoleDefaults: [{ Name: 'r' }] }
  const put = (path: string, token: string, body: object) => server.send('PUT', path, { token, body })
  for (const [path, body] of [
    ['/v1/namespace/a', {}],
    ['/v1/namespace', { Name: 'a' }]
  ] as const)
    for (const token of [operator, inside]) {
      t.is((await put(path, token, body)).status, 200)
      for (const links of [ACLs, roles]) {
        const refused = await put(path, token, { ...body, ACLs: links })
        t.is(refused.status, 403)
        t.regex(refused.text, /acl:write/)
      }
    }
  t.is((await put('/v1/namespace/a', both, { ACLs })).status, 200)
})

test('a config entry in an unknown namespace caused endless writes in replication (CVE-2020-25201)', async t => {
  const server = await serverInProcess(t)
  const body = { Kind: 'service-defaults', Name: 'web', Namespace: 'nowhere' }
  const before = server.app.views.index
  const refused = async (path: string, given: object, expected: number) => {
    const { status, text } = await server.send('PUT', path, { body: given })
    t.is(status, expected, path)
    t.regex(text, /Namespace \\?"nowhere\\?".* does not exist/, path)
  }
  await refused('/v1/config', body, 400)
  await refused('/v1/config?ns=nowhere', { Kind: 'service-defaults', Name: 'web' }, 400)
  await refused('/v1/connect/intentions/exact?source=a&destination=nowhere/b', { Action: 'allow' }, 400)
  await refused('/v1/connect/intentions/exact?source=nowhere/a&destination=b', { Action: 'allow' }, 400)
  await refused('/v1/txn', [{ KV: { Verb: 'set', Key: 'k', Value: 'dg==', Namespace: 'nowhere' } }], 409)
  t.is(server.app.views.index, before)
})

test('the list with a namespace being deleted could not be decoded: time zero (Consul 1.15.3)', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'a')
  await fillKeys(server, 'a', 2000)
  await call(server, 'DELETE', '/v1/namespace/a')
  const list = await call(server, 'GET', '/v1/namespaces')
  t.deepEqual(Object.keys(list[0]), ['Name', 'DeletedAt', 'CreateIndex', 'ModifyIndex'])
  t.true(Date.parse(list[0].DeletedAt) > 0)
  t.false('DeletedAt' in list[1])
})

test('namespace and namespace_prefix both governing a request were evaluated wrongly (Consul 1.11.0)', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'team', 'team-2')
  const rules =
    'namespace "team" { key "one" { policy = "write" } } namespace_prefix "team" { key_prefix "" { policy = "read" } }'
  const token = await tenant(server, 'default', rules)
  const ask = (Namespace: string, Segment: string, Access: string) => ({
    Resource: 'key',
    Namespace,
    Segment,
    Access
  })
  const body = [
    ask('team', 'one', 'write'),
    ask('team', 'two', 'read'),
    ask('team', 'two', 'write'),
    ask('team-2', 'one', 'write'),
    ask('team-2', 'one', 'read')
  ]
  const answers = await call(server, 'POST', '/v1/internal/acl/authorize', body, token)
  t.deepEqual(
    answers.map(({ Allow }: { Allow: boolean }) => Allow),
    [true, true, false, false, true]
  )
})

test('registering into an unknown namespace "succeeded" (hashicorp/consul#8123)', async t => {
  const server = await serverInProcess(t)
  const before = server.app.views.index
  for (const [path, body] of [
    ['/v1/catalog/register', registration('nowhere')],
    ['/v1/agent/service/register', { Name: 'web', Namespace: 'nowhere' }],
    ['/v1/agent/service/register?ns=nowhere', { Name: 'web' }]
  ] as const) {
    const { status, text } = await server.send('PUT', path, { body })
    t.is(status, 400, path)
    t.regex(text, /Namespace "nowhere" does not exist/, path)
  }
  t.is(server.app.views.index, before)
  t.deepEqual(await call(server, 'GET', '/v1/catalog/services?ns=nowhere'), {})
})

test('default policies of a namespace broke ACL replication when another existed (hashicorp/consul#9271)', async t => {
  const { data_dir: dataDir } = testSettings(t)
  const first = await serverInProcess(t, { dataDir })
  await call(first, 'PUT', '/v1/acl/policy', { Name: 'd', Rules: 'key_prefix "" { policy = "read" }' })
  await makeNamespaces(first, 'b')
  await call(first, 'PUT', '/v1/namespace', { Name: 'a', ACLs: { PolicyDefaults: [{ Name: 'd' }] } })
  const { SecretID } = await call(first, 'PUT', '/v1/acl/token?ns=a', {})
  await call(first, 'PUT', '/v1/kv/k?ns=a', 'v')
  const before = [...first.app.views.dump()]
  await first.close()
  const second = await serverInProcess(t, { dataDir })
  t.deepEqual([...second.app.views.dump()], before)
  t.is((await call(second, 'GET', '/v1/kv/k', undefined, SecretID)).length, 1)
  const headers = { 'x-service-token': ROOT }
  const saved = await (await fetch(`${second.base}/v1/snapshot`, { headers })).arrayBuffer()
  const third = await serverInProcess(t)
  t.is((await fetch(`${third.base}/v1/snapshot`, { method: 'PUT', headers, body: saved })).status, 200)
  t.is((await call(third, 'GET', '/v1/kv/k', undefined, SecretID)).length, 1)
})

test('service-defaults were looked up in the wrong namespace (Consul 1.17.0)', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'a')
  const defaults = (Protocol: string) => ({ Kind: 'service-defaults', Name: 'web', Protocol })
  await call(server, 'PUT', '/v1/config', defaults('grpc'))
  await call(server, 'PUT', '/v1/config?ns=a', defaults('http'))
  t.is((await call(server, 'GET', '/v1/discovery-chain/web')).Chain.Protocol, 'grpc')
  t.is((await call(server, 'GET', '/v1/discovery-chain/web?ns=a')).Chain.Protocol, 'http')
  // A splitter needs HTTP services: web of `a` is one, and that of `default` must be ignored.
  await call(server, 'PUT', '/v1/config', { ...defaults('tcp'), Name: 'api' })
  await call(server, 'PUT', '/v1/config?ns=a', { ...defaults('http'), Name: 'api' })
  await call(server, 'PUT', '/v1/config', defaults('tcp'))
  const Splits = (Namespace: string) => [{ Weight: 100, Service: 'web', Namespace }]
  const split = (Namespace: string) => ({ Kind: 'service-splitter', Name: 'api', Splits: Splits(Namespace) })
  t.is((await server.send('PUT', '/v1/config?ns=a', { body: split('default') })).status, 400)
  t.is((await server.send('PUT', '/v1/config?ns=a', { body: split('a') })).status, 200)
})

test('namespaced policies could not be read by a client of the default namespace (hashicorp/nomad#18516)', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'a')
  const { ID } = await call(server, 'PUT', '/v1/acl/policy?ns=a', { Name: 'p' })
  t.is((await server.send('GET', `/v1/acl/policy/${ID}`)).status, 403)
  t.is((await call(server, 'GET', `/v1/acl/policy/${ID}?ns=a`)).Name, 'p')
  t.is((await call(server, 'GET', `/v1/acl/policy/${ID}?ns=*`)).Namespace, 'a')
})

test('on a stream a right in one namespace opened all with * (hashicorp/nomad#25089, #10903)', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'a', 'b')
  const open = async (namespace: string, token: string): Promise<number> => {
    const aborting = new AbortController()
    const { signal } = aborting
    const headers = { 'x-service-token': token }
    const path = `/v1/event/stream?topic=Service&namespace=${encodeURIComponent(namespace)}`
    const { status } = await fetch(server.base + path, { headers, signal })
    aborting.abort()
    return status
  }
  const one = await tenant(server, 'default', 'namespace "a" { policy = "read" }', 'one')
  const all = await tenant(server, 'default', 'namespace_prefix "" { policy = "read" }', 'all')
  t.deepEqual([await open('a', one), await open('b', one), await open('*', one)], [200, 403, 403])
  t.is(await open('*', all), 200)
  const reader = async (namespace: string, token: string) => {
    const stream = await openStream(server.base, `topic=Service&namespace=${namespace}`, { token })
    t.teardown(() => stream.close())
    return stream
  }
  const [ofOne, ofAll] = [await reader('a', one), await reader('*', all)]
  for (const name of ['b', 'a']) await call(server, 'PUT', '/v1/catalog/register', registration(name))
  const namespaces = async (stream: StreamReader) => {
    const seen: string[] = []
    while (seen.at(-1) !== 'a')
      for (const event of (await stream.message()).Events ?? []) seen.push(event.Namespace)
    return seen
  }
  t.deepEqual((await namespaces(ofAll)).slice(-2), ['b', 'a'])
  t.deepEqual(await namespaces(ofOne), ['a'])
})

test('two entries of the same kind and name in one chain were refused (hashicorp/consul#8601)', async t => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, 'a', 'b')
  for (const ns of ['a', 'b'])
    await call(server, 'PUT', `/v1/config?ns=${ns}`, {
      Kind: 'service-resolver',
      Name: 'web',
      ConnectTimeout: ns === 'a' ? '1s' : '2s'
    })
  const redirect = { Kind: 'service-resolver', Name: 'api', Redirect: { Service: 'web', Namespace: 'b' } }
  t.is(await call(server, 'PUT', '/v1/config?ns=a', redirect), true)
  const { Chain } = await call(server, 'GET', '/v1/discovery-chain/api?ns=a')
  t.deepEqual(Object.keys(Chain.Targets), ['web.b.dc1'])
})
