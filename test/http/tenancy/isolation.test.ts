// Two tenants with the same names in everything: neither sees, changes, blocks or infers anything of the other.
import test from 'ava'
import fc from 'fast-check'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { call, gone, makeNamespaces } from './support.js'

interface Step {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

interface Tenant {
  readonly namespace: string
  readonly secret: string
}

const READS = [
  '/v1/kv/?recurse',
  '/v1/kv/?keys',
  '/v1/kv/k0',
  '/v1/acl/policies',
  '/v1/acl/policy/name/p0',
  '/v1/acl/roles',
  '/v1/acl/role/name/r0',
  '/v1/acl/tokens',
  '/v1/acl/token/self',
  '/v1/acl/auth-methods',
  '/v1/acl/binding-rules',
  '/v1/session/list',
  '/v1/session/node/n',
  '/v1/catalog/services',
  '/v1/catalog/service/web',
  '/v1/health/service/web',
  '/v1/health/checks/web',
  '/v1/health/state/any',
  '/v1/config/service-defaults',
  '/v1/config/service-defaults/web',
  '/v1/discovery-chain/web'
] as const

const put = (path: string, body?: unknown): Step => ({ method: 'PUT', path, body })
const remove = (path: string): Step => ({ method: 'DELETE', path })
const service = { ID: 'web', Service: 'web', Port: 80 }
const check = { CheckID: 'c', Name: 'c', ServiceID: 'web', Status: 'passing' }
const node = { Node: 'n', Address: '10.0.0.1' }

/** Everything a tenant does; both use the same names. */
const steps = fc.oneof(
  fc.nat(2).map(i => put(`/v1/kv/k${i}`, { at: i })),
  fc.nat(2).map(i => remove(`/v1/kv/k${i}`)),
  fc.constant(remove('/v1/kv/?recurse')),
  fc.nat(1).map(i => put('/v1/acl/policy', { Name: `p${i}`, Rules: 'key_prefix "" { policy = "read" }' })),
  fc.nat(1).map(i => put('/v1/acl/role', { Name: `r${i}`, Policies: [{ Name: 'p0' }] })),
  fc.constant(put('/v1/acl/token', { Policies: [{ Name: 'p0' }] })),
  fc.constant(put('/v1/session/create', { Node: 'n', Checks: [], TTL: '1h' })),
  fc.constant(put('/v1/catalog/register', { ...node, Service: service, Check: check })),
  fc.constant(put('/v1/catalog/deregister', { Node: 'n', ServiceID: 'web' })),
  fc
    .constantFrom('http', 'tcp')
    .map(Protocol => put('/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol })),
  fc.constant(remove('/v1/config/service-defaults/web')),
  fc.nat(2).map(i => put('/v1/txn', [{ KV: { Verb: 'set', Key: `k${i}`, Value: 'dg==' } }]))
)

const send = (server: TestServer, { secret }: Tenant, { method, path, body }: Step) =>
  server.send(method, path, { token: secret, body })

/** All that a tenant can learn: statuses, bodies and indexes. */
const viewOf = async (server: TestServer, tenant: Tenant): Promise<readonly string[]> => {
  const view: string[] = []
  for (const path of READS) {
    const { status, text, headers } = await send(server, tenant, { method: 'GET', path })
    view.push(`${path} ${status} ${String(headers['x-service-index'])} ${text}`)
  }
  return view
}

const settle = async (server: TestServer, namespace: string): Promise<Tenant> => {
  await makeNamespaces(server, namespace)
  const body = { Policies: [{ Name: 'namespace-management' }] }
  const { SecretID } = await call(server, 'PUT', `/v1/acl/token?ns=${namespace}`, body)
  return { namespace, secret: SecretID }
}

let pairs = 0
const twoTenants = async (server: TestServer): Promise<readonly [Tenant, Tenant]> => {
  const pair = ++pairs
  return [await settle(server, `a-${pair}`), await settle(server, `b-${pair}`)]
}

const serverWithNode = async (t: Parameters<typeof serverInProcess>[0]): Promise<TestServer> => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/catalog/register', node)
  return server
}

test('what one tenant does changes nothing that the other can learn, indexes and errors included', async t => {
  const server = await serverWithNode(t)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(1), steps), { maxLength: 12 }), async history => {
      const tenants = await twoTenants(server)
      for (const [who, step] of history) {
        const [actor, other] = who === 0 ? tenants : [tenants[1], tenants[0]]
        const before = await viewOf(server, other)
        const { status } = await send(server, actor, step)
        t.true(status < 500, `${step.method} ${step.path}: ${status}`)
        t.deepEqual(await viewOf(server, other), before)
      }
    }),
    { numRuns: 12 }
  )
})

test('the same history gives both tenants the same statuses: nobody meets the names of the other', async t => {
  const server = await serverWithNode(t)
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 10 }), async history => {
      const [first, second] = await twoTenants(server)
      const statuses = async (tenant: Tenant) => {
        const all: number[] = []
        for (const step of history) all.push((await send(server, tenant, step)).status)
        return all
      }
      t.deepEqual(await statuses(second), await statuses(first))
    }),
    { numRuns: 10 }
  )
})

test('no step reaches into the namespace of the other', async t => {
  const server = await serverWithNode(t)
  await fc.assert(
    fc.asyncProperty(steps, async ({ method, path, body }) => {
      const [actor, other] = await twoTenants(server)
      const at = `${path}${path.includes('?') ? '&' : '?'}ns=${other.namespace}`
      const before = await viewOf(server, other)
      const { status } = await send(server, actor, { method, path: at, body })
      t.true(status === 403 || status === 404 || status === 409, `${method} ${at}: ${status}`)
      t.deepEqual(await viewOf(server, other), before)
    }),
    { numRuns: 25 }
  )
})

test('waiting reads of one tenant are not woken by the other', async t => {
  const server = await serverWithNode(t)
  const [actor, waiting] = await twoTenants(server)
  const aborting = new AbortController()
  const woken: string[] = []
  for (const path of READS) {
    const { status, headers } = await send(server, waiting, { method: 'GET', path })
    const index = headers['x-service-index']
    if (status !== 200 || path === '/v1/acl/token/self') continue
    const url = `${server.base}${path}${path.includes('?') ? '&' : '?'}index=${String(index)}&wait=1m`
    fetch(url, { headers: { 'x-service-token': waiting.secret }, signal: aborting.signal }).then(
      () => woken.push(path),
      () => undefined
    )
  }
  for (const step of fc.sample(steps, { numRuns: 60, seed: 1 })) await send(server, actor, step)
  t.deepEqual(woken, [])
  aborting.abort()
})

test('the deletion of one tenant leaves the other as it was, and nothing of the first', async t => {
  const server = await serverWithNode(t)
  for (const seed of [1, 2, 3]) {
    const [first, second] = await twoTenants(server)
    for (const step of fc.sample(steps, { numRuns: 30, seed })) {
      await send(server, first, step)
      await send(server, second, step)
    }
    const before = await viewOf(server, second)
    await call(server, 'DELETE', `/v1/namespace/${first.namespace}`)
    await gone(server, `/v1/namespace/${first.namespace}`)
    t.deepEqual(await viewOf(server, second), before)
    const state = JSON.stringify([...server.app.views.dump()].filter(row => !isIndexOfSpace(row)))
    t.false(state.includes(`"${first.namespace}"`), `something of ${first.namespace} is left`)
    t.is((await send(server, first, { method: 'GET', path: '/v1/kv/k0' })).status, 403)
    await makeNamespaces(server, first.namespace)
    t.deepEqual(await call(server, 'GET', `/v1/kv/?keys&ns=${first.namespace}`), [])
    t.is((await call(server, 'GET', `/v1/acl/tokens?ns=${first.namespace}`)).length, 0)
  }
})

/** Indexes of namespaces outlive them, so that they never go back when one is made anew. */
const isIndexOfSpace = (row: unknown): boolean => Array.isArray(row) && typeof row[0] === 'string'
