// Writes of all kinds with stored responses.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { CursorPositions } from '../../../../actors/processes/cursor-positions.js'
import { logFolder } from '../../../../server/settings/settings.js'
import { tokenOf } from '../../support.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { stubProvider } from '../../../support/stub-provider.js'
import { until } from '../../../support/wait.js'
import { field, oidc, REDIRECT } from '../../routes/acl/oidc/support.js'
import { keyed } from './keyed.js'

test('a login gives its token again as long as its credential would still log in', async t => {
  const [server, provider] = await Promise.all([serverInProcess(t), stubProvider(t)])
  const Config = { JWKSURL: `${provider.issuer}/jwks` }
  await server.send('PUT', '/v1/acl/auth-method', { body: { Name: 'j', Type: 'jwt', Config } })
  await server.send('PUT', '/v1/acl/binding-rule', {
    body: { AuthMethod: 'j', BindType: 'service', BindName: 'web' }
  })
  const exp = Math.floor(Date.now() / 1000) + 600
  const body = { AuthMethod: 'j', BearerToken: await provider.sign({ sub: 'a', exp }) }
  const login = (given: object = body) =>
    keyed(server, 'k', 'POST', '/v1/acl/login', { token: undefined, body: given })
  const first = await login()
  t.is(first.status, 200, first.text)
  t.is((await login()).text, first.text)
  t.is((await login({ ...body, Meta: { a: 'b' } })).status, 422)
  server.advance(3_600_000)
  const expired = await login()
  t.is(expired.status, 403)
  t.false(expired.text.includes(tokenOf(first).SecretID))
})

test('a logout is answered once: its token is gone', async t => {
  const [server, provider] = await Promise.all([serverInProcess(t), stubProvider(t)])
  const Config = { JWKSURL: `${provider.issuer}/jwks` }
  await server.send('PUT', '/v1/acl/auth-method', { body: { Name: 'j', Type: 'jwt', Config } })
  await server.send('PUT', '/v1/acl/binding-rule', {
    body: { AuthMethod: 'j', BindType: 'service', BindName: 'web' }
  })
  const body = { AuthMethod: 'j', BearerToken: await provider.sign({ sub: 'a' }) }
  const token = tokenOf(await server.send('POST', '/v1/acl/login', { token: undefined, body })).SecretID
  t.is((await keyed(server, 'k', 'POST', '/v1/acl/logout', { token })).status, 200)
  t.is((await keyed(server, 'k', 'POST', '/v1/acl/logout', { token })).status, 403)
})

const SECRET_KEY = '0f2c7f0e-3f5b-4b7c-9a53-6d5f1f0d9c21'

test('the first token is returned again to a caller with the key, which must not be guessable', async t => {
  const dataDir = temporaryFolder(t)
  const config = { acl: { enabled: true, default_policy: 'deny' } }
  const server = await serverInProcess(t, { dataDir, config })
  const bootstrap = (on: TestServer, key: string) =>
    keyed(on, key, 'PUT', '/v1/acl/bootstrap', { token: undefined })
  const short = await bootstrap(server, SECRET_KEY.slice(0, 31))
  t.is(short.status, 400)
  t.regex(short.text, /^Bad request: X-Service-Idempotency-Key must have at least 32 characters here/)
  const first = await bootstrap(server, SECRET_KEY)
  t.is(first.status, 200, first.text)
  t.is((await bootstrap(server, SECRET_KEY)).text, first.text)
  t.is((await bootstrap(server, SECRET_KEY.replace('0', '1'))).status, 403)
  await server.close()
  const next = await serverInProcess(t, { dataDir, config })
  // A repeat does not use up the permission for another bootstrap.
  const reset = join(next.settings.data_dir, 'acl-bootstrap-reset')
  writeFileSync(reset, String(tokenOf(first).CreateIndex))
  t.is((await bootstrap(next, SECRET_KEY)).text, first.text)
  t.true(existsSync(reset))
})

test('an OIDC login is begun and ended once, and gives its URL and its token again', async t => {
  const { server, give } = await oidc(t)
  const post = (path: string, body: object) =>
    keyed(server, SECRET_KEY, 'POST', `/v1/acl/oidc/${path}`, { token: undefined, body })
  const begin = () => post('auth-url', { AuthMethod: 'm', RedirectURI: REDIRECT })
  const begun = await begin()
  t.is((await begin()).text, begun.text)
  const { searchParams } = new URL(String(field(begun, 'AuthURL')))
  await give({ nonce: searchParams.get('nonce') })
  const given = { AuthMethod: 'm', Code: 'code', State: searchParams.get('state') }
  const first = await post('callback', given)
  t.is(first.status, 200, first.text)
  t.is((await post('callback', given)).text, first.text)
  const other = await keyed(server, SECRET_KEY.replace('0', '1'), 'POST', '/v1/acl/oidc/callback', {
    token: undefined,
    body: given
  })
  t.is(other.status, 403, 'the state is used')
})

test('a move of a cursor is a commit of its own, after the moves that wait', async t => {
  const server = await serverInProcess(t)
  for (const key of ['a', 'b']) await server.send('PUT', `/v1/kv/${key}`, { body: '1' })
  await server.send('PUT', '/v1/event/cursor/c', { body: { Topics: ['KV'], Index: 0 } })
  const move = (from: number, to: number, key = 'k') =>
    keyed(server, key, 'PUT', `/v1/event/cursor/c?cas=${from}`, { body: { Index: to } })
  const standsAt = async () => field(await server.send('GET', '/v1/event/cursor/c'), 'Index')
  const waiting = server.send('PUT', '/v1/event/cursor/c?cas=0', { body: { Index: 1 } })
  await until('the first move waits', () => server.scope.resolve(CursorPositions).of('c') === 1)
  const first = await move(1, 2)
  t.is(first.text, 'true')
  t.is((await waiting).text, 'true')
  t.is(await standsAt(), 2)
  t.is((await move(2, 1, 'l')).text, 'true')
  t.is((await move(1, 2)).text, 'true', 'it was moved back meanwhile, and stays there')
  t.is(await standsAt(), 1)
  const missed = await move(7, 2)
  t.is(missed.text, 'false')
  t.is(missed.headers['x-service-index'], undefined)
})

test('a coordinate with a key is stored at once, before those that wait', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/catalog/register', { body: { Node: 'n', Address: '10.0.0.1' } })
  const updateOf = (Error: number) => ({
    body: { Node: 'n', Coord: { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error, Adjustment: 0, Height: 0 } }
  })
  const stored = async (): Promise<unknown> => {
    const { text } = await server.send('GET', '/v1/coordinate/node/n')
    return JSON.parse(text)[0]?.Coord.Error
  }
  await server.send('PUT', '/v1/coordinate/update', updateOf(1))
  const first = await keyed(server, 'k', 'PUT', '/v1/coordinate/update', updateOf(2))
  t.is(first.status, 200, first.text)
  t.is(await stored(), 2)
  t.is((await keyed(server, 'l', 'PUT', '/v1/coordinate/update', updateOf(3))).status, 200)
  const again = await keyed(server, 'k', 'PUT', '/v1/coordinate/update', updateOf(2))
  t.is(again.headers['x-service-index'], first.headers['x-service-index'])
  const { index } = server.app.views
  server.advance(6000)
  t.is(await stored(), 3)
  t.is(server.app.views.index, index, 'nothing waits')
})

test('what makes no commit is done again', async t => {
  const server = await serverInProcess(t)
  const session = await server.send('PUT', '/v1/session/create', { body: { TTL: '20s' } })
  const renew = () => keyed(server, 'k', 'PUT', `/v1/session/renew/${String(field(session, 'ID'))}`)
  for (let i = 0; i < 2; i++) {
    t.is((await renew()).status, 200)
    t.is((await keyed(server, 'k', 'PUT', '/v1/agent/reload')).status, 200)
    t.is((await keyed(server, 'k', 'PUT', '/v1/agent/token/default', { body: { Token: '' } })).status, 200)
  }
  t.is(server.app.views.keptAnswers.size, 0)
  await server.send('PUT', `/v1/session/destroy/${String(field(session, 'ID'))}`)
  t.is((await renew()).status, 404)
})

test('the deletion of a namespace is answered at its mark, and so is its repeat', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  await server.send('PUT', '/v1/kv/a?ns=team', { body: '1' })
  const first = await keyed(server, 'k', 'DELETE', '/v1/namespace/team')
  t.is(first.status, 200)
  const again = await keyed(server, 'k', 'DELETE', '/v1/namespace/team')
  t.is(again.headers['x-service-index'], first.headers['x-service-index'])
  t.is(again.status, 200)
})

test('a revert is made once', async t => {
  const server = await serverInProcess(t)
  const one = await server.send('PUT', '/v1/kv/a', { body: '1' })
  await server.send('PUT', '/v1/kv/a', { body: '2' })
  const path = `/v1/event/revert?topic=KV&key=a&to=${String(one.headers['x-service-index'])}`
  const first = await keyed(server, 'k', 'PUT', path)
  t.is(first.status, 200, first.text)
  await server.send('PUT', '/v1/kv/a', { body: '3' })
  t.is((await keyed(server, 'k', 'PUT', path)).text, first.text)
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, '3')
})

test('with an encryption key no answer is readable in the files of the log', async t => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const server = await serverInProcess(t, { log: 'disk', config: { encryption: { key } } })
  const first = await keyed(server, 'k', 'PUT', '/v1/acl/token', { body: {} })
  t.is((await keyed(server, 'k', 'PUT', '/v1/acl/token', { body: {} })).text, first.text)
  const folder = logFolder(server.settings.data_dir)
  await server.close()
  for (const name of readdirSync(folder).filter(each => each.includes('.')))
    t.false(readFileSync(join(folder, name)).includes(tokenOf(first).SecretID), name)
})
