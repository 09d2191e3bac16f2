import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'

test('a policy is created, read by ID and by name, changed and deleted', async t => {
  const server = await serverInProcess(t)
  const Rules = 'service "web" { policy = "read" } # as given'
  const made = await server.send('PUT', '/v1/acl/policy', { body: { Name: 'Web', Rules } })
  t.is(made.status, 200)
  const policy = JSON.parse(made.text)
  t.is(indexOf(made), policy.CreateIndex)
  t.is(policy.Rules, Rules)
  for (const path of [policy.ID, policy.ID.toUpperCase(), 'name/wEB'])
    t.deepEqual(JSON.parse((await server.send('GET', `/v1/acl/policy/${path}`)).text), policy)
  const body = { ...policy, Description: 'changed' }
  const changed = await server.send('PUT', `/v1/acl/policy/${policy.ID}`, { body })
  t.is(JSON.parse(changed.text).ModifyIndex, policy.ModifyIndex + 1)
  t.is((await server.send('DELETE', `/v1/acl/policy/${policy.ID}`)).text, 'true')
  for (const path of [policy.ID, 'name/web']) {
    const { status, text } = await server.send('GET', `/v1/acl/policy/${path}`)
    t.is(status, 403)
    t.is(text, 'ACL not found')
  }
})

test('the list has the order of lower-cased names and no rules', async t => {
  const server = await serverInProcess(t)
  for (const name of ['zeta', 'Alpha', 'beta', '_under', 'BETA2', '0num'])
    await createPolicy(server, name, '')
  const list: readonly { readonly Name: string; readonly Datacenters: null }[] = JSON.parse(
    (await server.send('GET', '/v1/acl/policies')).text
  )
  t.deepEqual(
    list.map(policy => policy.Name),
    ['0num', '_under', 'Alpha', 'beta', 'BETA2', 'global-management', 'zeta']
  )
  for (const policy of list) {
    t.false('Rules' in policy)
    t.is(policy.Datacenters, null)
  }
})

test('a missing or malformed part of a path is reported', async t => {
  const server = await serverInProcess(t)
  const texts: readonly (readonly [method: string, path: string, text: RegExp])[] = [
    ['GET', '/v1/acl/policy/', /Missing policy ID/],
    ['DELETE', '/v1/acl/policy/', /Missing policy ID/],
    ['GET', '/v1/acl/policy/name/', /Missing policy Name/],
    ['GET', '/v1/acl/policy/web', /not a valid UUID/],
    ['DELETE', '/v1/acl/policy/web', /invalid UUID/]
  ]
  for (const [method, path, text] of texts) {
    const answer = await server.send(method, path)
    t.is(answer.status, 400, path)
    t.regex(answer.text, text)
  }
})

test('a malformed ID is reported only to those who may read', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token } = await createToken(server)
  for (const path of ['policy', 'role', 'binding-rule', 'token']) {
    t.is((await server.send('GET', `/v1/acl/${path}/web`, { token })).status, 403, path)
    t.is((await server.send('GET', `/v1/acl/${path}/web`, { token: 'unknown' })).status, 403, path)
    t.is((await server.send('GET', `/v1/acl/${path}/web`)).status, 400, path)
  }
})

test('a new policy may not bring an ID, and an update must name that of its path', async t => {
  const server = await serverInProcess(t)
  const body = { ID: '5ec51e41-9583-2bf5-eed4-3bfcbffede4f', Name: 'a' }
  const created = await server.send('PUT', '/v1/acl/policy', { body })
  t.is(created.status, 400)
  t.regex(created.text, /Cannot specify the ID when creating a new policy/)
  const ID = await createPolicy(server, 'web', '')
  const changed = await server.send('PUT', `/v1/acl/policy/${ID}`, { body })
  t.is(changed.status, 400)
  t.regex(changed.text, /Policy ID in URL and payload do not match/)
})

test('a change of a policy has its effect on the next request of every linked token', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'changing', 'acl = "read"')
  const read = async () => (await server.send('GET', '/v1/acl/policies', { token })).status
  const policy = JSON.parse((await server.send('GET', '/v1/acl/policy/name/changing')).text)
  t.is(await read(), 200)
  await server.send('PUT', `/v1/acl/policy/${policy.ID}`, { body: { ...policy, Rules: 'acl = "deny"' } })
  t.is(await read(), 403)
  await server.send('PUT', `/v1/acl/policy/${policy.ID}`, { body: { ...policy, Rules: 'acl = "write"' } })
  t.is(await read(), 200)
})

test('a policy for other datacenters grants nothing here', async t => {
  const server = await serverInProcess(t)
  const body = { Name: 'elsewhere', Rules: 'acl = "read"', Datacenters: ['dc2'] }
  await server.send('PUT', '/v1/acl/policy', { body })
  const made = await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'elsewhere' }] } })
  const token: string = JSON.parse(made.text).SecretID
  t.is((await server.send('GET', '/v1/acl/policies', { token })).status, 403)
})

test('who waits for a policy that is not there is woken when it is made', async t => {
  const server = await serverInProcess(t)
  const first = await server.send('PUT', '/v1/acl/policy', { body: { Name: 'first' } })
  const index = Number(first.headers['x-service-index'])
  const waiting = server.send('GET', `/v1/acl/policy/name/later?index=${index}&wait=20s`)
  await server.send('PUT', '/v1/kv/other', { body: 'x' })
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'later' } })
  const { status, text } = await waiting
  t.is(status, 200)
  t.is(JSON.parse(text).Name, 'later')
})

test('a token that is deleted while its long policy is parsed creates none', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'writer', 'acl = "write"')
  const { AccessorID } = JSON.parse((await server.send('GET', '/v1/acl/token/self', { token })).text)
  // Each part of it is a step, and other requests are handled between two.
  const Rules = 'key_prefix "team/" { policy = "write" }\n'.repeat(13_000)
  const created = server.send('PUT', '/v1/acl/policy', { token, body: { Name: 'long', Rules } })
  const deleted = await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.is(deleted.status, 200)
  t.is((await created).status, 403)
  t.is((await server.send('GET', '/v1/acl/policy/name/long')).status, 403)
})
