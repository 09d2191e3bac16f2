// The permissions of a token over HTTP: required permissions, current and historical rules.
import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'

const KEYS = 'key_prefix "app/" { policy = "read" }'

const textsOf = (text: string): readonly string[] =>
  JSON.parse(text).Rules.map(({ Text, Level }: Record<string, string>) => `${Text} ${Level}`)

const setUp = async (server: TestServer) => {
  const ID = await createPolicy(server, 'keys', KEYS)
  const token = await createToken(server, { Policies: [{ ID }] })
  return { ID, token, path: `/v1/acl/token/${token.AccessorID}/rights` }
}

test('a caller who may read tokens sees the permissions of each, and every token its own', async t => {
  const server = await serverInProcess(t)
  const { ID, token, path } = await setUp(server)
  const { status, text, headers } = await server.send('GET', path)
  t.is(status, 200)
  t.true(Number(headers['x-service-index']) >= token.ModifyIndex)
  t.deepEqual(JSON.parse(text), {
    AccessorID: token.AccessorID,
    Datacenter: 'dc1',
    DefaultPolicy: 'deny',
    Rules: [
      {
        Text: 'key_prefix "app/"',
        Resource: 'key',
        Level: 'read',
        Namespace: 'default',
        Partition: 'default',
        Line: 1,
        Column: 12,
        Source: { Kind: 'policy', ID, Name: 'keys', Links: [{ Kind: 'token' }] }
      }
    ]
  })
  t.is(
    (
      await server.send(
        'GET',
        path.toUpperCase().replace('/V1/ACL/TOKEN', '/v1/acl/token').replace('RIGHTS', 'rights')
      )
    ).text,
    text
  )
  const own = await server.send('GET', '/v1/acl/token/self/rights', { token: token.SecretID })
  t.is(own.text, text)
  const denied = await server.send('GET', path, { token: token.SecretID })
  t.is(denied.status, 403)
  t.regex(denied.text, /lacks permission 'acl:read'/)
})

test('a token that is not there has no rights to tell', async t => {
  const server = await serverInProcess(t)
  const { token, path } = await setUp(server)
  const unknown = await server.send('GET', '/v1/acl/token/5ec51e41-9583-2bf5-eed4-3bfcbffede4f/rights')
  t.deepEqual([unknown.status, unknown.text], [403, 'ACL not found'])
  const malformed = await server.send('GET', '/v1/acl/token/x/rights')
  t.is(malformed.status, 400)
  t.regex(malformed.text, /AccessorID "x" is not a valid UUID/)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  t.is((await server.send('GET', `${path}?ns=team`)).status, 403)
  t.is((await server.send('GET', `${path}?ns=*`)).status, 200)
  const anonymous = await server.send('GET', '/v1/acl/token/self/rights', { token: undefined })
  t.is(anonymous.status, 403)
  await server.send('DELETE', `/v1/acl/token/${token.AccessorID}`)
  t.is((await server.send('GET', path)).status, 403)
})

test('the right to read tokens counts where the token lives', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const reader = await secretWith(server, 'reader', 'namespace "team" { acl = "read" }')
  const { path } = await setUp(server)
  const made = JSON.parse((await server.send('PUT', '/v1/acl/token?ns=team', { body: {} })).text)
  const inTeam = `/v1/acl/token/${made.AccessorID}/rights`
  const { status, text } = await server.send('GET', `${inTeam}?ns=team`, { token: reader })
  t.is(status, 200)
  t.like(JSON.parse(text), { Namespace: 'team', Rules: [] })
  t.is((await server.send('GET', `${inTeam}?ns=*`, { token: reader })).status, 200)
  t.is((await server.send('GET', `${path}?ns=*`, { token: reader })).status, 403)
})

test('a blocking query for permissions returns when a policy of the token changes, and not otherwise', async t => {
  const server = await serverInProcess(t)
  const { ID, path } = await setUp(server)
  const index = indexOf(await server.send('GET', path))
  const waiting = server.send('GET', `${path}?index=${index}&wait=10m`)
  await createPolicy(server, 'other', '')
  await server.send('PUT', `/v1/acl/policy/${ID}`, {
    body: { Name: 'keys', Rules: KEYS.replace('read', 'write') }
  })
  t.deepEqual(textsOf((await waiting).text), ['key_prefix "app/" write'])
})

test('the permissions of a token at an earlier index are shown', async t => {
  const server = await serverInProcess(t)
  const { ID, path } = await setUp(server)
  const role = JSON.parse((await server.send('PUT', '/v1/acl/role', { body: { Name: 'r' } })).text)
  await server.send('PUT', '/v1/namespace/default', { body: { ACLs: { RoleDefaults: [{ ID: role.ID }] } } })
  await server.send('PUT', `/v1/acl/role/${role.ID}`, {
    body: { Name: 'r', ServiceIdentities: [{ ServiceName: 'web' }] }
  })
  const then = await server.send('GET', path)
  t.true(textsOf(then.text).includes('service "web" write'))
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'keys', Rules: '' } })
  await server.send('DELETE', `/v1/acl/role/${role.ID}`)
  t.deepEqual(textsOf((await server.send('GET', path)).text), [])
  const before = await server.send('GET', `${path}?at=${indexOf(then)}`)
  t.is(before.text, then.text)
})
