// The OIDC callback: logins that succeed, the life of a state, and rules (spec: oidc-cases.md §3, §5, §6).
import test from 'ava'
import { respondingProvider } from '../../../../support/stub-provider.js'
import { SetClock } from '../../../../../library/testing/set-clock.js'
import { until } from '../../../../support/wait.js'
import { field, oidc, REDIRECT } from './support.js'

const EXPIRED = /Expired or missing OAuth state/

test('a login gives a token of the method that ends with its TTL, can be read, and can log out', async t => {
  const { server, rule, login } = await oidc(t)
  await rule({ BindName: 'oidc-${value.dept}', Selector: 'value.dept == Eng and "dev" in list.groups' })
  const answer = await login({ dept: 'Eng', groups: ['dev', 'ops'] })
  t.is(answer.status, 200, answer.text)
  const token = JSON.parse(answer.text)
  t.like(token, {
    AuthMethod: 'm',
    Local: true,
    Description: 'token created via OIDC login',
    Policies: null,
    ServiceIdentities: [{ ServiceName: 'oidc-eng' }, { ServiceName: 'web' }]
  })
  t.is(Date.parse(token.ExpirationTime) - Date.parse(token.CreateTime), 300_000)
  const self = await server.send('GET', '/v1/acl/token/self', { token: token.SecretID })
  const { LastUsed: _, ...read } = JSON.parse(self.text)
  t.deepEqual(read, token)
  const listed = await server.send('GET', '/v1/acl/tokens?authmethod=m')
  t.is(JSON.parse(listed.text).length, 1)
  const out = await server.send('POST', '/v1/acl/logout', { token: token.SecretID })
  t.is(out.text, 'true')
})

test('the code is exchanged once, with the redirect URI, the verifier and Basic; keys and description are kept', async t => {
  const { provider, begin, login } = await oidc(t)
  t.is((await login({})).status, 200)
  t.is((await login({})).status, 200)
  const [call] = provider.callsOf('/token')
  const body = new URLSearchParams(call?.body)
  t.is(body.get('grant_type'), 'authorization_code')
  t.is(body.get('code'), 'code')
  t.is(body.get('redirect_uri'), REDIRECT)
  t.regex(body.get('code_verifier') ?? '', /^[A-Za-z0-9._~-]{43,128}$/)
  t.is(body.get('client_secret'), null)
  const basic = Buffer.from((call?.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString()
  t.is(basic, 'basic:the+client+secret')
  t.is(provider.callsOf('/token').length, 2)
  t.is(provider.callsOf('/jwks').length, 1)
  t.is(provider.callsOf('/userinfo').at(0)?.headers.authorization, 'Bearer access')
  // Once when the method was made, once when it was first used.
  t.is(provider.callsOf('/.well-known/openid-configuration').length, 2)
  const { url } = await begin()
  t.is(url.searchParams.get('code_challenge_method'), 'S256')
})

test('a provider that refuses Basic at first contact gets the secret in the body, from then on at once', async t => {
  const { provider, begin, give, callback, login } = await oidc(t)
  const { state, nonce } = await begin()
  const id_token = await provider.sign({ aud: 'basic', sub: 'alice', nonce })
  provider.reply('/token', (call, response) => {
    const accepted = call.headers.authorization === undefined
    response
      .writeHead(accepted ? 200 : 401, { 'content-type': 'application/json' })
      .end(
        JSON.stringify(
          accepted ? { access_token: 'a', token_type: 'Bearer', id_token } : { error: 'invalid_client' }
        )
      )
  })
  t.is((await callback({ State: state })).status, 200)
  t.is(provider.callsOf('/token').length, 2)
  await give({})
  t.is((await login()).status, 200)
  t.is(provider.callsOf('/token').length, 3)
})

test('a code that is missing is 400 and leaves the state good; a state that is missing or made up is 403', async t => {
  const { provider, begin, give, callback } = await oidc(t)
  const { state, nonce } = await begin()
  await give({ nonce })
  for (const Code of ['', undefined]) {
    const answer = await callback({ State: state, Code })
    t.is(answer.status, 400)
    t.regex(answer.text, /OAuth code parameter not provided/)
  }
  for (const State of ['', undefined, 'made-up']) {
    const answer = await callback({ State })
    t.is(answer.status, 403)
    t.regex(answer.text, EXPIRED)
  }
  t.is(provider.callsOf('/token').length, 0)
  t.is((await callback({ State: state })).status, 200)
})

test('a state serves once: not after a success, not after a failure, not twice at the same time', async t => {
  const { server, provider, begin, give, callback } = await oidc(t)
  const first = await begin()
  await give({ nonce: first.nonce })
  const both = await Promise.all([callback({ State: first.state }), callback({ State: first.state })])
  t.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 403]
  )
  const again = await callback({ State: first.state })
  t.is(again.status, 403)
  t.regex(again.text, EXPIRED)
  t.is(JSON.parse((await server.send('GET', '/v1/acl/tokens?authmethod=m')).text).length, 1)
  const second = await begin()
  provider.reply('/token', respondingProvider(400, '{"error":"invalid_grant"}', 'application/json'))
  const failed = await callback({ State: second.state })
  t.is(failed.status, 403)
  t.regex(failed.text, /Error exchanging oidc code: .*invalid_grant/)
  await give({ nonce: second.nonce })
  t.regex((await callback({ State: second.state })).text, EXPIRED)
})

test('a state lives for ten minutes, and is then forgotten', async t => {
  const clock = new SetClock({ runs: false })
  const { server, provider, begin, callback } = await oidc(t, { clock })
  const [late, intime] = [await begin(), await begin()]
  server.advance(599_000)
  const at = Math.floor(server.clock.now() / 1000)
  const id_token = await provider.sign({
    aud: 'basic',
    sub: 'alice',
    nonce: intime.nonce,
    iat: at,
    exp: at + 300
  })
  provider.reply('/token', { access_token: 'a', token_type: 'Bearer', id_token })
  const good = await callback({ State: intime.state })
  t.is(good.status, 200, good.text)
  server.clock.advance(2000)
  t.regex((await callback({ State: late.state })).text, EXPIRED)
  server.advance(1)
  await until('the request is forgotten', () => server.app.views.oidcRequests.size === 0)
})

test('pending requests survive a restart of the server', async t => {
  const before = await oidc(t, { log: 'disk' })
  const { state, nonce } = await before.begin({ Meta: { who: 'alice' } })
  await before.server.close()
  const after = await oidc(t, { dataDir: before.server.settings.data_dir })
  // The second kit put its own provider into the method, so the code goes there.
  await after.give({ nonce })
  const answer = await after.callback({ State: state })
  t.is(answer.status, 200, answer.text)
  t.is(field(answer, 'Description'), 'token created via OIDC login: {"who":"alice"}')
})

test('Meta of the callback wins over that of the URL', async t => {
  const { begin, give, callback } = await oidc(t)
  const { state, nonce } = await begin({ Meta: { a: '1' } })
  await give({ nonce })
  const answer = await callback({ State: state, Meta: { z: '<', b: '2' } })
  t.is(field(answer, 'Description'), 'token created via OIDC login: {"b":"2","z":"\\u003c"}')
})

test('a client nonce given for the URL must be given again, and a wrong one uses the state up', async t => {
  const { begin, give, callback } = await oidc(t)
  const right = await begin({ ClientNonce: 'n' })
  await give({ nonce: right.nonce })
  t.is((await callback({ State: right.state, ClientNonce: 'n' })).status, 200)
  const unasked = await begin()
  await give({ nonce: unasked.nonce })
  t.is((await callback({ State: unasked.state, ClientNonce: 'n' })).status, 200)
  for (const ClientNonce of ['other', undefined]) {
    const { state, nonce } = await begin({ ClientNonce: 'n' })
    await give({ nonce })
    const wrong = await callback({ State: state, ClientNonce })
    t.is(wrong.status, 403)
    t.regex(wrong.text, /ClientNonce/)
    t.regex((await callback({ State: state, ClientNonce: 'n' })).text, EXPIRED)
  }
})

test('a state belongs to its method, and goes with it', async t => {
  const { server, put, begin, give, callback } = await oidc(t)
  await put({}, { Name: 'm2' })
  const { state, nonce } = await begin()
  await give({ nonce })
  const elsewhere = await callback({ AuthMethod: 'm2', State: state })
  t.is(elsewhere.status, 403)
  t.regex(elsewhere.text, EXPIRED)
  t.is((await callback({ State: state })).status, 200)
  const left = await begin()
  await server.send('DELETE', '/v1/acl/auth-method/m')
  const gone = await callback({ State: left.state })
  t.is(gone.status, 403)
  t.regex(gone.text, /auth method "m" not found/)
  await put()
  t.regex((await callback({ State: left.state })).text, EXPIRED)
})

test('a method changed in between counts as it is then', async t => {
  const { put, rule, begin, give, callback } = await oidc(t)
  const first = await begin()
  await rule({ BindName: 'later' })
  await give({ nonce: first.nonce })
  const answer = await callback({ State: first.state })
  t.deepEqual(field(answer, 'ServiceIdentities'), [{ ServiceName: 'later' }, { ServiceName: 'web' }])
  const second = await begin()
  await put({ AllowedRedirectURIs: ['https://app.example/cb'] })
  await give({ nonce: second.nonce })
  const refused = await callback({ State: second.state })
  t.is(refused.status, 403)
  t.regex(refused.text, /unauthorized redirect_uri/)
})

test('a login for which no rule is gives no token, and a computed name that is none ends it', async t => {
  const { server, rule, login } = await oidc(t)
  const rules: readonly { readonly ID: string }[] = JSON.parse(
    (await server.send('GET', '/v1/acl/binding-rules')).text
  )
  for (const { ID } of rules) await server.send('DELETE', `/v1/acl/binding-rule/${ID}`)
  const none = await login()
  t.is(none.status, 403)
  t.is(none.text, 'Permission denied')
  await rule({ BindType: 'role', BindName: 'dev' })
  t.is((await login()).status, 403)
  await server.send('PUT', '/v1/acl/role', { body: { Name: 'dev' } })
  t.like(JSON.parse((await login()).text), { Roles: [{ Name: 'dev' }] })
  await rule({ BindName: '${value.email}' })
  t.is((await login({ email: 'alice@x' })).status, 403)
})

test('a method for global tokens makes global ones', async t => {
  const { put, login } = await oidc(t)
  await put({}, { TokenLocality: 'global' })
  t.is(field(await login(), 'Local'), false)
})

test('fifty logins at once, ended in reverse order, keep their identities apart', async t => {
  const { provider, rule, begin, callback } = await oidc(t)
  await rule({ BindName: 'of-${value.sub}' })
  const begun = await Promise.all(Array.from({ length: 50 }, () => begin()))
  const tokens = new Map<string, string>()
  for (const [i, { nonce }] of begun.entries())
    tokens.set(`c${i}`, await provider.sign({ aud: 'basic', sub: `u${i}`, nonce }))
  provider.reply('/token', (call, response) => {
    const id_token = tokens.get(new URLSearchParams(call.body).get('code') ?? '')
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token }))
  })
  const ends = begun.map(({ state }, i) => ({ state, i })).toReversed()
  const answers = await Promise.all(ends.map(({ state, i }) => callback({ State: state, Code: `c${i}` })))
  t.deepEqual(
    answers.map(answer => Reflect.get(JSON.parse(answer.text).ServiceIdentities[0], 'ServiceName')),
    ends.map(({ i }) => `of-u${i}`)
  )
})
