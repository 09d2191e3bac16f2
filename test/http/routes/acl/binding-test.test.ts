// Binding rules are tried with claims: what a login would get, without one.
import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { pem, stubProvider } from '../../../support/stub-provider.js'
import { secretWith } from '../../support.js'

const METHOD = {
  Name: 'ci',
  Type: 'jwt',
  Config: {
    JWTValidationPubKeys: [pem('ca.pem')],
    BoundAudiences: ['annals'],
    ClaimMappings: { team: 'team', '/project/env': 'env' },
    ListClaimMappings: { groups: 'groups' }
  }
}

/** A JWT by its form. */
const JWT = 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln'

const put = async (server: TestServer, path: string, body: object): Promise<Record<string, string>> => {
  const answer = await server.send('PUT', path, { body })
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status} ${answer.text}`)
  return JSON.parse(answer.text)
}

const tried = async (server: TestServer, Claims: object, more: object = {}, token?: string) => {
  const body = { AuthMethod: 'ci', Claims, ...more }
  return server.send('POST', '/v1/acl/binding-rules/test', { body, ...(token ? { token } : {}) })
}

const rule = (more: object) => ({ AuthMethod: 'ci', BindType: 'service', BindName: 'web', ...more })

test('each rule tells what it gives and why not, and all together what the token would get', async t => {
  const server = await serverInProcess(t)
  await put(server, '/v1/acl/auth-method', METHOD)
  const role = await put(server, '/v1/acl/role', { Name: 'ops' })
  const RULES = '/v1/acl/binding-rule'
  const rules = [
    await put(server, RULES, rule({ BindName: '${value.team}-${value.env}', Selector: 'value.team != ""' })),
    await put(server, RULES, rule({ BindType: 'role', BindName: 'ops', Selector: 'admins in list.groups' })),
    await put(server, RULES, rule({ BindType: 'role', BindName: 'gone' })),
    await put(server, RULES, rule({ BindType: 'node', Selector: 'value.team == other' }))
  ]
  const before = await server.send('GET', '/v1/acl/tokens')
  const { status, text } = await tried(server, {
    team: 'Web',
    project: { env: 'prod' },
    groups: ['admins', 'people'],
    aud: 'somebody else'
  })
  t.is(status, 200, text)
  const { Rules, ...rest } = JSON.parse(text)
  t.deepEqual(rest, {
    AuthMethod: 'ci',
    Allowed: true,
    Selectable: { value: { team: 'Web', env: 'prod' }, list: { groups: ['admins', 'people'] } },
    Variables: { 'value.team': 'web', 'value.env': 'prod' },
    Roles: [{ ID: role['ID'], Name: 'ops' }],
    ServiceIdentities: [{ ServiceName: 'web-prod' }],
    NodeIdentities: []
  })
  const byId = new Map<string, Record<string, unknown>>(Rules.map((one: { ID: string }) => [one.ID, one]))
  const shown = rules.map(({ ID = '' }) => byId.get(ID))
  t.like(shown[0], { Selects: true, BindName: '${value.team}-${value.env}', Name: 'web-prod' })
  t.like(shown[1], { Selects: true, Name: 'ops' })
  t.like(shown[2], { Selects: true, Name: 'gone', Reason: 'there is no role "gone"' })
  t.like(shown[3], { Selects: false, Reason: 'its selector does not hold' })
  const after = await server.send('GET', '/v1/acl/tokens')
  t.is(after.text, before.text)
  t.is(after.headers['x-service-index'], before.headers['x-service-index'])
})

test('what would be denied says why, as the log does of a login', async t => {
  const server = await serverInProcess(t)
  await put(server, '/v1/acl/auth-method', METHOD)
  const reasonOf = async (claims: object): Promise<unknown> => {
    const { status, text } = await tried(server, claims)
    t.is(status, 200, text)
    const { Allowed, Reason, Roles, ServiceIdentities } = JSON.parse(text)
    t.deepEqual([Allowed, Roles, ServiceIdentities], [false, [], []])
    return Reason
  }
  t.is(await reasonOf({}), 'no binding rule selects the identity')
  t.is(await reasonOf({ team: {} }), "error converting claim 'team' to string from unknown type")
  await put(server, '/v1/acl/binding-rule', rule({ BindName: 'x-${value.team}' }))
  const invalid = 'computed "service" bind name for bind target is invalid: "x-"'
  t.is(await reasonOf({}), invalid)
  t.is(JSON.parse((await tried(server, {})).text).Rules[0].Reason, invalid)
})

test('a login with the same claims gets the predicted token', async t => {
  const [server, provider] = await Promise.all([serverInProcess(t), stubProvider(t)])
  const { ClaimMappings } = METHOD.Config
  const Config = { JWKSURL: `${provider.issuer}/jwks`, ClaimMappings }
  await put(server, '/v1/acl/auth-method', { ...METHOD, Config })
  await put(server, '/v1/acl/role', { Name: 'team-web' })
  await put(server, '/v1/acl/binding-rule', rule({ BindType: 'role', BindName: 'team-${value.team}' }))
  await put(
    server,
    '/v1/acl/binding-rule',
    rule({ BindName: '${value.team}', Selector: 'value.env == prod' })
  )
  const claims = { team: 'web', project: { env: 'prod' } }
  const predicted = JSON.parse((await tried(server, claims)).text)
  const BearerToken = await provider.sign(claims)
  const login = await server.send('POST', '/v1/acl/login', { body: { AuthMethod: 'ci', BearerToken } })
  t.is(login.status, 200, login.text)
  const { Roles, ServiceIdentities } = JSON.parse(login.text)
  t.deepEqual([Roles, ServiceIdentities], [predicted.Roles, predicted.ServiceIdentities])
})

test('claims of a service account are its namespace, name and uid', async t => {
  const server = await serverInProcess(t)
  const Config = { Host: 'https://127.0.0.1:1', CACert: pem('ca.pem'), ServiceAccountJWT: JWT }
  await put(server, '/v1/acl/auth-method', { Name: 'ci', Type: 'kubernetes', Config })
  await put(
    server,
    '/v1/acl/binding-rule',
    rule({ BindName: '${serviceaccount.name}', Selector: 'serviceaccount.namespace == shop' })
  )
  const { text } = await tried(server, { namespace: 'shop', name: 'cart' })
  t.like(JSON.parse(text), { Allowed: true, ServiceIdentities: [{ ServiceName: 'cart' }] })
  const refused = await tried(server, { team: 'web' })
  t.is(refused.status, 400)
  t.regex(refused.text, /Claims of a service account are namespace, name, uid: "team" is none/)
  t.is((await tried(server, { name: 1 })).status, 400)
})

test('a namespace rule says where the token would be, and roles are those of there, for who may read them', async t => {
  const server = await serverInProcess(t)
  await put(server, '/v1/namespace', { Name: 'team-web' })
  const NamespaceRules = [{ Selector: 'value.team != ""', BindNamespace: 'team-${value.team}' }]
  await put(server, '/v1/acl/auth-method', { ...METHOD, NamespaceRules })
  const role = await put(server, '/v1/acl/role?ns=team-web', { Name: 'ops' })
  await put(server, '/v1/acl/binding-rule', rule({ BindType: 'role', BindName: 'ops' }))
  const { text } = await tried(server, { team: 'web' })
  t.like(JSON.parse(text), { Namespace: 'team-web', Roles: [{ ID: role['ID'], Name: 'ops' }] })
  t.like(JSON.parse((await tried(server, { team: 'none' })).text), { Allowed: false, Rules: [] })
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  const denied = await tried(server, { team: 'web' }, {}, reader)
  t.is(denied.status, 403)
  t.regex(denied.text, /lacks permission 'acl:read' in namespace "team-web"/)
  const missing = await tried(server, { team: 'none' }, {}, reader)
  t.deepEqual([missing.status, missing.text], [403, denied.text.replace('team-web', 'team-none')])
  t.is((await tried(server, {}, {}, reader)).status, 200)
})

test('who may not read the rules learns nothing, and a method must be there', async t => {
  const server = await serverInProcess(t)
  const secret = await secretWith(server, 'none', '')
  const denied = await tried(server, {}, {}, secret)
  t.regex(denied.text, /lacks permission 'acl:read'/)
  t.is((await tried(server, {})).status, 404)
  const nameless = await tried(server, {}, { AuthMethod: '' })
  t.deepEqual([nameless.status, nameless.text], [400, 'Bad request: AuthMethod must be given'])
})
