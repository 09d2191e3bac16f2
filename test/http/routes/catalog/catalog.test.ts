import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

interface Named {
  readonly Service: string
  readonly Namespace?: string
}

const register = (Node: string, Service: object) => ({ Node, Address: '10.0.0.1', Service })

test('the same service ID may stand on a node in two namespaces, and each is seen only in its own', async t => {
  const server = await serverInProcess(t)
  t.is((await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })).status, 200)
  const put = async (body: object): Promise<number> =>
    (await server.send('PUT', '/v1/catalog/register', { body })).status
  t.is(await put(register('n', { Service: 'web', Port: 1 })), 200)
  t.is(await put(register('n', { Service: 'web', Port: 2, Namespace: 'team' })), 200)
  t.is(await put(register('n', { Service: 'web', Namespace: 'missing' })), 400)
  const portOf = async (query: string): Promise<string> => {
    const { text } = await server.send('GET', `/v1/catalog/service/web${query}`)
    return /"ServicePort":(\d)/.exec(text)?.[1] ?? text
  }
  t.is(await portOf(''), '1')
  t.is(await portOf('?ns=team'), '2')
  const { text } = await server.send('GET', '/v1/catalog/node-services/n?ns=*')
  const { Services }: { readonly Services: readonly Named[] } = JSON.parse(text)
  t.deepEqual(
    Services.map(({ Namespace }) => Namespace),
    ['default', 'team']
  )
})

test('a header reports results hidden by missing permissions, but not to anonymous callers nor for filtered results', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/catalog/register', { body: register('n', { Service: 'web' }) })
  const { text } = await server.send('PUT', '/v1/acl/token', { body: {} })
  const { SecretID }: { readonly SecretID: string } = JSON.parse(text)
  const headerOf = async (query: string, token: string | undefined): Promise<unknown> => {
    const answer = await server.send('GET', `/v1/health/service/web${query}`, { token })
    t.is(answer.text, '[]')
    return answer.headers['x-service-results-filtered-by-acls']
  }
  t.is(await headerOf('', SecretID), 'true')
  t.is(await headerOf('?filter=Service.Port==9', SecretID), undefined)
  t.is(await headerOf('', undefined), undefined)
})

test('the datacenters are cached for every caller', async t => {
  const server = await serverInProcess(t)
  const seen = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await server.send('GET', `/v1/catalog/datacenters${query}`, { token: 'unknown', headers })
    return [answer.status, answer.text, answer.headers['x-cache'], answer.headers.age]
  }
  t.deepEqual(await seen(''), [200, '["dc1"]', undefined, undefined])
  t.deepEqual(await seen('?cached'), [200, '["dc1"]', 'MISS', undefined])
  t.deepEqual(await seen('?cached'), [200, '["dc1"]', 'HIT', '0'])
  t.deepEqual(await seen('?cached', { 'cache-control': 'must-revalidate' }), [
    200,
    '["dc1"]',
    'MISS',
    undefined
  ])
  t.is((await seen('?cached&consistent'))[0], 400)
  t.is((await seen('', { 'cache-control': 'max-age=x' }))[0], 400)
})

test('the root says what answers there', async t => {
  const server = await serverInProcess(t)
  t.like(await server.send('GET', '/', { token: 'unknown' }), { status: 200, text: 'Annals' })
  t.is((await server.send('GET', '/other')).status, 404)
})

test('numbers that JSON cannot hold exactly are refused wherever a whole number is asked for', async t => {
  const server = await serverInProcess(t)
  const Service = { Service: 'web', Port: 1e30 }
  const Check = { Node: 'n', CheckID: 'c', ModifyIndex: 0 }
  for (const [path, body] of [
    ['/v1/catalog/register', register('n', Service)],
    ['/v1/catalog/register', register('n', { Service: 'web', Weights: { Passing: -1e30 } })],
    ['/v1/catalog/register', register('n', { Service: 'web', TaggedAddresses: { lan: { Port: 2 ** 53 } } })],
    ['/v1/agent/service/register', { Name: 'web', Port: 1e30 }],
    ['/v1/txn', [{ Service: { Verb: 'set', Node: 'n', Service } }, { Check: { Verb: 'get', Check } }]]
  ] as const) {
    const { status, text } = await server.send('PUT', path, { body })
    t.is(status, 400, path)
    t.regex(text, /field ".*(Port|Passing)" must be [<>]= -?9007199254740991/, path)
  }
})

test('an upstream is of one service or prepared query', async t => {
  const server = await serverInProcess(t)
  const refusal = async (upstream: object): Promise<string> => {
    const Proxy = { DestinationServiceName: 'web', Upstreams: [{ LocalBindPort: 5, ...upstream }] }
    const body = register('n', { Service: 'proxy', Kind: 'connect-proxy', Port: 1, Proxy })
    return (await server.send('PUT', '/v1/catalog/register', { body })).text
  }
  t.regex(await refusal({ DestinationName: '*' }), /destination name cannot be a wildcard/)
  t.regex(await refusal({ DestinationName: 'db', DestinationType: 'odd' }), /unknown .* type: "odd"/)
  t.is(await refusal({ DestinationName: 'db', DestinationType: 'prepared_query' }), 'true')
  t.is(await refusal({ DestinationName: 'db', DestinationType: 'service' }), 'true')
})

test('a proxy exposes each path on a listener port of its own', async t => {
  const server = await serverInProcess(t)
  const refusal = async (...Paths: readonly object[]): Promise<string> => {
    const Proxy = { DestinationServiceName: 'web', Expose: { Paths } }
    const body = register('n', { Service: 'proxy', Kind: 'connect-proxy', Port: 1, Proxy })
    return (await server.send('PUT', '/v1/catalog/register', { body })).text
  }
  t.regex(await refusal({ ListenerPort: 80 }), /empty path exposed/)
  t.regex(await refusal({ Path: '/a', ListenerPort: 0 }), /invalid listener port: 0/)
  t.regex(await refusal({ Path: '/a', ListenerPort: 65_536 }), /invalid listener port: 65536/)
  t.regex(await refusal({ Path: '/a', ListenerPort: 80, Protocol: 'tcp' }), /protocol 'tcp' not supported/)
  const twice = await refusal({ Path: '/a', ListenerPort: 80 }, { Path: '/a', ListenerPort: 80 })
  t.regex(twice, /2 errors.*duplicate paths exposed: "\/a".*duplicate listener ports exposed: 80/s)
  t.is(
    await refusal({ Path: '/a', ListenerPort: 80 }, { Path: '/b', ListenerPort: 81, Protocol: 'HTTP2' }),
    'true'
  )
})

test("the server's own node comes back when it is deregistered", async t => {
  const server = await serverInProcess(t)
  const session = async (): Promise<number> => (await server.send('PUT', '/v1/session/create')).status
  t.is(await session(), 200)
  t.is((await server.send('PUT', '/v1/catalog/deregister', { body: { Node: 'SERVER-1' } })).text, 'true')
  await until('the own node is back', async () => (await session()) === 200)
  t.regex((await server.send('GET', '/v1/health/node/server-1')).text, /"CheckID":"serfHealth"/)
})
