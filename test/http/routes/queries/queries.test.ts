// Prepared queries over HTTP: what clients see (spec: queries.md, decisions.md 6, 7, 9).
import test from 'ava'
import { register } from '../../../support/dns.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'

interface Created {
  readonly ID: string
}

const create = async (server: TestServer, body: object): Promise<string> => {
  const { status, text } = await server.send('POST', '/v1/query', { body })
  if (status !== 200) throw new Error(text)
  const created: Created = JSON.parse(text)
  return created.ID
}

const get = async (server: TestServer, path: string, headers: Record<string, string> = {}) => {
  const { status, text, headers: got } = await server.send('GET', path, { headers })
  return { status, text, headers: got, body: status === 200 ? JSON.parse(text) : undefined }
}

const three = async (server: TestServer): Promise<void> => {
  await register(
    server,
    'n1',
    '10.0.0.1',
    { Service: 'web', Port: 1, Tags: ['a', 'V1'] },
    { NodeMeta: { rack: 'r1' } }
  )
  await register(
    server,
    'n2',
    '10.0.0.2',
    { Service: 'web', Port: 2, Tags: ['b'] },
    { NodeMeta: { rack: 'r2' } }
  )
  await register(
    server,
    'n3',
    '10.0.0.3',
    { Service: 'web', Port: 3, Meta: { v: '2' } },
    {
      Check: { Node: 'n3', CheckID: 'c', Name: 'c', ServiceID: 'web', Status: 'warning' }
    }
  )
}

const nodesOf = (body: { readonly Nodes: readonly { readonly Node: { readonly Node: string } }[] }) =>
  body.Nodes.map(({ Node }) => Node.Node).toSorted()

test('what is read can be written back, by POST and by PUT', async t => {
  const server = await serverInProcess(t)
  const id = await create(server, {
    Name: 'q',
    Token: 'x',
    Service: { Service: 'web' },
    DNS: { TTL: '+5ms' }
  })
  const [query] = (await get(server, `/v1/query/${id}`)).body
  t.deepEqual(query.RaftIndex, { CreateIndex: query.CreateIndex, ModifyIndex: query.ModifyIndex })
  t.is(query.DNS.TTL, '+5ms')
  t.is(query.Token, 'x')
  const { status, text } = await server.send('PUT', `/v1/query/${id.toUpperCase()}`, {
    body: { ...query, Name: 'r' }
  })
  t.deepEqual([status, text], [200, ''])
  t.is((await get(server, `/v1/query/${id}`)).body[0].Name, 'r')
  t.is(
    (await server.send('PUT', '/v1/query', { body: { Name: 'p', Service: { Service: 'web' } } })).status,
    200
  )
})

test('fields of newer servers are taken when they are empty, and refused when they are not', async t => {
  const server = await serverInProcess(t)
  const service = {
    Service: 'web',
    Failover: { Targets: null, Datacenters: [], SkipLocalDatacenter: false },
    Peer: '',
    SamenessGroup: '',
    Partition: ''
  }
  await create(server, { Name: 'q', Service: { ...service, SkipLocalDatacenter: false } })
  for (const one of [
    { Peer: 'x' },
    { Failover: { Targets: [{}] } },
    { Failover: { SkipLocalDatacenter: true } },
    { Partition: 'p' }
  ]) {
    const body = { Name: 'n', Service: { ...service, ...one } }
    t.is((await server.send('POST', '/v1/query', { body })).status, 400, JSON.stringify(one))
  }
})

test('an unknown field is refused by its name', async t => {
  const server = await serverInProcess(t)
  const body = { Name: 'q', Service: { Service: 'web', Bogus: 1 } }
  const { status, text } = await server.send('POST', '/v1/query', { body })
  t.is(status, 400)
  t.regex(text, /^Request decode failed: .*unknown field "Service.Bogus"/)
})

test('filters of health, tags and metadata choose instances', async t => {
  const server = await serverInProcess(t)
  await three(server)
  const found = async (service: object, parameters = ''): Promise<readonly string[]> => {
    const id = await create(server, { Name: `q${Math.random()}`, Service: { Service: 'WEB', ...service } })
    return nodesOf((await get(server, `/v1/query/${id}/execute${parameters}`)).body)
  }
  t.deepEqual(await found({}), ['n1', 'n2', 'n3'])
  t.deepEqual(await found({ OnlyPassing: true }), ['n1', 'n2'])
  t.deepEqual(await found({ OnlyPassing: true, IgnoreCheckIDs: ['c'] }), ['n1', 'n2', 'n3'])
  t.deepEqual(await found({ Tags: ['v1'] }), ['n1'])
  t.deepEqual(await found({ Tags: ['!A', '!'] }), ['n2', 'n3'])
  t.deepEqual(await found({ Tags: [''] }), [])
  t.deepEqual(await found({ NodeMeta: { rack: 'r2' } }), ['n2'])
  t.deepEqual(await found({ ServiceMeta: { v: '2' } }), ['n3'])
  t.deepEqual(await found({ ServiceMeta: { missing: '' } }), [])
  t.is((await found({}, '?limit=2')).length, 2)
})

test('an answer has TTL, datacenter and failovers at its top and in every element, and metadata twice', async t => {
  const server = await serverInProcess(t)
  await three(server)
  await create(server, { Name: 'a/b c', Service: { Service: 'web', Tags: ['b'] }, DNS: { TTL: '3s' } })
  const { body, headers } = await get(server, '/v1/query/a/b%20c/execute')
  const common = { DNS: { TTL: '3s' }, Datacenter: 'dc1', Failovers: 0 }
  t.like(body, { Service: 'web', ...common })
  const [element] = body.Nodes
  t.like(element, common)
  t.deepEqual(element.Node.Meta, { rack: 'r2' })
  t.deepEqual(element.Node.NodeMeta, element.Node.Meta)
  t.is(element.Checks, null)
  t.is(headers['x-service-index'], '1')
})

test('a change of an instance shows in the next execution', async t => {
  const server = await serverInProcess(t)
  await three(server)
  await create(server, { Name: 'q', Service: { Service: 'web', Tags: ['b'] } })
  const port = async (): Promise<number> =>
    (await get(server, '/v1/query/q/execute')).body.Nodes[0].Service.Port
  t.is(await port(), 2)
  await register(server, 'n2', '10.0.0.2', { Service: 'web', Port: 22, Tags: ['b'] })
  t.is(await port(), 22)
  const check = { Node: 'n2', CheckID: 'k', Name: 'k', Status: 'critical' }
  await server.send('PUT', '/v1/catalog/register', {
    body: { Node: 'n2', Address: '10.0.0.2', Check: check }
  })
  t.deepEqual((await get(server, '/v1/query/q/execute')).body.Nodes, [])
})

test('a cached response stays unchanged until it is refreshed', async t => {
  const server = await serverInProcess(t)
  await three(server)
  await create(server, { Name: 'q', Service: { Service: 'web' } })
  const first = await get(server, '/v1/query/q/execute?cached')
  t.is(first.headers['x-cache'], 'MISS')
  await server.send('PUT', '/v1/catalog/deregister', { body: { Node: 'n1' } })
  const second = await get(server, '/v1/query/q/execute?cached')
  t.is(second.headers['x-cache'], 'HIT')
  t.is(second.text, first.text)
  const third = await get(server, '/v1/query/q/execute?cached', { 'cache-control': 'must-revalidate' })
  t.is(third.headers['x-cache'], 'MISS')
  t.deepEqual(nodesOf(third.body), ['n2', 'n3'])
})

test('of a query with a token of its own a cached answer is given to any caller', async t => {
  const server = await serverInProcess(t)
  await three(server)
  await create(server, { Name: 'q', Token: ROOT, Service: { Service: 'web' } })
  await create(server, { Name: 'plain', Service: { Service: 'web' } })
  const token = '0c7d1ab6-6f0a-4f28-9b5c-4e1f4f9e8d11'
  for (const seen of ['MISS', 'HIT']) {
    const { status, headers } = await server.send('GET', '/v1/query/q/execute?cached', { token })
    t.deepEqual([status, headers['x-cache']], [200, seen])
  }
  t.is((await server.send('GET', '/v1/query/plain/execute?cached', { token })).status, 403)
  t.is((await server.send('GET', '/v1/query/none/execute?cached', { token })).status, 404)
})

test('reads say how consistent they are, and what answered them', async t => {
  const server = await serverInProcess(t)
  const id = await create(server, { Name: 'q', Service: { Service: 'web' } })
  for (const path of ['', `/${id}`, '/q/execute', '/q/explain'])
    for (const [parameter, level] of [
      ['', 'leader'],
      ['?stale', 'stale'],
      ['?consistent', 'consistent']
    ]) {
      const { headers } = await server.send('GET', `/v1/query${path}${parameter}`)
      t.is(headers['x-service-effective-consistency'], level, path)
      t.is(headers['x-service-query-backend'], 'blocking-query', path)
    }
})

test('an unknown token deletes nothing, not even a query that no rule is for', async t => {
  const server = await serverInProcess(t)
  const made = await server.send('PUT', '/v1/session/create', { body: { Node: 'server-1' } })
  const { ID }: Created = JSON.parse(made.text)
  const id = await create(server, { Session: ID, Service: { Service: 'web' } })
  const token = '0c7d1ab6-6f0a-4f28-9b5c-4e1f4f9e8d11'
  t.is((await server.send('DELETE', `/v1/query/${id}`, { token })).status, 403)
  t.is((await get(server, `/v1/query/${id}`)).status, 200)
  t.is((await server.send('DELETE', `/v1/query/${id}`, { token: undefined })).status, 200)
})

test('invalid parameters are reported', async t => {
  const server = await serverInProcess(t)
  await create(server, { Name: 'q', Service: { Service: 'web' } })
  for (const [parameters, text] of [
    ['limit=x', /Bad limit/],
    ['connect=maybe', /Bad connect/],
    ['wait=5', /Invalid wait time/],
    ['index=-1', /Invalid index/],
    ['stale&consistent', /conflicting semantics/]
  ] as const) {
    const { status, text: got } = await get(server, `/v1/query/q/execute?${parameters}`)
    t.is(status, 400, parameters)
    t.regex(got, text)
  }
  for (const path of ['/v1/query/none/execute', '/v1/query/none/explain', '/v1/query/none', '/v1/query/a/b'])
    t.deepEqual(await get(server, path).then(({ status, text }) => [status, text]), [404, 'Query not found'])
})

test('queries end with their session, in the same commit', async t => {
  const server = await serverInProcess(t)
  await three(server)
  const { text } = await server.send('PUT', '/v1/session/create', { body: { Node: 'n1', Checks: [] } })
  const session: Created = JSON.parse(text)
  const id = await create(server, { Session: session.ID.toUpperCase(), Service: { Service: 'web' } })
  t.is((await get(server, `/v1/query/${id}/execute`)).status, 200)
  const before = server.app.views.index
  await server.send('PUT', `/v1/session/destroy/${session.ID}`)
  t.is(server.app.views.index, before + 1)
  t.is((await get(server, `/v1/query/${id}`)).status, 404)
})

test('a list blocks until any query changes', async t => {
  const server = await serverInProcess(t)
  const id = await create(server, { Name: 'q', Service: { Service: 'web' } })
  const { headers } = await get(server, '/v1/query')
  const waiting = get(server, `/v1/query?index=${String(headers['x-service-index'])}&wait=60s`)
  await server.send('DELETE', `/v1/query/${id}`)
  t.deepEqual((await waiting).body, [])
})

test('given the query of another datacenter with a template, then its service is taken as it is', async t => {
  const server = await serverInProcess(t)
  await register(server, 'n1', '10.0.0.1', { Service: 'web', Port: 1 })
  const Template = { Type: 'name_prefix_match', Regexp: '*' }
  const body = { Query: { Service: { Service: 'web' }, Template }, Connect: false, Limit: 0 }
  const { status, text } = await server.send('POST', '/v1/internal/query', { body })
  t.is(status, 200)
  t.is(JSON.parse(text).length, 1)
})
