// Whose history a caller may read: decided by permissions alone, and for each version by its own names.
import test, { type ExecutionContext } from 'ava'
import type { TestResponse } from '../../../support/client.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'

const ANY_ID = '0b0b0b0b-0000-4000-8000-00000000000f'
const NODE_ID = '0a0a0a0a-0000-4000-8000-000000000001'

const put = async (server: TestServer, path: string, body: string | object): Promise<TestResponse> => {
  const answer = await server.send('PUT', path, { body })
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status} ${answer.text}`)
  return answer
}

const idIn = ({ text }: TestResponse): string => JSON.parse(text).ID

const register = (server: TestServer, Service: object): Promise<TestResponse> =>
  put(server, '/v1/catalog/register', {
    Node: 'secret-node',
    ID: NODE_ID,
    Address: '10.0.0.1',
    Service: { ID: 'w-1', ...Service }
  })

/** What an answer says, without what differs by request. */
const said = ({ status, text, headers }: TestResponse): object => {
  const { date: _date, 'x-service-request-id': _request, ...others } = headers
  return { status, text, headers: others }
}

/** A request by a name that is there, the same by one that is not, and what is to be read for it to be a 404. */
interface Pair {
  readonly there: string
  readonly missing: string
  readonly rules: string
}

const pairsOf = async (server: TestServer): Promise<readonly Pair[]> => {
  await put(server, '/v1/kv/secret-key', 'v')
  await put(server, '/v1/config', { Kind: 'service-defaults', Name: 'secret-service', Protocol: 'http' })
  await register(server, { Service: 'secret-service' })
  await put(server, '/v1/catalog/register', {
    Node: 'secret-node',
    Address: '10.0.0.1',
    ID: NODE_ID,
    Check: { Node: 'secret-node', CheckID: 'check-1', Name: 'c', Status: 'passing', ServiceID: 'w-1' }
  })
  await put(server, '/v1/namespace', { Name: 'secret-space' })
  const policy = await createPolicy(server, 'secret-policy', '')
  const elsewhere = idIn(await put(server, '/v1/acl/policy?ns=secret-space', { Name: 'secret-elsewhere' }))
  const session = idIn(await put(server, '/v1/session/create', { Node: 'secret-node', NodeChecks: [] }))
  const query = idIn(await put(server, '/v1/query', { Name: 'secret-query', Service: { Service: 'web' } }))
  const intention = idIn(
    await server.send('POST', '/v1/connect/intentions', {
      body: { SourceName: 'secret-source', DestinationName: 'secret-service', Action: 'allow' }
    })
  )
  const acl = 'acl = "read"'
  const key = 'key_prefix "" { policy = "read" }'
  const nodes = 'node_prefix "" { policy = "read" }'
  const services = 'service_prefix "" { policy = "read" intentions = "read" }'
  const sessions = 'session_prefix "" { policy = "read" }'
  const queries = 'query_prefix "" { policy = "read" }'
  const operator = 'operator = "read"'
  const byKey = (topic: string, there: string, missing: string, rules: string): Pair => ({
    there: `/v1/event/history?topic=${topic}&key=${there}`,
    missing: `/v1/event/history?topic=${topic}&key=${missing}`,
    rules
  })
  const byPath = (there: string, missing: string, rules: string): Pair => ({
    there: `/v1/history/${there}`,
    missing: `/v1/history/${missing}`,
    rules
  })
  return [
    byKey('KV', 'secret-key', 'secret-kex', key),
    byKey('ACLPolicy', policy, ANY_ID, acl),
    byKey('ConfigEntry', 'service-defaults/secret-service', 'service-defaults/secret-servicx', services),
    byKey('Node', NODE_ID, ANY_ID, nodes),
    byKey('Service', 'w-1', 'w-2', services),
    byKey('Check', 'check-1', 'check-2', `${nodes}\n${services}`),
    byKey('Session', session, ANY_ID, sessions),
    byKey('PreparedQuery', query, ANY_ID, queries),
    byKey('Namespace', 'secret-space', 'secret-spacx', operator),
    byPath('kv/secret-key', 'kv/secret-kex', key),
    byPath(`acl/policy/${policy}`, `acl/policy/${ANY_ID}`, acl),
    byPath(`acl/policy/${elsewhere}`, `acl/policy/${ANY_ID}`, acl),
    byPath('acl/policy/name/secret-policy', 'acl/policy/name/secret-policx', acl),
    byPath('catalog/node/secret-node', 'catalog/node/secret-nodx', nodes),
    byPath(`session/info/${session}`, `session/info/${ANY_ID}`, sessions),
    byPath(`query/${query}`, `query/${ANY_ID}`, queries),
    byPath(`connect/intentions/${intention}`, `connect/intentions/${ANY_ID}`, services),
    byPath('namespace/secret-space', 'namespace/secret-spacx', operator)
  ]
}

/** Texts in which the name of the request, which the caller knows, says nothing. */
const withoutAsked = (answer: object, { there, missing }: Pick<Pair, 'there' | 'missing'>): string => {
  const asked = (path: string): string => path.replace(/^.*(=|\/)/, '')
  return JSON.stringify(answer).replaceAll(asked(there), '…').replaceAll(asked(missing), '…')
}

test('a forbidden resource and a missing one have the same history, byte for byte', async t => {
  const server = await serverInProcess(t)
  const pairs = await pairsOf(server)
  const other = await secretWith(
    server,
    'other',
    ['key', 'node', 'service', 'session', 'query']
      .map(kind => `${kind} "other" { policy = "read" }`)
      .join('\n')
  )
  for (const pair of pairs)
    for (const token of [undefined, other]) {
      const answers = [pair.there, pair.missing].map(path => server.send('GET', path, { token }))
      const [there, missing] = (await Promise.all(answers)).map(said)
      t.like(there, { status: 403 }, pair.there)
      t.is(withoutAsked(there ?? {}, pair), withoutAsked(missing ?? {}, pair), pair.there)
      const names = withoutAsked(there ?? {}, pair).match(/secret[a-z-]*/g)
      t.is(names, null, `${pair.there}: ${JSON.stringify(there)}`)
    }
})

test('with read on all resources of a kind, a missing one is a 404', async t => {
  const server = await serverInProcess(t)
  for (const [i, pair] of (await pairsOf(server)).entries()) {
    const token = await secretWith(server, `kind-${i}`, pair.rules)
    t.is((await server.send('GET', pair.missing, { token })).status, 404, pair.missing)
  }
})

test('with read on the node that the request names, a missing node is a 404', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'mine', 'node "mine" { policy = "read" }')
  t.is((await server.send('GET', '/v1/history/catalog/node/mine', { token })).status, 404)
  t.is((await server.send('GET', '/v1/history/catalog/node/other', { token })).status, 403)
})

test('a resource of the ACL system in another namespace is missing, in whatever letter case its ID is', async t => {
  const server = await serverInProcess(t)
  await put(server, '/v1/namespace', { Name: 'team' })
  const policy = idIn(await put(server, '/v1/acl/policy?ns=team', { Name: 'secret-policy' }))
  const { AccessorID } = JSON.parse((await put(server, '/v1/acl/token?ns=team', {})).text)
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  for (const [kind, id] of [
    ['policy', policy],
    ['token', AccessorID]
  ])
    for (const spell of [(text: string) => text, (text: string) => text.toUpperCase()]) {
      const pair = {
        there: `/v1/history/acl/${kind}/${spell(id)}`,
        missing: `/v1/history/acl/${kind}/${spell(ANY_ID)}`
      }
      const [there, missing] = (
        await Promise.all([pair.there, pair.missing].map(path => server.send('GET', path, { token: reader })))
      ).map(said)
      t.like(there, { status: 404 })
      t.is(withoutAsked(there ?? {}, pair), withoutAsked(missing ?? {}, pair))
      t.is((await server.send('GET', pair.there)).status, 200)
    }
})

test('a wait for the history of a forbidden resource ends at once, like that for a missing one', async t => {
  const server = await serverInProcess(t)
  const [pair] = await pairsOf(server)
  for (const path of [pair?.there, pair?.missing])
    t.is((await server.send('GET', `${path}&index=100000&wait=10m`, { token: undefined })).status, 403)
})

test('a revert of a forbidden resource is refused like that of a missing one', async t => {
  const server = await serverInProcess(t)
  await pairsOf(server)
  const token = await secretWith(server, 'other', 'node_prefix "" { policy = "read" }')
  const pairs = [
    ['topic=KV&key=secret-key', 'topic=KV&key=secret-kex'],
    ['topic=Service&key=w-1&node=secret-node', 'topic=Service&key=w-2&node=secret-node'],
    ['topic=Check&key=check-1&node=secret-node', 'topic=Check&key=check-2&node=secret-node'],
    ['topic=Node&key=secret-key', `topic=Node&key=${ANY_ID}`]
  ] as const
  for (const pair of pairs.slice(0, 3))
    for (const to of ['1', '100000']) {
      const [there, missing] = (
        await Promise.all(
          pair.map(query => server.send('PUT', `/v1/event/revert?${query}&to=${to}&dry-run`, { token }))
        )
      ).map(said)
      t.like(there, { status: 403 })
      t.is(
        JSON.stringify(there).replaceAll(/secret-key|w-1|check-1/g, '…'),
        JSON.stringify(missing).replaceAll(/secret-kex|w-2|check-2/g, '…')
      )
      t.false(JSON.stringify(there).includes('secret-service'))
    }
  // Where the instance runs is of the node.
  const services = await secretWith(server, 'services', 'service_prefix "" { policy = "write" }')
  for (const node of ['secret-node', 'no-node']) {
    const query = `topic=Service&key=w-1&node=${node}&to=1&dry-run`
    const { status, text } = await server.send('PUT', `/v1/event/revert?${query}`, { token: services })
    t.is(status, 403)
    t.regex(text, new RegExp(`lacks permission 'node:read' on "${node}"`))
  }
})

interface ShownVersion {
  readonly Index: number
  readonly Withheld?: true
  readonly Patch?: readonly { readonly op: string; readonly path: string }[]
}

const versionsFor = async (t: ExecutionContext, server: TestServer, token: string) => {
  const path = '/v1/event/history?topic=Service&key=w-1&payload=true'
  const answer = await server.send('GET', path, { token })
  t.is(answer.status, 200, answer.text)
  const versions: readonly ShownVersion[] = JSON.parse(answer.text)
  return { versions, text: answer.text }
}

test('a version under a name that the caller may not read is withheld, and no patch tells of it', async t => {
  const server = await serverInProcess(t)
  const first = indexOf(await register(server, { Service: 'secret-name', Meta: { owner: 'secret-owner' } }))
  const second = indexOf(await register(server, { Service: 'web' }))
  const third = indexOf(await register(server, { Service: 'web', Port: 80 }))
  const token = await secretWith(server, 'web', 'service "web" { policy = "read" }')
  const { versions, text } = await versionsFor(t, server, token)
  t.deepEqual(
    versions.map(({ Index, Withheld }) => [Index, Withheld === true]),
    [
      [third, false],
      [second, false],
      [first, true]
    ]
  )
  t.deepEqual(
    versions[1]?.Patch?.map(({ op, path }) => `${op} ${path}`),
    ['add ']
  )
  t.false(text.includes('secret'), text)
  const both = await secretWith(
    server,
    'both',
    'service_prefix "" { policy = "read" }\nnode_prefix "" { policy = "read" }'
  )
  t.true((await versionsFor(t, server, both)).text.includes('secret-owner'))
  // Paged, the hidden version stands before the page.
  const paged = await server.send('GET', '/v1/event/history?topic=Service&key=w-1&limit=2', { token })
  t.false(paged.text.includes('secret'))
  // A revert to the hidden name is refused without that name.
  const node = 'node_prefix "" { policy = "write" }\nservice "web" { policy = "write" }'
  const writer = await secretWith(server, 'writer', node)
  const query = `topic=Service&key=w-1&node=secret-node&to=${first}&dry-run`
  const reverted = await server.send('PUT', `/v1/event/revert?${query}`, { token: writer })
  t.is(reverted.status, 403)
  t.false(reverted.text.includes('secret-name'))
})

test('a resource whose name now is forbidden has no history for a reader of its former name', async t => {
  const server = await serverInProcess(t)
  await register(server, { Service: 'web' })
  await register(server, { Service: 'secret-name' })
  const { SecretID: token } = await createToken(server, {
    Policies: [{ ID: await createPolicy(server, 'web', 'service "web" { policy = "read" }') }]
  })
  const renamed = said(await server.send('GET', '/v1/event/history?topic=Service&key=w-1', { token }))
  t.deepEqual(renamed, said(await server.send('GET', '/v1/event/history?topic=Service&key=w-9', { token })))
  t.like(renamed, { status: 403 })
})

test('a refusal at an earlier index does not name the former name of a query', async t => {
  const server = await serverInProcess(t)
  const created = await put(server, '/v1/query', { Name: 'secret-query', Service: { Service: 'web' } })
  const [id, first] = [idIn(created), indexOf(created)]
  await put(server, `/v1/query/${id}`, { Name: 'open', Service: { Service: 'web' } })
  const token = await secretWith(server, 'open', 'query "open" { policy = "read" }')
  for (const parameter of [`at=${first}`, `diff=${first}..${first + 1}`]) {
    const { status, text } = await server.send('GET', `/v1/query/${id}?${parameter}`, { token })
    t.is(status, 403)
    t.regex(text, /lacks permission 'query:read' on everything$/)
  }
})

test('a revert names only those other changes that the caller may read', async t => {
  const server = await serverInProcess(t)
  const before = server.app.views.index
  await register(server, { Service: 'secret-service' })
  const rules = 'node_prefix "" { policy = "write" }\nservice_prefix "" { policy = "write" }'
  const [all, some] = [
    await secretWith(server, 'all', rules),
    await secretWith(server, 'some', `${rules}\nservice "secret-service" { policy = "deny" }`)
  ]
  const query = `topic=Node&key=${NODE_ID}&to=${before}&dry-run`
  const full = await server.send('PUT', `/v1/event/revert?${query}`, { token: all })
  t.regex(full.text, /"Key":"w-1"/)
  const part = await server.send('PUT', `/v1/event/revert?${query}`, { token: some })
  t.is(part.status, 200)
  t.false(part.text.includes('w-1'), part.text)
})
