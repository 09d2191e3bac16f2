// The tokens, logins, roles and binding rules with a permission over HTTP, now and at earlier indexes.
import test from 'ava'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'
import { isDenied, METHOD, put } from './shared.js'

type Row = Record<string, unknown>

const who = async (server: TestServer, query: string, token?: string) => {
  const answer = await server.send('GET', `/v1/acl/who?${query}`, token === undefined ? {} : { token })
  const rows: readonly Row[] = answer.status === 200 ? JSON.parse(answer.text) : []
  const names = rows.map(({ Kind, Name, ID }) => `${String(Kind)} ${String(Name ?? ID)}`)
  return { ...answer, rows, names }
}

const WRITE = 'resource=key&segment=config/db&access=write'

const setUp = async (server: TestServer) => {
  const config = await createPolicy(server, 'config', 'key_prefix "config/" { policy = "write" }')
  const deny = await createPolicy(server, 'no-db', 'key "config/db" { policy = "deny" }')
  const ops = await put(server, '/v1/acl/role', { Name: 'ops', Policies: [{ ID: config }] })
  const token = (Description: string, body: object) => createToken(server, { Description, ...body })
  const direct = await token('direct', { Policies: [{ ID: config }] })
  await token('by role', { Roles: [{ ID: ops['ID'] }] })
  await token('but not db', { Policies: [{ ID: deny }], Roles: [{ ID: ops['ID'] }] })
  await token('web', { ServiceIdentities: [{ ServiceName: 'web' }] })
  return { config, deny, direct }
}

const ROOT_TOKEN = 'token Initial Management Token'

test('every holder comes with the rule that decides and its source', async t => {
  const server = await serverInProcess(t)
  const { config } = await setUp(server)
  const found = await who(server, WRITE)
  t.is(found.status, 200, found.text)
  t.true(Number(found.headers['x-service-index']) > 0)
  t.deepEqual(found.names.toSorted(), [ROOT_TOKEN, 'role ops', 'token by role', 'token direct'].toSorted())
  const byName = new Map(found.rows.map(row => [row['Name'], row]))
  t.like(byName.get('direct'), {
    Kind: 'token',
    DecidedBy: 'rule',
    Rule: { Text: 'key_prefix "config/"', Level: 'write', Line: 1 },
    Source: { Kind: 'policy', ID: config, Name: 'config', Links: [{ Kind: 'token' }] }
  })
  t.like(byName.get('by role'), { Source: { Links: [{ Kind: 'role', Name: 'ops' }] } })
  const identities = await who(server, 'resource=service&segment=web-sidecar-proxy&access=write')
  t.deepEqual(identities.names.toSorted(), [ROOT_TOKEN, 'token web'].toSorted())
  t.like(
    identities.rows.find(row => row['Name'] === 'web'),
    {
      Source: { Kind: 'service identity', Name: 'web' }
    }
  )
})

test('a binding rule is listed if some login may get the permission from it', async t => {
  const server = await serverInProcess(t)
  await setUp(server)
  await put(server, '/v1/acl/auth-method', METHOD)
  const rule = (BindType: string, BindName: string, Selector = '') =>
    put(server, '/v1/acl/binding-rule', {
      AuthMethod: 'ci',
      BindType,
      BindName,
      Selector,
      Description: BindName
    })
  await rule('role', 'ops', 'value.team == ops')
  await rule('role', 'o${value.team}')
  await rule('role', 'x${value.team}')
  await rule('role', 'none')
  await rule('service', 'web')
  await rule('service', 'we${value.team}')
  await rule('service', 'api-${value.team}')
  const bound = (names: readonly string[]) => names.filter(name => name.startsWith('binding rule')).toSorted()
  const keys = await who(server, WRITE)
  t.deepEqual(bound(keys.names), ['binding rule o${value.team}', 'binding rule ops'])
  t.like(
    keys.rows.find(row => row['Name'] === 'ops' && row['Kind'] === 'binding rule'),
    {
      AuthMethod: 'ci',
      Selector: 'value.team == ops',
      BindType: 'role',
      BindName: 'ops',
      Source: { Kind: 'policy', Name: 'config' }
    }
  )
  const services = await who(server, 'resource=service&segment=web&access=write')
  t.deepEqual(bound(services.names), ['binding rule we${value.team}', 'binding rule web'])
  const reads = await who(server, 'resource=service&segment=anything&access=read')
  t.is(bound(reads.names).length, 3)
})

test('the defaults of namespaces and the default policy count', async t => {
  const server = await serverInProcess(t)
  const { config } = await setUp(server)
  await put(server, '/v1/namespace', { Name: 'team', ACLs: { PolicyDefaults: [{ ID: config }] } })
  await put(server, '/v1/acl/token?ns=team', { Description: 'of the team' })
  const Rules = 'key "config/db" { policy = "deny" }'
  const deny = await put(server, '/v1/acl/policy?ns=team', { Name: 'no-db', Rules })
  await put(server, '/v1/acl/token?ns=team', { Description: 'restricted', Policies: [{ ID: deny['ID'] }] })
  const inTeam = await who(server, `${WRITE}&ns=team`)
  t.deepEqual(inTeam.names.toSorted(), [ROOT_TOKEN, 'token of the team'].toSorted())
  const inDefault = await who(server, WRITE)
  t.true(inDefault.names.includes('token of the team'))
  t.true(inDefault.names.includes('token restricted'))
  const open = await serverInProcess(t, {
    config: { acl: { enabled: true, default_policy: 'allow', tokens: { initial_management: ROOT } } }
  })
  await setUp(open)
  const byDefault = await who(open, 'resource=node&segment=n1&access=read')
  t.true(byDefault.names.includes('token but not db'))
  t.true(
    byDefault.rows.some(row => row['DecidedBy'] === 'default policy' && row['DefaultPolicy'] === 'allow')
  )
})

test('pages continue where the last one ended', async t => {
  const server = await serverInProcess(t)
  await setUp(server)
  const all = (await who(server, WRITE)).names
  const paged: string[] = []
  let query: string | undefined = `${WRITE}&limit=1`
  while (query !== undefined && paged.length <= all.length) {
    const { names, headers, text, status } = await who(server, query)
    t.is(status, 200, text)
    t.true(names.length <= 1)
    paged.push(...names)
    query = /who\?([^>]*)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1]
  }
  t.deepEqual(paged, all)
})

test('earlier holders and those of a period are those of the log', async t => {
  const server = await serverInProcess(t)
  const { config, direct } = await setUp(server)
  const before = indexOf(await server.send('GET', '/v1/acl/tokens'))
  const atFirst = await who(server, WRITE)
  const late = await createToken(server, { Description: 'late', Policies: [{ ID: config }] })
  const between = late.ModifyIndex
  await server.send('DELETE', `/v1/acl/token/${direct.AccessorID}`)
  await createToken(server, { Description: 'last', Policies: [{ ID: config }] })
  const then = await who(server, `${WRITE}&at=${before}`)
  t.deepEqual(then.rows, atFirst.rows)
  t.is(indexOf(then), before)
  t.deepEqual((await who(server, `${WRITE}&from=${before}`)).names.toSorted(), ['token last', 'token late'])
  t.deepEqual((await who(server, `${WRITE}&from=${before}&to=${between}`)).names, ['token late'])
  t.deepEqual((await who(server, `${WRITE}&from=${between}`)).names, ['token last'])
})

test('only holders in namespaces that the caller may read are listed', async t => {
  const server = await serverInProcess(t)
  const { config } = await setUp(server)
  await put(server, '/v1/namespace', { Name: 'team', ACLs: { PolicyDefaults: [{ ID: config }] } })
  await put(server, '/v1/acl/token?ns=team', { Description: 'hidden' })
  t.true((await who(server, WRITE)).names.includes('token hidden'))
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  const filtered = await who(server, WRITE, reader)
  t.false(filtered.names.includes('token hidden'))
  t.is(filtered.headers['x-service-results-filtered-by-acls'], 'true')
})

test('a request is denied before its parameters are checked, and each fault names its parameter', async t => {
  const server = await serverInProcess(t)
  await isDenied(t, server, token => who(server, 'resource=unknown&from=x', token))
  for (const [query, text] of [
    ['', /Invalid ACL resource requested: ""/],
    ['resource=key&access=list-all', /Invalid access level for key resource: list-all/],
    ['resource=service&access=list', /Invalid access level for service resource: list/],
    [`${WRITE}&to=1`, /Invalid to/],
    [`${WRITE}&from=999999`, /Invalid from: "999999" is newer/],
    [`${WRITE}&from=3&to=2`, /Invalid from: commit 3 is after to, which is commit 2/],
    [`${WRITE}&from=1&at=1`, /Invalid from: at and from/],
    [`${WRITE}&limit=0`, /Invalid limit/]
  ] as const) {
    const refused = await who(server, query)
    t.is(refused.status, 400, query)
    t.regex(refused.text, text)
  }
})
