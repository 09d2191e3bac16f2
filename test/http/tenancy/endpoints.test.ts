// For each endpoint: whether it accepts a namespace, from where, and whether `*` (spec: tenancy.md §5.1, §7).
import test from 'ava'
import { NAMESPACE_MANAGEMENT_RULES } from '../../../projections/acl/rules/builtin.js'
import { readDenial } from '../../../http/wire/denial.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import type { Scope } from '../../support/process.js'
import { DENIABLE, IGNORING, READS, RULE, type Row, type EndpointResources } from './endpoint-table.js'
import { call, makeNamespaces, tenant } from './support.js'
import { METHOD } from './tenants.js'

/** Namespaces in the token, the query, the header and the body. */
const SPACES = ['of-token', 'of-query', 'of-header', 'of-body'] as const
type Space = (typeof SPACES)[number]

interface World {
  readonly server: TestServer
  readonly resources: Readonly<Record<Space, EndpointResources>>
  /** Tokens of `of-token` with every permission, and with none. */
  readonly strong: string
  readonly weak: string
}

const seed = async (server: TestServer, space: Space): Promise<EndpointResources> => {
  const make = (path: string, body?: unknown) =>
    call(server, 'PUT', `${path}${path.includes('?') ? '&' : '?'}ns=${space}`, body)
  const policy = await make('/v1/acl/policy', { Name: 'p' })
  const links = { Policies: [{ Name: 'p' }] }
  const role = await make('/v1/acl/role', { Name: 'r', ...links })
  const token = await make('/v1/acl/token', links)
  await make('/v1/acl/auth-method', METHOD)
  const rule = await make('/v1/acl/binding-rule', RULE)
  await make('/v1/kv/k', space)
  await make(`/v1/kv/only-${space}`, space)
  const session = await make('/v1/session/create', { Node: 'server-1', Checks: [] })
  const services = [
    { Name: 'web', Check: { CheckID: 'c', TTL: '1h' } },
    { Name: `only-${space}` },
    { Name: 'proxy', Kind: 'connect-proxy', Port: 1, Proxy: { DestinationServiceName: 'web' } },
    { Name: 'gw', Kind: 'ingress-gateway', Port: 2 }
  ]
  for (const service of services) await make('/v1/agent/service/register', service)
  await make('/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'tcp' })
  const Listeners = [{ Port: 80, Protocol: 'tcp', Services: [{ Name: 'web' }] }]
  await make('/v1/config', { Kind: 'ingress-gateway', Name: 'gw', Listeners })
  await make('/v1/connect/intentions/exact?source=api&destination=web', { Action: 'allow' })
  return { token: token.AccessorID, policy: policy.ID, role: role.ID, rule: rule.ID, session: session.ID }
}

const setUp = async (t: Scope): Promise<World> => {
  const server = await serverInProcess(t)
  await makeNamespaces(server, ...SPACES)
  const resources = {
    'of-token': await seed(server, 'of-token'),
    'of-query': await seed(server, 'of-query'),
    'of-header': await seed(server, 'of-header'),
    'of-body': await seed(server, 'of-body')
  }
  const strong = await tenant(server, 'of-token', NAMESPACE_MANAGEMENT_RULES, 'all')
  return { server, resources, strong, weak: await tenant(server, 'of-token', '', 'nothing') }
}

interface Naming {
  readonly title: string
  readonly query?: string
  readonly header?: Space
  readonly inBody?: true
  readonly means: Space
}

const NAMINGS: readonly Naming[] = [
  { title: 'the token', means: 'of-token' },
  { title: 'the header', header: 'of-header', means: 'of-header' },
  { title: 'the parameter', query: 'ns=of-query', means: 'of-query' },
  { title: 'the long parameter', query: 'namespace=of-query', means: 'of-query' },
  { title: 'in capitals', query: 'ns=OF-Query', means: 'of-query' },
  { title: 'an empty parameter', query: 'ns=', header: 'of-header', means: 'of-header' },
  {
    title: 'the short parameter before the long one',
    query: 'namespace=of-body&ns=of-query',
    means: 'of-query'
  },
  { title: 'the parameter before the header', query: 'ns=of-query', header: 'of-header', means: 'of-query' },
  { title: 'the body', query: 'ns=of-query', header: 'of-header', inBody: true, means: 'of-body' }
]

const pathOf = ({ path }: Row, resources: EndpointResources): string =>
  typeof path === 'string' ? path : path(resources)
const titleOf = (row: Row): string =>
  `${row.method} ${pathOf(row, { token: ':id', policy: ':id', role: ':id', rule: ':id', session: ':id' })}`

/** @param naming query and header; `at` selects the tenant whose resources the path names */
const send = (
  { server, resources }: World,
  row: Row,
  at: Space,
  token: string,
  naming: { readonly query?: string; readonly header?: string; readonly inBody?: true | string }
) => {
  const path = pathOf(row, resources[at])
  const { query, header, inBody } = naming
  const url = query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
  const body = inBody && row.bodyIn ? row.bodyIn(inBody === true ? 'of-body' : inBody) : row.body
  const headers = header === undefined ? {} : { 'x-service-namespace': header }
  return server.send(row.method, url, { token, body, headers })
}

/** Returns the namespaces in a response. */
const shownIn = (text: string): readonly string[] =>
  SPACES.filter(space => text.includes(`"${space}"`) || text.includes(`"only-${space}"`))

test('reads show the namespace of the parameter, the header, or the token', async t => {
  const world = await setUp(t)
  for (const row of READS)
    for (const naming of NAMINGS.filter(one => !one.inBody)) {
      const token = naming.means === 'of-token' ? world.strong : ROOT
      const { status, text } = await send(world, row, naming.means, token, naming)
      t.true([200, 429, 503].includes(status), `${titleOf(row)} by ${naming.title}: ${status} ${text}`)
      const shown = shownIn(text)
      t.deepEqual(
        shown.length === 0 ? textOnly(row, text) : shown,
        [naming.means],
        `${titleOf(row)} by ${naming.title}`
      )
    }
})

/** For reads without namespaces in their response, identified by a value. */
const textOnly = (row: Row, text: string): readonly string[] =>
  SPACES.filter(space => text.includes(Buffer.from(space).toString('base64')) && row.path === '/v1/kv/k')

test('writes act in the namespace of the body where it counts, the parameter, the header, or the token', async t => {
  const world = await setUp(t)
  for (const row of DENIABLE)
    for (const naming of NAMINGS) {
      const means = naming.inBody && !row.bodyIn ? 'of-query' : naming.means
      const { status, text } = await send(world, row, means, world.weak, naming)
      // A transaction is rejected as a whole, naming the operation and its missing permission.
      const isTransaction = row.path === '/v1/txn'
      t.is(status, isTransaction ? 409 : 403, `${titleOf(row)} by ${naming.title}: ${text}`)
      const said = isTransaction ? JSON.parse(text).Errors[0].What : text
      t.is(readDenial(said)?.tenancy.namespace, means, `${titleOf(row)} by ${naming.title}: ${text}`)
    }
})

test('`*` is taken where it may be, refused elsewhere, and what lists with it says the namespace of everything', async t => {
  const world = await setUp(t)
  for (const row of [...READS, ...DENIABLE]) {
    const { status, text } = await send(world, row, 'of-query', ROOT, { query: 'ns=*' })
    const isTaken = row.takes === 'many'
    t.is(status, isTaken ? 200 : 400, `${titleOf(row)}: ${text}`)
    if (!isTaken) t.regex(text, /namespace "\*"|service-defaults/, titleOf(row))
    const isList = typeof row.path === 'string' && isTaken
    if (isList) t.deepEqual(shownIn(text), [...SPACES], titleOf(row))
    const byHeader = await send(world, row, 'of-query', ROOT, { header: '*' })
    t.is(byHeader.status, status, `${titleOf(row)} by the header`)
    if (row.bodyIn) {
      const inBody = await send(world, row, 'of-query', ROOT, { inBody: '*' })
      t.is(inBody.status, 400, `${titleOf(row)} in the body: ${inBody.text}`)
    }
  }
})

test('what cannot be a name is refused in parameter and header, also where another name counts', async t => {
  const world = await setUp(t)
  for (const row of [...READS, ...DENIABLE])
    for (const naming of [
      { query: 'ns=a_b' },
      { query: 'namespace=a_b' },
      { header: 'a_b' },
      { query: 'ns=of-query', header: 'a_b' },
      { query: 'ns=of-query&namespace=a_b' },
      { query: 'partition=a_b&ns=of-query' },
      { query: 'partition=*&ns=of-query' },
      { query: 'ns=a_b', inBody: true }
    ] as const) {
      const { status, text } = await send(world, row, 'of-query', ROOT, naming)
      t.is(status, 400, `${titleOf(row)} ${JSON.stringify(naming)}: ${text}`)
      t.regex(text, /Invalid (namespace|partition) "(a_b|\*)"/, `${titleOf(row)} ${JSON.stringify(naming)}`)
    }
})

test('what has no namespace ignores parameter and header', async t => {
  const world = await setUp(t)
  for (const row of IGNORING) {
    const statuses: number[] = []
    for (const naming of [
      {},
      { query: 'ns=of-query' },
      { query: 'ns=*' },
      { query: 'ns=a_b' },
      { header: 'a_b' }
    ])
      statuses.push((await send(world, row, 'of-query', ROOT, naming)).status)
    const [plain = 0, ...others] = statuses
    const isMadeOnce = row.path === '/v1/query' && row.method === 'POST'
    t.deepEqual(
      others,
      others.map(() => (isMadeOnce ? 400 : plain)),
      titleOf(row)
    )
  }
})

test('an element of authorize is about its own namespace, never that of the request or its token', async t => {
  const { server, strong } = await setUp(t)
  const ask = (more: object) => ({ Resource: 'key', Segment: 'k', Access: 'write', ...more })
  const body = [
    ask({}),
    ask({ Namespace: 'of-token' }),
    ask({ Namespace: 'of-query' }),
    ask({ Partition: 'p' })
  ]
  const answers = await call(server, 'POST', '/v1/internal/acl/authorize?ns=of-token', body, strong)
  t.deepEqual(
    answers.map(({ Allow }: { readonly Allow: boolean }) => Allow),
    [false, true, false, false]
  )
  t.deepEqual(
    answers.map(({ Namespace, Partition }: { readonly Namespace?: string; readonly Partition?: string }) => [
      Namespace,
      Partition
    ]),
    [
      [undefined, undefined],
      ['of-token', undefined],
      ['of-query', undefined],
      [undefined, 'p']
    ]
  )
})

test('a prepared query is in no namespace; the service that it finds is where the query says', async t => {
  const { server } = await setUp(t)
  const make = async (Name: string, Namespace?: string) =>
    (
      await call(server, 'POST', '/v1/query?ns=of-query', {
        Name,
        Service: { Service: 'only-of-header', Namespace }
      })
    ).ID
  await make('here')
  await make('there', 'of-header')
  const run = (name: string) => call(server, 'GET', `/v1/query/${name}/execute?ns=of-query`)
  const [here, there] = [await run('here'), await run('there')]
  t.deepEqual([here.Namespace, here.Nodes.length], [undefined, 0])
  t.deepEqual([there.Namespace, there.Nodes.length], ['of-header', 1])
})

test('an entry for all namespaces is written, read and deleted with `*`, of intentions alone', async t => {
  const server = await serverInProcess(t)
  const entry = { Kind: 'service-intentions', Name: '*', Sources: [{ Name: '*', Action: 'deny' }] }
  await call(server, 'PUT', '/v1/config?ns=*', entry)
  t.is((await call(server, 'GET', '/v1/config/service-intentions/*?ns=*')).Namespace, '*')
  t.is((await server.send('GET', '/v1/config/service-intentions/*')).status, 404)
  await call(server, 'DELETE', '/v1/config/service-intentions/*?ns=*')
  t.is((await server.send('GET', '/v1/config/service-intentions/*?ns=*')).status, 404)
})

test('a registration names one namespace, wherever it does', async t => {
  const { server } = await setUp(t)
  const register = async (query: string, service: string | undefined, check: string | undefined) => {
    const body = {
      Node: 'server-1',
      SkipNodeUpdate: true,
      Service: { ID: 'new', Service: 'new', Namespace: service },
      Checks: [{ CheckID: 'new', Name: 'new', ServiceID: 'new', Namespace: check }]
    }
    return (await server.send('PUT', `/v1/catalog/register${query}`, { body })).status
  }
  t.is(await register('?ns=of-query', 'of-query', 'of-query'), 200)
  t.is(await register('', 'of-body', undefined), 200)
  t.is(await register('', undefined, 'of-body'), 200)
  for (const [query, service, check] of [
    ['?ns=of-query', 'of-body', undefined],
    ['?ns=of-query', undefined, 'of-body'],
    ['', 'of-query', 'of-body']
  ] as const)
    t.is(await register(query, service, check), 400, `${query} ${service} ${check}`)
  t.is((await call(server, 'GET', '/v1/catalog/service/new?ns=of-body')).length, 1)
  t.deepEqual(await call(server, 'GET', '/v1/catalog/service/new'), [])
})

test('the agent is in the default partition: others find nothing of it and register nothing', async t => {
  const { server } = await setUp(t)
  await call(server, 'PUT', '/v1/agent/service/register', { Name: 'web', Check: { CheckID: 'c', TTL: '1h' } })
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  await call(server, 'PUT', '/v1/acl/policy?partition=p', { Name: 'all', Rules: NAMESPACE_MANAGEMENT_RULES })
  const links = { Policies: [{ Name: 'all' }] }
  const { SecretID: token } = await call(server, 'PUT', '/v1/acl/token?partition=p', links)
  t.deepEqual(await call(server, 'GET', '/v1/agent/services', undefined, token), {})
  t.deepEqual(await call(server, 'GET', '/v1/agent/checks', undefined, token), {})
  for (const path of ['service/web', 'health/service/id/web', 'health/service/name/web'])
    t.is((await server.send('GET', `/v1/agent/${path}`, { token })).status, 404, path)
  for (const path of ['service/register', 'check/register']) {
    const body = { Name: 'x', ...(path === 'check/register' ? { TTL: '1h' } : {}) }
    const { status, text } = await server.send('PUT', `/v1/agent/${path}?partition=p`, { body })
    t.is(status, 400, path)
    t.regex(text, /partition "p"/)
  }
})
