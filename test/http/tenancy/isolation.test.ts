// Two tenants with equal names: neither sees, changes, blocks or infers anything of the other.
import test from 'ava'
import fc from 'fast-check'
import { factsOf } from '../../support/state-facts.js'
import { runs } from '../../support/property-runs.js'
import { openStream, type StreamEvent } from '../../support/stream.js'
import { until } from '../../support/wait.js'
import { call, waitUntilDeleted } from './support.js'
import { asTenant, moves, PAIRS, READS, tenantServer, twoTenants, viewOf, within } from './tenants.js'

/** Topics that a tenant can subscribe to. */
const TOPICS = [
  'KV',
  'Service',
  'Session',
  'ACLToken',
  'ACLPolicy',
  'ACLRole',
  'ACLAuthMethod',
  'ACLBindingRule'
]
const kinds = fc.constantFrom(...PAIRS)

test('what one tenant does changes nothing that the other can learn, indexes and errors included', async t => {
  const server = await tenantServer(t)
  const histories = fc.array(fc.tuple(fc.nat(1), moves), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(kinds, histories, async (kind, history) => {
      const tenants = await twoTenants(server, kind)
      for (const [who, { title, make }] of history) {
        const [actor, other] = who === 0 ? tenants : [tenants[1], tenants[0]]
        const before = await viewOf(server, other)
        const statuses = await make(server, actor)
        t.true(
          statuses.every(status => status < 500),
          `${title}: ${statuses.join(' ')}`
        )
        t.deepEqual(await viewOf(server, other), before, `${kind}: ${title}`)
      }
    }),
    { numRuns: runs(15) }
  )
})

test('the same history gives both tenants the same statuses: neither is affected by the names or locks of the other', async t => {
  const server = await tenantServer(t)
  await fc.assert(
    fc.asyncProperty(kinds, fc.array(moves, { minLength: 1, maxLength: 10 }), async (kind, history) => {
      const [first, second] = await twoTenants(server, kind)
      for (const { title, make } of history)
        t.deepEqual(await make(server, second), await make(server, first), `${kind}: ${title}`)
    }),
    { numRuns: runs(15) }
  )
})

for (const kind of PAIRS) {
  test(`a tenant cannot access the namespace of the other: ${kind}`, async t => {
    const server = await tenantServer(t)
    const [actor, other] = await twoTenants(server, kind)
    for (const { make } of fc.sample(moves, { numRuns: 30, seed: 1 })) await make(server, other)
    const before = await viewOf(server, other)
    const writes = [
      ['PUT', '/v1/kv/k0', 'v'],
      ['DELETE', '/v1/kv/k0'],
      ['DELETE', '/v1/kv/?recurse'],
      ['PUT', '/v1/session/create', { Node: 'n', Checks: [] }],
      ['PUT', '/v1/acl/policy', { Name: 'p' }],
      ['PUT', '/v1/acl/role', { Name: 'r' }],
      ['PUT', '/v1/acl/token', {}],
      ['PUT', '/v1/acl/binding-rule', { AuthMethod: 'm', BindType: 'service', BindName: 'web' }],
      ['DELETE', '/v1/acl/auth-method/m'],
      ['PUT', '/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'tcp' }],
      ['DELETE', '/v1/config/service-defaults/web'],
      ['PUT', '/v1/catalog/register', { Node: 'n', Address: '10.0.0.1', Service: { Service: 'web' } }],
      ['PUT', '/v1/catalog/deregister', { Node: 'n', ServiceID: 'web' }],
      ['PUT', '/v1/txn', [{ KV: { Verb: 'set', Key: 'k0', Value: 'dg==' } }]],
      ['PUT', '/v1/connect/intentions/exact?source=web&destination=api', { Action: 'allow' }]
    ] as const
    for (const [method, path, body] of writes) {
      const { status } = await asTenant(server, actor, method, within(path, other), body)
      t.true([400, 403, 404, 409].includes(status), `${method} ${path}: ${status}`)
    }
    t.deepEqual(await viewOf(server, other), before)
    for (const path of READS) {
      const { status, text } = await asTenant(server, actor, 'GET', within(path, other))
      const isNothing = status === 403 || status === 404 || /^(\[\]|\{\}|null|\{"[^"]*":\[\]\})$/.test(text)
      t.true(isNothing || isOfNodes(path), `${path}: ${status} ${text}`)
    }
  })

  test(`waiting reads of one tenant are not woken by the other: ${kind}`, async t => {
    const server = await tenantServer(t)
    const [actor, waiting] = await twoTenants(server, kind)
    const aborting = new AbortController()
    const woken: string[] = []
    let count = 0
    for (const path of READS) {
      const { status, headers } = await asTenant(server, waiting, 'GET', path)
      const index = headers['x-service-index']
      // Some reads of missing resources return no index.
      if (status === 403 || index === undefined || path === '/v1/acl/token/self') continue
      const url = `${server.base}${path}${path.includes('?') ? '&' : '?'}index=${String(index)}&wait=1m`
      count++
      fetch(url, { headers: { 'x-service-token': waiting.secret }, signal: aborting.signal }).then(
        ({ status: answered }) => woken.push(`${path}: ${answered}`),
        () => undefined
      )
    }
    t.true(count > 30, `${count} reads wait`)
    for (const { make } of fc.sample(moves, { numRuns: 80, seed: 1 })) await make(server, actor)
    t.deepEqual(woken, [])
    await asTenant(server, waiting, 'PUT', '/v1/kv/k0', 'mine')
    await until('its own write wakes it', () => woken.length > 0)
    aborting.abort()
  })

  test(`the stream of one tenant shows nothing of the other: ${kind}`, async t => {
    const server = await tenantServer(t)
    const [actor, listening] = await twoTenants(server, kind)
    const { partition, namespace, secret: token } = listening
    const topics = TOPICS.map(topic => `topic=${topic}`).join('&')
    const stream = await openStream(server.base, `${topics}&partition=${partition}&namespace=${namespace}`, {
      token
    })
    t.teardown(() => stream.close())
    t.is(stream.status, 200)
    for (const { make } of fc.sample(moves, { numRuns: 60, seed: 2 })) await make(server, actor)
    await asTenant(server, listening, 'PUT', '/v1/kv/mine', 'v')
    const seen: StreamEvent[] = []
    while (seen.at(-1)?.Key !== 'mine') seen.push(...((await stream.message()).Events ?? []))
    for (const { Topic, Key, Namespace, Partition = 'default' } of seen)
      t.deepEqual({ Namespace, Partition }, { Namespace: namespace, Partition: partition }, `${Topic} ${Key}`)
    t.true(seen.length < 5, 'it began when the other had not acted yet')
  })
}

/** What is on a node is asked for by its name; without services that may be seen it shows the node, or its check, alone. */
const isOfNodes = (path: string): boolean => /nodes?\b/.test(path) || path === '/v1/acl/token/self'

test('the deletion of one tenant leaves the other as it was, and nothing of the first', async t => {
  const server = await tenantServer(t)
  for (const [seed, kind] of PAIRS.entries()) {
    const [first, second] = await twoTenants(server, kind)
    for (const { make } of fc.sample(moves, { numRuns: 40, seed })) {
      await make(server, first)
      await make(server, second)
    }
    const before = await viewOf(server, second)
    const isPartition = first.partition !== 'default'
    const name = isPartition ? first.partition : first.namespace
    const path = `/v1/${isPartition ? 'partition' : 'namespace'}/${name}`
    await call(server, 'DELETE', path)
    await waitUntilDeleted(server, path)
    t.deepEqual(withoutLists(await viewOf(server, second)), withoutLists(before))
    const state = JSON.stringify(factsOf(server.app.views))
    t.false(state.includes(`"${name}"`), `something of ${name} is left`)
    t.is((await asTenant(server, first, 'GET', '/v1/kv/k0')).status, 403)
    if (isPartition) await call(server, 'PUT', '/v1/partition', { Name: name })
    if (first.namespace !== 'default')
      await call(server, 'PUT', `/v1/namespace?partition=${first.partition}`, { Name: first.namespace })
    const left = async (list: string) => (await call(server, 'GET', within(list, first))).length
    for (const list of ['/v1/kv/?keys', '/v1/acl/tokens', '/v1/session/list', '/v1/acl/auth-methods'])
      t.is(await left(list), 0, list)
  }
})

/** Returns the list of namespaces after a deletion. */
const withoutLists = (view: readonly string[]): readonly string[] =>
  view.filter(line => !line.startsWith('/v1/namespaces '))
