// Cached lists equal lists that are created again, whatever has changed meanwhile.
import fc from 'fast-check'
import test from 'ava'
import type { TestResponse } from '../../support/client.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { createPolicy, createToken } from '../support.js'
import { runs } from '../../support/property-runs.js'

/** Lists, and a parameter that changes nothing but is not cached. */
const LISTS: readonly (readonly [path: string, uncached: string])[] = [
  ['/v1/kv/?recurse', 'limit=1000'],
  ['/v1/kv/a?recurse', 'limit=1000'],
  ['/v1/kv/a?recurse&ns=other', 'limit=1000'],
  ['/v1/kv/?recurse&ns=*', 'limit=1000'],
  ['/v1/kv/?keys', 'limit=1000'],
  ['/v1/kv/?keys&separator=/', 'limit=1000'],
  ['/v1/kv/a?keys&separator=/', 'limit=1000'],
  ['/v1/health/service/web', 'filter='],
  ['/v1/health/service/web?ns=other', 'filter='],
  ['/v1/health/connect/web', 'filter='],
  ['/v1/catalog/service/web', 'filter='],
  ['/v1/catalog/nodes', 'filter='],
  ['/v1/catalog/services', 'limit=1000']
]

interface Change {
  readonly method: 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object | string
}

/** Long, so that lists of a few keys are cached. */
const VALUE = 'v'.repeat(3000)
const TENANCIES = ['', '?ns=other']
const small = fc.integer({ min: 0, max: 2 })
const tenancy = fc.constantFrom(...TENANCIES)
const key = fc.constantFrom('a/1', 'a/2', 'a/b/3', 'ab', 'b/1', 'b/c/2')
const node = fc.constantFrom('n', 'm')
const status = fc.constantFrom('passing', 'warning', 'critical')
const namespaceOf = (where: string): string => (where === '' ? 'default' : 'other')

const RULES = [
  '',
  'key_prefix "a" { policy = "read" } service_prefix "" { policy = "read" } node_prefix "" { policy = "read" }',
  'key_prefix "" { policy = "read" } service "web" { policy = "write" } node "n" { policy = "read" }'
]

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ key, tenancy, small }).map((one): Change => ({
    method: 'PUT',
    path: `/v1/kv/${one.key}${one.tenancy}`,
    body: `${one.small}${VALUE}`
  })),
  fc.record({ key, tenancy }).map((one): Change => ({
    method: 'DELETE',
    path: `/v1/kv/${one.key}${one.tenancy}`
  })),
  fc
    .constantFrom('a/', 'b')
    .map((prefix): Change => ({ method: 'DELETE', path: `/v1/kv/${prefix}?recurse` })),
  fc.record({ node, status, tenancy, small }).map((one): Change => {
    const Namespace = namespaceOf(one.tenancy)
    const Service = {
      Service: 'web',
      Port: 80,
      Tags: [`t${one.small}`],
      Namespace,
      Connect: { Native: true }
    }
    const Check = { Name: 'c', ServiceID: 'web', Status: one.status, Namespace }
    const body = { Node: one.node, Address: `10.0.0.${one.small}`, Service, Check }
    return { method: 'PUT', path: '/v1/catalog/register', body }
  }),
  fc.record({ node, status, small }).map((one): Change => ({
    method: 'PUT',
    path: '/v1/catalog/register',
    body: {
      Node: one.node,
      Address: '10.0.0.1',
      NodeMeta: { rack: String(one.small) },
      Check: { Name: 'of the node', Status: one.status }
    }
  })),
  fc
    .record({ node, what: fc.constantFrom({ ServiceID: 'web' }, { CheckID: 'c' }, {}) })
    .map((one): Change => ({
      method: 'PUT',
      path: '/v1/catalog/deregister',
      body: { Node: one.node, ...one.what }
    })),
  fc.constantFrom('allow', 'deny').map((Action): Change => ({
    method: 'PUT',
    path: '/v1/connect/intentions/exact?source=api&destination=web',
    body: { Action }
  })),
  fc
    .constantFrom<Change['method']>('PUT', 'DELETE')
    .map((method): Change => ({ method, path: '/v1/namespace/other', body: { Name: 'other' } })),
  fc
    .constantFrom(...RULES)
    .map((Rules): Change => ({ method: 'PUT', path: 'POLICY', body: { Name: 'reader', Rules } }))
)

const withParameter = (path: string, parameter: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${parameter}`

/** The parts of an answer that its caller sees. */
const seenOf = ({ status: code, text, headers }: TestResponse): readonly unknown[] => [
  code,
  code === 200 ? text : '',
  headers['x-service-results-filtered-by-acls']
]

interface Caller {
  readonly server: TestServer
  readonly token: string | undefined
}

const check = async (
  t: { is: (a: unknown, b: unknown, text?: string) => void },
  { server, token }: Caller
) => {
  const options = token === undefined ? {} : { token }
  for (const [path, uncached] of LISTS) {
    const fresh = seenOf(await server.send('GET', withParameter(path, uncached), options))
    for (let time = 0; time < 2; time++) {
      const cached = seenOf(await server.send('GET', path, options))
      t.is(JSON.stringify(cached), JSON.stringify(fresh), path)
    }
  }
}

test('cached lists equal fresh ones after each change of keys, services, nodes, checks, intentions, namespaces and permissions', async t => {
  const server = await serverInProcess(t)
  const policy = await createPolicy(server, 'reader', '')
  const { SecretID: token } = await createToken(server, { Policies: [{ ID: policy }] })
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 6 }), async list => {
      for (const { method, path, body } of list) {
        await server.send(
          method,
          path === 'POLICY' ? `/v1/acl/policy/${policy}` : path,
          body === undefined ? {} : { body }
        )
        await check(t, { server, token: undefined })
        await check(t, { server, token })
      }
    }),
    { numRuns: runs(25) }
  )
  t.pass()
})
