import test from 'ava'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken, indexOf, secretWith, tokenOf } from '../../support.js'

const HIDDEN = '<hidden>'

test('a token is created, read, changed, cloned and deleted', async t => {
  const server = await serverInProcess(t)
  const made = await server.send('PUT', '/v1/acl/token', { body: { Description: 'one' } })
  t.is(made.status, 200)
  const token = tokenOf(made)
  t.is(indexOf(made), token.CreateIndex)
  const path = `/v1/acl/token/${token.AccessorID}`
  t.deepEqual(tokenOf(await server.send('GET', path)), token)

  const changed = tokenOf(await server.send('PUT', path, { body: { Description: 'two' } }))
  t.is(changed.Description, 'two')
  t.is(changed.ModifyIndex, token.ModifyIndex + 1)

  const cloned = tokenOf(await server.send('PUT', `${path}/clone`, { body: {} }))
  t.is(cloned.Description, 'two')
  t.not(cloned.AccessorID, token.AccessorID)

  t.is((await server.send('DELETE', path)).text, 'true')
  const gone = await server.send('GET', path)
  t.is(gone.status, 403)
  t.is(gone.text, 'ACL not found')
  const again = await server.send('DELETE', path)
  t.is(again.text, 'true')
  t.is(again.headers['x-service-index'], undefined)
})

test('secrets are shown to those who may write ACLs, and hidden from those who may only read', async t => {
  const server = await serverInProcess(t)
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  const { AccessorID, SecretID } = await createToken(server)
  for (const [token, shown] of [
    [ROOT, SecretID],
    [reader, HIDDEN]
  ] as const) {
    t.is(tokenOf(await server.send('GET', `/v1/acl/token/${AccessorID}`, { token })).SecretID, shown)
    const { text } = await server.send('GET', '/v1/acl/tokens', { token })
    t.is(text.includes(SecretID), shown === SecretID)
    t.is(text.includes(reader), shown === SecretID)
  }
  t.is(tokenOf(await server.send('GET', '/v1/acl/token/self', { token: reader })).SecretID, reader)
})

test('a denial names the token and the permission that it lacks', async t => {
  const server = await serverInProcess(t)
  const { AccessorID, SecretID } = await createToken(server)
  const { status, text } = await server.send('GET', '/v1/acl/tokens', { token: SecretID })
  t.is(status, 403)
  t.is(text, `Permission denied: token with AccessorID '${AccessorID}' lacks permission 'acl:read'`)
})

test('an unknown token is refused, and self without a token', async t => {
  const server = await serverInProcess(t)
  for (const token of ['nonsense', undefined]) {
    const { status, text } = await server.send('GET', '/v1/acl/token/self', { token })
    t.is(status, 403)
    t.is(text, 'ACL not found')
  }
  t.is((await server.send('GET', '/v1/acl/tokens', { token: 'nonsense' })).text, 'ACL not found')
})

test('the list has the order of the secrets and filters by policy, leniently', async t => {
  const server = await serverInProcess(t)
  const ID = await createPolicy(server, 'web', '')
  const linked = await createToken(server, { Policies: [{ ID }] })
  await createToken(server)
  const list = async (query = ''): Promise<string[]> => {
    const found: readonly { readonly SecretID: string }[] = JSON.parse(
      (await server.send('GET', `/v1/acl/tokens${query}`)).text
    )
    return found.map(token => token.SecretID)
  }
  const all = await list()
  t.is(all.length, 4)
  t.deepEqual(all, all.toSorted())
  t.deepEqual(await list(`?policy=${ID}`), [linked.SecretID])
  for (const query of ['?policy=web', `?policy=${linked.AccessorID}`, '?role=x', '?authmethod=x'])
    t.deepEqual(await list(query), [], query)
  const both = await server.send('GET', `/v1/acl/tokens?policy=${ID}&role=x`)
  t.is(both.status, 400)
  t.regex(both.text, /can only filter by one of/)
})

test('a renamed policy shows its new name in every token, and a deleted one vanishes with its rights', async t => {
  const server = await serverInProcess(t)
  const ID = await createPolicy(server, 'old', 'acl = "read"')
  const token = await createToken(server, { Policies: [{ Name: 'OLD' }] })
  const path = `/v1/acl/token/${token.AccessorID}`
  const read = async () => tokenOf(await server.send('GET', path))
  const index = indexOf(await server.send('GET', path))

  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'new', Rules: 'acl = "read"' } })
  t.deepEqual((await read()).Policies, [{ ID, Name: 'new' }])
  t.is((await server.send('GET', '/v1/acl/tokens', { token: token.SecretID })).status, 200)

  await server.send('DELETE', `/v1/acl/policy/${ID}`)
  const after = await read()
  t.is(after.Policies, null)
  t.is(after.ModifyIndex, token.ModifyIndex)
  t.is(after['Hash'], token['Hash'])
  t.is(indexOf(await server.send('GET', path)), index)
  t.is((await server.send('GET', '/v1/acl/tokens', { token: token.SecretID })).status, 403)
})

test('the paths of a token without an ID ask for it, and a PUT to them creates', async t => {
  const server = await serverInProcess(t)
  for (const method of ['GET', 'DELETE']) {
    const { status, text } = await server.send(method, '/v1/acl/token/')
    t.is(status, 400)
    t.is(text, 'Bad request: Missing token ID')
  }
  t.is((await server.send('PUT', '/v1/acl/token/', { body: {} })).status, 200)
})

test('an accessor in the body must be that of the path, before rights are looked at', async t => {
  const server = await serverInProcess(t)
  const { AccessorID } = await createToken(server)
  const sending = { body: { AccessorID: AccessorID.toUpperCase() }, token: undefined }
  const { status, text } = await server.send('PUT', `/v1/acl/token/${AccessorID}`, sending)
  t.is(status, 400)
  t.regex(text, /Token Accessor ID in URL and payload do not match/)
})

test('a body is checked before the right, the content after it', async t => {
  const server = await serverInProcess(t)
  const put = (body: unknown) => server.send('PUT', '/v1/acl/token', { body, token: undefined })
  t.is((await put('{')).status, 400)
  t.is((await put({ ExpirationTTL: '1d' })).status, 400)
  t.is((await put({ AccessorID: 'no uuid' })).status, 403)
})

test('an expired token is refused by the clock alone: for use, read, self, update, clone and in lists', async t => {
  const server = await serverInProcess(t)
  const ID = await createPolicy(server, 'all', 'acl = "write"')
  const token = await createToken(server, { ExpirationTTL: '1m', Policies: [{ ID }] })
  const path = `/v1/acl/token/${token.AccessorID}`
  t.is((await server.send('GET', path, { token: token.SecretID })).status, 200)
  server.clock.advance(61_000)
  t.is((await server.send('GET', '/v1/acl/tokens', { token: token.SecretID })).text, 'ACL not found')
  t.is((await server.send('GET', '/v1/acl/token/self', { token: token.SecretID })).status, 403)
  t.is((await server.send('GET', path)).text, 'ACL not found')
  const update = await server.send('PUT', path, { body: {} })
  t.is(update.status, 400)
  t.regex(update.text, /Cannot find token/)
  t.is((await server.send('PUT', `${path}/clone`, { body: {} })).status, 403)
  t.false((await server.send('GET', '/v1/acl/tokens')).text.includes(token.AccessorID))
  t.is((await server.send('DELETE', path)).text, 'true')
  const taken = await server.send('PUT', '/v1/acl/token', { body: { AccessorID: token.AccessorID } })
  t.regex(taken.text, /already in use/)
})

test('the sweep deletes what has expired in one commit, and wakes who waits for the list', async t => {
  const server = await serverInProcess(t)
  const tokens = [
    await createToken(server, { ExpirationTTL: '1m' }),
    await createToken(server, { ExpirationTTL: '60s' })
  ]
  const lasting = await createToken(server, { ExpirationTTL: '1h' })
  const { index } = server.app.views
  const waiting = server.send('GET', `/v1/acl/tokens?index=${index}`)
  await until('the list waits', () => server.app.views.watch.size > 0)
  server.advance(61_000)
  const woken = await waiting
  t.is(indexOf(woken), index + 1)
  t.true(woken.text.includes(lasting.AccessorID))
  for (const token of tokens) t.false(woken.text.includes(token.AccessorID))
  for await (const commit of server.app.log.read(index + 1)) {
    t.is(commit.By.Command, 'ExpireTokens')
    t.is(commit.By.AccessorID, '')
    t.is(commit.Events.length, 2)
  }
  t.is(
    (await server.send('PUT', '/v1/acl/token', { body: { AccessorID: tokens[0]?.AccessorID } })).status,
    200
  )
})

test('tokens that expired while no server ran are swept at the next start', async t => {
  const first = await serverInProcess(t, { log: 'disk' })
  const token = await createToken(first, { ExpirationTTL: '1m' })
  await first.close()
  const second = await serverInProcess(t, { dataDir: first.settings.data_dir })
  t.is(second.app.views.tokens.get(token.AccessorID)?.secret, token.SecretID)
  second.advance(61_000)
  await until('the token is swept', () => !second.app.views.tokens.get(token.AccessorID))
  t.pass()
})

test('who waits for a token that is not there is woken when it is made', async t => {
  const server = await serverInProcess(t)
  const index = server.app.views.tokens.index
  const AccessorID = '5ec51e41-9583-2bf5-eed4-3bfcbffede4f'
  const waiting = server.send('GET', `/v1/acl/token/${AccessorID}?index=${index}&wait=20s`)
  await server.send('PUT', '/v1/kv/other', { body: 'x' })
  await server.send('PUT', '/v1/acl/token', { body: { AccessorID } })
  const { status, text } = await waiting
  t.is(status, 200)
  t.is(JSON.parse(text).AccessorID, AccessorID)
})

test('no list by policy or role finds those that were linked to one that was deleted', async t => {
  const server = await serverInProcess(t)
  const policy = await createPolicy(server, 'gone', '')
  const body = { Name: 'of-gone', Policies: [{ ID: policy }] }
  const role: string = JSON.parse((await server.send('PUT', '/v1/acl/role', { body })).text).ID
  await server.send('PUT', '/v1/acl/token', { body: { Policies: [{ ID: policy }], Roles: [{ ID: role }] } })
  const paths = [`tokens?policy=${policy}`, `tokens?role=${role}`, `roles?policy=${policy}`]
  const found = async (): Promise<readonly number[]> =>
    Promise.all(
      paths.map(async path => JSON.parse((await server.send('GET', `/v1/acl/${path}`)).text).length)
    )
  t.deepEqual(await found(), [1, 1, 1])
  await server.send('DELETE', `/v1/acl/policy/${policy}`)
  t.deepEqual(await found(), [0, 1, 0])
  await server.send('DELETE', `/v1/acl/role/${role}`)
  t.deepEqual(await found(), [0, 0, 0])
})
