// The rights that an update would take and give, over HTTP.
import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'
import { isDenied, METHOD, put } from './shared.js'

interface Right {
  readonly Text: string
  readonly Namespace: string
  readonly Gained: readonly string[]
  readonly Lost: readonly string[]
}

interface Effect {
  readonly Datacenter?: string
  readonly Tokens: number
  readonly Subjects: readonly Record<string, string>[]
  readonly Rights: readonly Right[]
}

const impact = async (server: TestServer, path: string, body: object, token?: string) => {
  const answer = await server.send('POST', `${path}/impact`, {
    body,
    ...(token === undefined ? {} : { token })
  })
  const effects: readonly Effect[] = answer.status === 200 ? JSON.parse(answer.text).Effects : []
  const rights = effects.map(({ Rights }) =>
    Rights.flatMap(({ Text, Namespace, Gained, Lost }) => [
      ...(Lost.length > 0 ? [`- ${Text} ${Namespace}: ${Lost.join(' ')}`] : []),
      ...(Gained.length > 0 ? [`+ ${Text} ${Namespace}: ${Gained.join(' ')}`] : [])
    ])
  )
  const names = effects.map(({ Subjects }) => Subjects.map(({ Kind, Name }) => `${Kind} ${Name}`).toSorted())
  return { ...answer, effects, rights, names }
}

const WRITE = 'key_prefix "config/" { policy = "write" }'
const READ = 'key_prefix "config/" { policy = "read" }'

const LOST = '- key_prefix "config/" default: list write write-prefix'

const setUp = async (server: TestServer) => {
  const ID = await createPolicy(server, 'config', WRITE)
  const other = await createPolicy(server, 'other', 'key "config/db" { policy = "write" }')
  const role = await put(server, '/v1/acl/role', { Name: 'ops', Policies: [{ ID }] })
  await createToken(server, { Description: 'one', Policies: [{ ID }] })
  await createToken(server, { Description: 'two', Roles: [{ ID: role['ID'] }] })
  await createToken(server, { Description: 'both', Policies: [{ ID }, { ID: other }] })
  const unrelated = await createToken(server, { Description: 'unrelated', Policies: [{ ID: other }] })
  return { ID, other, role: role['ID'] ?? '', unrelated, path: `/v1/acl/policy/${ID}` }
}

test('a tighter policy shows the tokens that lose rights, grouped by what they lose', async t => {
  const server = await serverInProcess(t)
  const { ID, path } = await setUp(server)
  const before = await server.send('GET', '/v1/acl/policies')
  const found = await impact(server, path, { ID, Name: 'config', Rules: READ })
  t.is(found.status, 200, found.text)
  t.like(JSON.parse(found.text), { Tokens: 3 })
  t.deepEqual(found.names, [['token one', 'token two'], ['token both']])
  t.deepEqual(found.rights, [[LOST], [LOST, '- key "config/db" default: write-prefix']])
  const after = await server.send('GET', '/v1/acl/policies')
  t.is(after.text, before.text)
  t.is(indexOf(after), indexOf(before))
  t.deepEqual((await impact(server, path, { ID, Name: 'renamed', Rules: WRITE })).effects, [])
})

test('roles and tokens show what a changed link gives', async t => {
  const server = await serverInProcess(t)
  const { ID, other, role, unrelated } = await setUp(server)
  const ofRole = await impact(server, `/v1/acl/role/${role}`, { ID: role, Name: 'ops', Policies: [] })
  t.deepEqual(ofRole.names, [['token two']])
  t.deepEqual(ofRole.rights, [
    ['- key_prefix "config/" default: read list write write-prefix', '- namespace default: read']
  ])
  const body = { Description: 'unrelated', Policies: [{ ID: other }, { ID }] }
  const ofToken = await impact(server, `/v1/acl/token/${unrelated.AccessorID}`, body)
  t.deepEqual(ofToken.names, [['token unrelated']])
  t.deepEqual(ofToken.rights, [
    [
      '+ key_prefix "config/" default: read list write write-prefix',
      '+ key "config/db" default: write-prefix'
    ]
  ])
})

test('logins are shown by the binding rules that select them', async t => {
  const server = await serverInProcess(t)
  const { ID, path } = await setUp(server)
  await put(server, '/v1/acl/auth-method', METHOD)
  const rule = {
    AuthMethod: 'ci',
    BindType: 'role',
    BindName: 'o${value.team}',
    Selector: 'value.team == ps'
  }
  const bound = await put(server, '/v1/acl/binding-rule', rule)
  const byPolicy = await impact(server, path, { ID, Name: 'config', Rules: READ })
  t.deepEqual(byPolicy.names[0], ['binding rule ops', 'token one', 'token two'])
  t.like(
    byPolicy.effects[0]?.Subjects.find(({ Kind }) => Kind === 'binding rule'),
    {
      ID: bound['ID'],
      AuthMethod: 'ci',
      Selector: 'value.team == ps'
    }
  )
  const rulePath = `/v1/acl/binding-rule/${bound['ID']}`
  const service = { ...rule, BindType: 'service', BindName: 'web' }
  const rebound = await impact(server, rulePath, service)
  t.deepEqual(rebound.names.flat().toSorted(), ['binding rule ops', 'binding rule web'])
  t.true(rebound.rights.flat().includes('+ service "web" default: read write'))
  const widened = await impact(server, rulePath, { ...rule, Selector: '' })
  t.deepEqual(widened.effects.map(({ Subjects }) => Subjects[0]?.['Selector'] ?? '').toSorted(), [
    '',
    'value.team == ps'
  ])
  t.true(widened.rights.flat().includes('+ key_prefix "config/" default: read list write write-prefix'))
})

test('defaults of a namespace and policies of some datacenters count', async t => {
  const server = await serverInProcess(t)
  const { ID, path } = await setUp(server)
  await put(server, '/v1/namespace', { Name: 'team' })
  await put(server, '/v1/acl/token?ns=team', { Description: 'of the team' })
  const ofNamespace = await impact(server, '/v1/namespace/team', {
    Name: 'team',
    ACLs: { PolicyDefaults: [{ ID }] }
  })
  t.deepEqual(ofNamespace.names, [['token of the team']])
  t.deepEqual(
    ofNamespace.rights[0]?.filter(right => right.includes('key_prefix')),
    ['default', 'team'].map(name => `+ key_prefix "config/" ${name}: read list write write-prefix`)
  )
  const elsewhere = await impact(server, path, { ID, Name: 'config', Rules: WRITE, Datacenters: ['dc2'] })
  t.deepEqual([...new Set(elsewhere.effects.map(({ Datacenter = '' }) => Datacenter))].toSorted(), [
    '*',
    'dc1'
  ])
})

test('unchanged policies and identities of some datacenters count', async t => {
  const server = await serverInProcess(t)
  const { ID, path } = await setUp(server)
  const there = await put(server, '/v1/acl/policy', { Name: 'there', Rules: WRITE, Datacenters: ['dc2'] })
  const empty = await put(server, '/v1/acl/role', { Name: 'empty' })
  const token = await createToken(server, { Description: 'new' })
  await createToken(server, { Description: 'by role', Roles: [{ ID: empty['ID'] }] })
  const gained = '+ key_prefix "config/" default: read list write write-prefix'
  const Policies = [{ ID: there['ID'] }]
  for (const [updated, body] of [
    [`/v1/acl/token/${token.AccessorID}`, { Policies }],
    [`/v1/acl/role/${empty['ID']}`, { Name: 'empty', Policies }]
  ] as const) {
    const { effects, rights } = await impact(server, updated, body)
    t.deepEqual(
      effects.map(({ Datacenter }) => Datacenter),
      ['dc2'],
      updated
    )
    t.true(rights[0]?.includes(gained))
  }
  // The other policy of one token gives in dc2 what the changed one takes.
  await createToken(server, { Description: 'both there', Policies: [{ ID }, ...Policies] })
  const { effects, names } = await impact(server, path, { ID, Name: 'config', Rules: READ })
  const found = effects.map(({ Datacenter }, at) => [Datacenter ?? 'all', names[at]])
  t.deepEqual(
    found.filter(([, subjects]) => subjects?.includes('token both there')),
    [
      ['dc1', ['token both there']],
      ['*', ['token both there']]
    ]
  )
  t.deepEqual(found[0], ['all', ['token one', 'token two']])
})

test('a request is denied first, and refused as the update would be', async t => {
  const server = await serverInProcess(t)
  const { ID, path } = await setUp(server)
  await isDenied(t, server, token => impact(server, path, { ID, Name: 'config', Rules: 'nonsense {' }, token))
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  const unwritable = await impact(server, path, { ID, Name: 'config', Rules: READ }, reader)
  t.is(unwritable.status, 403)
  t.regex(unwritable.text, /lacks permission 'acl:write'/)
  const invalid = await impact(server, path, { ID, Name: 'config', Rules: 'nonsense {' })
  const update = await server.send('PUT', path, { body: { ID, Name: 'config', Rules: 'nonsense {' } })
  t.deepEqual([invalid.status, invalid.text], [update.status, update.text])
  const unknown = await impact(server, '/v1/acl/policy/5ec51e41-9583-2bf5-eed4-3bfcbffede4f', { Name: 'x' })
  t.true(unknown.status >= 400 && unknown.status < 500, unknown.text)
})

test('the dry run of a change set returns the impact of all its changes', async t => {
  const server = await serverInProcess(t)
  await setUp(server)
  const Changes = [
    { Kind: 'policy', Name: 'config', Body: { Rules: READ } },
    { Kind: 'policy', Name: 'other', Body: { Rules: 'key "config/db" { policy = "read" }' } }
  ]
  const run = await server.send('POST', '/v1/changes?dry-run&impact', { body: { Changes } })
  t.is(run.status, 200, run.text)
  const { Impact } = JSON.parse(run.text)
  t.is(Impact.Tokens, 4)
  const plain = await server.send('POST', '/v1/changes?dry-run', { body: { Changes } })
  t.false(plain.text.includes('"Impact"'))
  const stored = await server.send('POST', '/v1/changes?impact', { body: { Changes } })
  t.deepEqual([stored.status, stored.text], [400, 'Invalid impact: it needs dry-run'])
  const gained = await server.send('POST', '/v1/changes?dry-run&impact', {
    body: { Changes: [{ Kind: 'policy', Name: 'unused', Body: { Rules: WRITE } }] }
  })
  t.like(JSON.parse(gained.text).Impact, { Tokens: 0, Effects: [] })
})

test('recorded questions show which requests would be denied', async t => {
  const server = await serverInProcess(t)
  const ID = await createPolicy(
    server,
    'config',
    'key_prefix "config/" { policy = "write" } node "n1" { policy = "read" }'
  )
  const token = await createToken(server, { Description: 'writer', Policies: [{ ID }] })
  for (const key of ['config/db', 'config/mail'])
    t.is((await server.send('PUT', `/v1/kv/${key}`, { body: 'x', token: token.SecretID })).status, 200)
  await server.send('GET', '/v1/kv/config/db', { token: token.SecretID })
  const Rules = 'key_prefix "config/" { policy = "read" } key "config/mail" { policy = "write" }'
  const { text } = await impact(server, `/v1/acl/policy/${ID}`, { ID, Name: 'config', Rules })
  const { Recorded } = JSON.parse(text)
  t.like(Recorded, { Gaps: 0, Lost: 0, Kept: 2, Denied: 1, Allowed: 0, Unknown: 0 })
  t.regex(Recorded.Since, /^\d{4}-/)
  t.like(Recorded.Changed, [
    {
      Answer: 'denied',
      AccessorID: token.AccessorID,
      Resource: 'key',
      Access: 'write',
      Segment: 'config/db',
      Extent: 'one',
      Count: 1
    }
  ])
})
