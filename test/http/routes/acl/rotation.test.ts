// The rotation of a token over HTTP: what it answers, what it refuses, and how its grace period survives a restart and a snapshot.
import test from 'ava'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createToken, indexOf, secretWith, tokenOf } from '../../support.js'

const MINUTE = 60_000

const rotate = (server: TestServer, accessor: string, query = '?grace=10m', token = ROOT) =>
  server.send('PUT', `/v1/acl/token/${accessor}/rotate${query}`, { token })

const use = async (server: TestServer, token: string): Promise<number> =>
  (await server.send('GET', '/v1/acl/token/self', { token })).status

const isThere = (server: TestServer, accessor: string): boolean =>
  server.app.views.tokens.get(accessor) !== undefined

test('both secrets are valid until the grace period ends, and both histories name the other token', async t => {
  const server = await serverInProcess(t)
  const old = await createToken(server, { Description: 'deploys' })
  const answer = await rotate(server, old.AccessorID)
  t.is(answer.status, 200)
  const next = tokenOf(answer)
  t.is(next.Description, 'deploys')
  t.not(next.AccessorID, old.AccessorID)
  t.not(next.SecretID, old.SecretID)
  t.is(next.CreateIndex, indexOf(answer))
  t.deepEqual([await use(server, old.SecretID), await use(server, next.SecretID)], [200, 200])
  for (const [accessor, field, other] of [
    [old.AccessorID, 'RotatedTo', next.AccessorID],
    [next.AccessorID, 'RotatedFrom', old.AccessorID]
  ] as const) {
    const { text } = await server.send('GET', `/v1/history/acl/token/${accessor}?payload`)
    const [version] = JSON.parse(text)
    t.is(version.Index, indexOf(answer))
    t.is(version.Payload.ACLToken[field], other)
  }
  // An update keeps the link and the end of the grace period.
  const path = `/v1/acl/token/${old.AccessorID}`
  const updated = JSON.parse((await server.send('PUT', path, { body: { Description: 'old' } })).text)
  t.is(updated.RotatedTo, next.AccessorID)
  const again = await rotate(server, old.AccessorID)
  t.is(again.status, 400)
  t.is(again.headers['x-service-error-code'], 'acl.token.not-rotatable')

  server.advance(10 * MINUTE)
  await until('the replaced token is deleted', () => !isThere(server, old.AccessorID))
  t.deepEqual([await use(server, old.SecretID), await use(server, next.SecretID)], [403, 200])
})

test('without a grace period the old secret is refused at once', async t => {
  const server = await serverInProcess(t)
  const old = await createToken(server)
  t.is((await rotate(server, old.AccessorID, '?grace=0s')).status, 200)
  t.is(await use(server, old.SecretID), 403)
})

test('permission comes first, and a wrong grace period is named with its rule', async t => {
  const server = await serverInProcess(t)
  const { AccessorID } = await createToken(server)
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  const denied = await rotate(server, 'nonsense', '?grace=soon', reader)
  t.is(denied.status, 403)
  t.regex(denied.text, /lacks permission 'acl:write'/)
  for (const grace of ['soon', '-1s', '721h', '']) {
    const { status, text } = await rotate(server, AccessorID, `?grace=${grace}`)
    t.is(status, 400, grace)
    t.regex(text, /Invalid grace: .* is not a duration from 0s to 720h0m0s/, grace)
  }
  t.is((await rotate(server, 'nonsense')).status, 400)
  t.is((await rotate(server, '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4')).status, 403)
})

test('the grace period continues over a restart from a snapshot of the state', async t => {
  const dataDir = temporaryFolder(t)
  const config = { snapshot: { commits: 1 } }
  const before = await serverInProcess(t, { dataDir, config })
  const old = await createToken(before)
  const next = tokenOf(await rotate(before, old.AccessorID))
  await before.close()

  const after = await serverInProcess(t, { dataDir, config })
  t.deepEqual([await use(after, old.SecretID), await use(after, next.SecretID)], [200, 200])
  t.is(after.app.views.tokens.get(next.AccessorID)?.token.RotatedFrom, old.AccessorID)
  after.advance(10 * MINUTE)
  await until('the replaced token is deleted', () => !isThere(after, old.AccessorID))
  t.is(await use(after, next.SecretID), 200)
})

test('an archive that is restored during the grace period has both tokens, and the end of the old one', async t => {
  const server = await serverInProcess(t)
  const old = await createToken(server)
  const next = tokenOf(await rotate(server, old.AccessorID))
  const archive = await fetch(`${server.base}/v1/snapshot`, { headers: { 'X-Service-Token': ROOT } })
  const body = new Uint8Array(await archive.arrayBuffer())
  await server.send('DELETE', `/v1/acl/token/${next.AccessorID}`)
  const headers = { 'X-Service-Token': ROOT }
  t.is((await fetch(`${server.base}/v1/snapshot`, { method: 'PUT', body, headers })).status, 200)
  t.deepEqual([await use(server, old.SecretID), await use(server, next.SecretID)], [200, 200])
  server.advance(10 * MINUTE)
  await until('the replaced token is deleted', () => !isThere(server, old.AccessorID))
  t.is(await use(server, next.SecretID), 200)
})
