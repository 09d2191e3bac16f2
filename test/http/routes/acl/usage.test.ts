import test from 'ava'
import { AccessUsageStore } from '../../../../http/wire/access-usage-store.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { createToken } from '../../support.js'

interface Rule {
  readonly Text: string
  readonly State: string
  readonly Count: number
  readonly LastUsed?: string
  readonly UsedBy: readonly { readonly AccessorID?: string }[]
  readonly Users: number
  readonly Overlap?: { readonly Text: string; readonly Source: { readonly Name?: string } }
}

interface Usage {
  readonly Coverage: { readonly IsSufficient: boolean; readonly NotHeard: readonly string[] }
  readonly Tokens: number
  readonly Rules: readonly Rule[]
  readonly Links: readonly { readonly Kind: string; readonly Name?: string; readonly State: string }[]
  readonly Questions: readonly { readonly Segment: string; readonly Allowed: boolean }[]
}

const usageOf = async (server: TestServer, path: string, days = 0): Promise<Usage> => {
  const { status, text } = await server.send('GET', `/v1/acl/${path}/usage?days=${days}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text)
}

const policy = async (server: TestServer, Name: string, Rules: string): Promise<string> =>
  JSON.parse((await server.send('PUT', '/v1/acl/policy', { body: { Name, Rules } })).text).ID

const statesOf = ({ Rules }: Usage) => Object.fromEntries(Rules.map(({ Text, State }) => [Text, State]))

test('the usage of a policy has who used each rule, when and how often, and what nothing needs', async t => {
  const server = await serverInProcess(t)
  const id = await policy(
    server,
    'app',
    `key_prefix "app/" { policy = "write" }
     key "app/secret" { policy = "deny" }
     key_prefix "old/" { policy = "read" }
     service "web" { policy = "read" }`
  )
  const one = await createToken(server, { Policies: [{ ID: id }] })
  const two = await createToken(server, { Policies: [{ ID: id }] })
  const send = (path: string, token: string) => server.send('GET', `/v1/kv/${path}`, { token })
  await send('app/a', one.SecretID)
  await send('app/a', one.SecretID)
  await send('app/b', two.SecretID)
  await send('app/secret', two.SecretID)
  const usage = await usageOf(server, `policy/${id}`)
  t.deepEqual(statesOf(usage), {
    'key_prefix "app/"': 'used',
    'key "app/secret"': 'used',
    'key_prefix "old/"': 'unused',
    'service "web"': 'unused'
  })
  const [app] = usage.Rules
  t.like(app, { Count: 3, Users: 2 })
  t.is(app?.UsedBy[0]?.AccessorID, one.AccessorID)
  t.regex(app?.LastUsed ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/)
  t.is(usage.Questions.find(({ Segment }) => Segment === 'app/secret')?.Allowed, false)
})

test('nothing is called unused before enough is recorded, or while a server is not heard of', async t => {
  const server = await serverInProcess(t)
  const id = await policy(server, 'old', 'key_prefix "old/" { policy = "read" }')
  const early = await usageOf(server, `policy/${id}`, 30)
  t.false(early.Coverage.IsSufficient)
  t.deepEqual(early.Rules, [])
  const { AccessorID, SecretID: token } = await createToken(server, { Policies: [{ ID: id }] })
  await server.send('GET', '/v1/kv/x', { token })
  t.deepEqual(statesOf(await usageOf(server, `policy/${id}`, 30)), { 'key_prefix "old/"': 'unknown' })
  const store = server.scope.resolve(AccessUsageStore)
  for (let minute = 0; minute <= 31 * 1440; minute += 2) {
    server.clock.advance(120_000)
    store.observe()
  }
  t.deepEqual(statesOf(await usageOf(server, `token/${AccessorID}`, 30)), { 'key_prefix "old/"': 'unused' })
  const elsewhere = { datacenters: { dc2: { url: 'http://127.0.0.1:1' } } }
  const other = await serverInProcess(t, { config: elsewhere })
  const found = await usageOf(other, `policy/${await policy(other, 'p', 'key "a" { policy = "read" }')}`)
  t.deepEqual(found.Coverage.NotHeard, ['dc2'])
  t.false(found.Coverage.IsSufficient)
})

test('rules that repeat others and links that add nothing are found', async t => {
  const server = await serverInProcess(t)
  const wide = await policy(server, 'wide', 'key_prefix "" { policy = "write" }')
  const narrow = await policy(
    server,
    'narrow',
    'key_prefix "app/" { policy = "write" } session "web" { policy = "read" }'
  )
  const { text } = await server.send('PUT', '/v1/acl/role', {
    body: { Name: 'r', Policies: [{ ID: wide }, { ID: narrow }] }
  })
  const role = JSON.parse(text).ID
  const { AccessorID, SecretID: token } = await createToken(server, {
    Roles: [{ ID: role }],
    Policies: [{ ID: wide }],
    ServiceIdentities: [{ ServiceName: 'api' }]
  })
  await server.send('GET', '/v1/kv/app/a', { token })
  const usage = await usageOf(server, `token/${AccessorID}`)
  const overlap = usage.Rules.find(({ Text }) => Text === 'key_prefix "app/"')?.Overlap
  t.like(overlap, { Text: 'key_prefix ""', Source: { Name: 'wide' } })
  t.is(usage.Rules.find(({ Text }) => Text === 'session "web"')?.Overlap, undefined)
  // Each link repeats the other.
  t.deepEqual(
    usage.Links.map(({ Kind, Name, State }) => [Kind, Name, State]),
    [
      ['policy', 'wide', 'unused'],
      ['role', 'r', 'unused'],
      ['service identity', 'api', 'unused']
    ]
  )
  await server.send('PUT', `/v1/acl/token/${AccessorID}`, { body: { Roles: [{ ID: role }] } })
  await server.send('GET', '/v1/kv/x', { token })
  const ofRole = await usageOf(server, `role/${role}`)
  t.deepEqual(
    ofRole.Links.map(({ Name, State }) => [Name, State]),
    [
      ['wide', 'used'],
      ['narrow', 'unused']
    ]
  )
})

test('the use by deleted tokens stays with their links', async t => {
  const server = await serverInProcess(t)
  const id = await policy(server, 'app', 'key_prefix "app/" { policy = "write" }')
  const { AccessorID, SecretID: token } = await createToken(server, { Policies: [{ ID: id }] })
  await server.send('GET', '/v1/kv/app/a', { token })
  const store = server.scope.resolve(AccessUsageStore)
  store.observe()
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  await store.prune()
  const [rule] = (await usageOf(server, `policy/${id}`)).Rules
  t.like(rule, { State: 'used', Count: 1, Users: 1 })
  t.is(rule?.UsedBy[0]?.AccessorID, undefined)
})

test('the permission is checked before the lookup, and invalid input is refused', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token, AccessorID } = await createToken(server)
  const missing = '11111111-2222-3333-4444-555555555555'
  for (const path of [
    `token/${AccessorID}`,
    `token/${missing}`,
    `policy/${missing}`,
    `role/${missing}`,
    'role/x'
  ])
    t.is((await server.send('GET', `/v1/acl/${path}/usage`, { token })).status, 403)
  t.is((await server.send('GET', '/v1/internal/acl/usage?kind=token&since=0', { token })).status, 403)
  t.is((await server.send('GET', `/v1/acl/policy/${missing}/usage`)).status, 403)
  for (const path of [
    'role/x/usage',
    `token/${AccessorID}/usage?days=91`,
    `token/${AccessorID}/usage?days=x`
  ])
    t.is((await server.send('GET', `/v1/acl/${path}`)).status, 400)
  t.is((await server.send('GET', '/v1/internal/acl/usage?kind=x&since=0')).status, 400)
})

test('questions of tokens in other namespaces are shown only to those who may read their tokens there', async t => {
  const server = await serverInProcess(t)
  const id = await policy(server, 'shared', 'namespace "team" { key_prefix "" { policy = "read" } }')
  const team = { Name: 'team', ACLs: { PolicyDefaults: [{ ID: id }] } }
  t.is((await server.send('PUT', '/v1/namespace/team', { body: team })).status, 200)
  const made = await server.send('PUT', '/v1/acl/token?ns=team', { body: {} })
  const { SecretID: token }: { readonly SecretID: string } = JSON.parse(made.text)
  await server.send('GET', '/v1/kv/plan?ns=team', { token })
  const readerOf = async (rules: string): Promise<string> => {
    const reader = await policy(server, `reader${rules.length}`, rules)
    return (await createToken(server, { Policies: [{ ID: reader }] })).SecretID
  }
  const inDefault = await readerOf('acl = "read"')
  const inTeam = await readerOf('namespace "team" { acl = "read" }')
  const recordFor = async (reader: string, query = '') =>
    server.send('GET', `/v1/internal/acl/usage?since=0&ns=*${query}`, { token: reader })
  t.false((await recordFor(inDefault)).text.includes('"plan"'))
  t.true((await recordFor(inTeam)).text.includes('"plan"'), 'also servers without its rights there answer')
  const { status, text } = await server.send('GET', `/v1/acl/policy/${id}/usage?days=0`, { token: inDefault })
  t.is(status, 200, text)
  const usage: Usage = JSON.parse(text)
  t.deepEqual([usage.Questions, usage.Rules[0]?.Users, usage.Rules[0]?.Count], [[], 1, 1])
  const ofPolicy = await recordFor(inDefault, `&kind=policy&id=${id}`)
  t.true(ofPolicy.text.includes('"plan"'), 'the use of the rules on all servers is counted')
})

test('a suggestion has the rules that a token or role needs, within its rights', async t => {
  const server = await serverInProcess(t)
  const id = await policy(
    server,
    'wide',
    'key_prefix "" { policy = "write" } key "app/secret" { policy = "deny" }'
  )
  const { text } = await server.send('PUT', '/v1/acl/role', { body: { Name: 'r', Policies: [{ ID: id }] } })
  const role = JSON.parse(text).ID
  const { AccessorID, SecretID: token } = await createToken(server, { Roles: [{ ID: role }] })
  for (const key of ['app/a', 'app/b', 'app/c', 'app/secret'])
    await server.send('GET', `/v1/kv/${key}`, { token })
  const suggested = async (path: string) => {
    const { status, text: answer } = await server.send('GET', `/v1/acl/${path}`)
    t.is(status, 200, answer)
    return JSON.parse(answer)
  }
  const { Rules } = await suggested(`token/${AccessorID}/suggestion`)
  t.is(
    Rules,
    '# "app/a"\n# "app/b"\n# "app/c"\nkey_prefix "app/" {\n  policy = "read"\n}\nkey "app/secret" {\n  policy = "deny"\n}\n'
  )
  t.is((await suggested(`role/${role}/suggestion?days=1`)).Rules, Rules)
  t.is((await suggested(`token/${AccessorID}/suggestion?names=exact`)).Rules.match(/^key /gm)?.length, 3)
  for (const query of ['names=x', 'days=0', 'days=91'])
    t.is((await server.send('GET', `/v1/acl/token/${AccessorID}/suggestion?${query}`)).status, 400, query)
  t.is((await server.send('GET', `/v1/acl/role/${role}/suggestion`, { token })).status, 403)
  const open = await serverInProcess(t, {
    config: { acl: { enabled: true, default_policy: 'allow', tokens: { initial_management: ROOT } } }
  })
  const other = await createToken(open)
  t.is((await open.send('GET', `/v1/acl/token/${other.AccessorID}/suggestion`)).status, 400)
})
