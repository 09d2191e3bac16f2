import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy } from '../../support.js'

const put = async (server: TestServer, path: string, body: object) => {
  const { status, text } = await server.send('PUT', path, { body })
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  return JSON.parse(text)
}
const get = async (server: TestServer, path: string) => JSON.parse((await server.send('GET', path)).text)
const may = async (server: TestServer, secret: string, Resource: string, Access: string, Segment: string) => {
  const body = [{ Resource, Access, Segment }]
  const { text } = await server.send('POST', '/v1/internal/acl/authorize', { token: secret, body })
  return JSON.parse(text)[0].Allow
}

test('a role is created, read by ID and by name, changed and deleted', async t => {
  const server = await serverInProcess(t)
  await createPolicy(server, 'web', '')
  const role = await put(server, '/v1/acl/role', { Name: 'Ops', Policies: [{ Name: 'WEB' }] })
  t.deepEqual(Object.keys(role), [
    'ID',
    'Name',
    'Description',
    'Policies',
    'Hash',
    'CreateIndex',
    'ModifyIndex'
  ])
  for (const path of [role.ID, role.ID.toUpperCase(), 'name/oPS'])
    t.deepEqual(await get(server, `/v1/acl/role/${path}`), role)
  t.deepEqual(await get(server, '/v1/acl/roles'), [role])
  t.deepEqual(await get(server, `/v1/acl/roles?policy=${role.Policies[0].ID}`), [role])
  const changed = await put(server, `/v1/acl/role/${role.ID}`, { Name: 'Ops', ID: role.ID })
  t.false('Policies' in changed)
  t.deepEqual(await get(server, `/v1/acl/roles?policy=${role.Policies[0].ID}`), [])
  t.is((await server.send('DELETE', `/v1/acl/role/${role.ID}`)).text, 'true')
  for (const path of [role.ID, 'name/ops']) {
    const { status, text } = await server.send('GET', `/v1/acl/role/${path}`)
    t.is(status, 404)
    t.regex(text, /No ACL role with (ID|name) "/)
  }
})

test('what a role grants is granted at once, and gone at once when it is changed or deleted', async t => {
  const server = await serverInProcess(t)
  await createPolicy(server, 'keys', 'key_prefix "" { policy = "read" }')
  const role = await put(server, '/v1/acl/role', { Name: 'r' })
  const { SecretID } = await put(server, '/v1/acl/token', { Roles: [{ Name: 'R' }] })
  t.false(await may(server, SecretID, 'key', 'read', 'a'))
  const services = [{ ServiceName: 'web' }]
  const body = { Name: 'r', Policies: [{ Name: 'keys' }], ServiceIdentities: services }
  await put(server, `/v1/acl/role/${role.ID}`, body)
  t.true(await may(server, SecretID, 'key', 'read', 'a'))
  t.true(await may(server, SecretID, 'service', 'write', 'web'))
  await server.send('DELETE', `/v1/acl/policy/${(await get(server, '/v1/acl/policy/name/keys')).ID}`)
  t.false(await may(server, SecretID, 'key', 'read', 'a'))
  t.true(await may(server, SecretID, 'service', 'write', 'web'))
  await server.send('DELETE', `/v1/acl/role/${role.ID}`)
  t.false(await may(server, SecretID, 'service', 'write', 'web'))
})

test('tokens and roles show the names of today, and nothing of what is gone', async t => {
  const server = await serverInProcess(t)
  await createPolicy(server, 'p', '')
  const policy = await get(server, '/v1/acl/policy/name/p')
  const role = await put(server, '/v1/acl/role', { Name: 'r', Policies: [{ Name: 'p' }] })
  const token = await put(server, '/v1/acl/token', { Policies: [{ Name: 'p' }], Roles: [{ Name: 'r' }] })
  await put(server, `/v1/acl/policy/${policy.ID}`, { Name: 'p2' })
  await put(server, `/v1/acl/role/${role.ID}`, { Name: 'r2', Policies: [{ Name: 'p2' }] })
  const renamed = await get(server, `/v1/acl/token/${token.AccessorID}`)
  t.is(renamed.Policies[0].Name, 'p2')
  t.is(renamed.Roles[0].Name, 'r2')
  t.is(renamed.ModifyIndex, token.ModifyIndex)
  t.is((await get(server, `/v1/acl/role/${role.ID}`)).Policies[0].Name, 'p2')
  await server.send('DELETE', `/v1/acl/policy/${policy.ID}`)
  await server.send('DELETE', `/v1/acl/role/${role.ID}`)
  const left = await get(server, `/v1/acl/token/${token.AccessorID}`)
  t.is(left.Policies, null)
  t.false('Roles' in left)
  t.is(left.Hash, token.Hash)
})

test('a read of one role waits for that role alone', async t => {
  const server = await serverInProcess(t)
  const role = await put(server, '/v1/acl/role', { Name: 'r' })
  const index = (await put(server, '/v1/acl/role', { Name: 'other' })).ModifyIndex
  const waiting = server.send('GET', `/v1/acl/role/${role.ID}?index=${index}&wait=10s`)
  await put(server, '/v1/acl/role', { Name: 'third' })
  const { ModifyIndex } = await put(server, `/v1/acl/role/${role.ID}`, { Name: 'r', Description: 'new' })
  const { text, headers } = await waiting
  t.is(JSON.parse(text).Description, 'new')
  t.is(Number(headers['x-service-index']), ModifyIndex)
})

test('who waits for a role that is not there is woken when it is made', async t => {
  const server = await serverInProcess(t)
  const first = (await server.send('PUT', '/v1/acl/role', { body: { Name: 'first' } })).headers[
    'x-service-index'
  ]
  const path = `/v1/acl/role/name/later?index=${String(first)}&wait=20s`
  const waiting = server.send('GET', path)
  await server.send('PUT', '/v1/kv/other', { body: 'x' })
  await server.send('PUT', '/v1/acl/role', { body: { Name: 'later' } })
  const { status, text } = await waiting
  t.is(status, 200)
  t.is(JSON.parse(text).Name, 'later')
})
