// The whole OIDC flow with a real OpenID provider, npm oidc-provider (spec: oidc-cases.md §3, §4, §6).
import test from 'ava'
import type { TestResponse } from '../../../../support/client.js'
import { CLIENT_SECRET, ODD_CLIENT, oidcProvider } from '../../../../support/oidc-provider-server.js'
import type { Scope } from '../../../../support/process.js'
import { serverInProcess } from '../../../../support/server.js'
import { until } from '../../../../support/wait.js'
import { field, methodBody, REDIRECT } from './support.js'

const real = async (t: Scope) => {
  const [server, provider] = await Promise.all([serverInProcess(t), oidcProvider(t)])
  const post = (path: string, body: unknown): Promise<TestResponse> =>
    server.send('POST', `/v1/acl/oidc/${path}`, { token: undefined, body })
  const put = (config: object = {}, method: object = {}): Promise<TestResponse> =>
    server.send('PUT', '/v1/acl/auth-method', {
      body: methodBody(provider.issuer, { OIDCClientSecret: CLIENT_SECRET, ...config }, method)
    })
  const rule = (body: object): Promise<TestResponse> =>
    server.send('PUT', '/v1/acl/binding-rule', {
      body: { AuthMethod: 'm', BindType: 'service', ...body }
    })
  /** State and code as the browser brings them back. */
  const browse = async (body: object = {}, login?: string) => {
    const answer = await post('auth-url', { AuthMethod: 'm', RedirectURI: REDIRECT, ...body })
    const back = await provider.visit(new URL(String(field(answer, 'AuthURL'))), login)
    const { state: State, code: Code, error } = Object.fromEntries(back.searchParams)
    return { State, Code, error }
  }
  const callback = (body: object): Promise<TestResponse> => post('callback', { AuthMethod: 'm', ...body })
  const login = async (body: object = {}): Promise<TestResponse> => callback(await browse(body))
  await put()
  await rule({
    BindName: 'oidc-${value.dept}-${value.level}',
    Selector: 'value.dept == Eng and "dev" in list.groups'
  })
  return { server, provider, put, rule, browse, callback, login }
}

const services = (answer: TestResponse): unknown => field(answer, 'ServiceIdentities')

test('a browser logs in and gets a token by the claims of the ID token', async t => {
  const { login, callback, browse, provider } = await real(t)
  const answer = await login()
  t.is(answer.status, 200, answer.text)
  t.deepEqual(services(answer), [{ ServiceName: 'oidc-eng-7' }])
  const { State, Code } = await browse()
  t.is((await callback({ State, Code })).status, 200)
  t.is(provider.calls.filter(call => call === 'POST /token').length, 2)
  t.is(provider.calls.filter(call => call === 'GET /jwks').length, 1)
})

test('name and email come from UserInfo when their scopes are asked for', async t => {
  const { put, rule, login } = await real(t)
  await rule({
    BindName: 'named',
    Selector: 'value.name == "Alice Example" and value.email matches "^alice@"'
  })
  t.deepEqual(services(await login()), [{ ServiceName: 'oidc-eng-7' }])
  await put({ OIDCScopes: ['profile', 'email'] })
  t.deepEqual(services(await login()), [{ ServiceName: 'named' }, { ServiceName: 'oidc-eng-7' }])
})

for (const [what, config] of [
  ['that wants its secret in the body', { OIDCClientID: 'post' }],
  ['that signs with ES256', { OIDCClientID: 'es', JWTSupportedAlgs: ['ES256'] }],
  ['that requires PKCE', { OIDCClientID: 'pkce' }],
  ['whose ID and secret need encoding', { OIDCClientID: ODD_CLIENT }]
] as const)
  test(`a client ${what} logs in`, async t => {
    const { put, login } = await real(t)
    await put(config)
    const answer = await login()
    t.is(answer.status, 200, answer.text)
  })

for (const [what, config, text] of [
  ['with another signature algorithm than the default', { OIDCClientID: 'es' }, /unsupported algorithm/],
  ['of EdDSA', { OIDCClientID: 'ed' }, /unsupported algorithm/],
  ['with an algorithm that is not named', { JWTSupportedAlgs: ['ES256'] }, /error validating signature/],
  ['for another audience', { BoundAudiences: ['x'] }, /aud claim does not match any bound audience/],
  ['with a wrong secret', { OIDCClientSecret: 'wrong-secret' }, /Error exchanging oidc code/]
] as const)
  test(`a login ${what} is refused`, async t => {
    const { put, login } = await real(t)
    await put(config)
    const answer = await login()
    t.is(answer.status, 403)
    t.regex(answer.text, text)
    t.notRegex(answer.text, /wrong-secret/)
  })

test('another port of the loopback host serves as well', async t => {
  const { browse, callback } = await real(t)
  const back = await browse({ RedirectURI: 'http://127.0.0.1:9999/oidc/callback' })
  t.is((await callback(back)).status, 200)
})

test('codes that are wrong, stolen, swapped or late give nothing', async t => {
  const { put, browse, callback } = await real(t)
  const refused = async (body: object): Promise<void> => {
    const answer = await callback(body)
    t.is(answer.status, 403)
    t.regex(answer.text, /Error exchanging oidc code|Invalid ID token nonce/)
  }
  const wrong = await browse()
  await refused({ ...wrong, Code: 'made-up' })
  const [a, b] = [await browse(), await browse({}, 'bob')]
  await refused({ State: a.State, Code: b.Code })
  await refused({ State: b.State, Code: a.Code })
  await put({ OIDCClientID: 'short' })
  const late = await browse()
  const since = Date.now()
  await until('the code has expired', () => Date.now() - since > 2100)
  await refused(late)
})

test('two users in two browsers are kept apart', async t => {
  const { rule, browse, callback } = await real(t)
  await rule({ BindName: 'of-${value.sub}' })
  const [a, b] = [await browse({}, 'alice'), await browse({}, 'bob')]
  t.like(services(await callback(b)), [{ ServiceName: 'of-bob' }])
  t.like(services(await callback(a)), [{ ServiceName: 'of-alice' }])
})

test('who declines at the provider comes back without a code, and the state stays good', async t => {
  const { server, provider, callback } = await real(t)
  const begin = await server.send('POST', '/v1/acl/oidc/auth-url', {
    body: { AuthMethod: 'm', RedirectURI: REDIRECT }
  })
  const url = new URL(String(field(begin, 'AuthURL')))
  const back = await provider.decline(url)
  t.is(back.searchParams.get('error'), 'access_denied')
  t.false(back.searchParams.has('code'))
  const State = back.searchParams.get('state')
  t.is(State, url.searchParams.get('state'))
  const answer = await callback({ State })
  t.is(answer.status, 400)
  t.regex(answer.text, /OAuth code parameter not provided/)
  const again = await provider.visit(url)
  t.is((await callback({ State, Code: again.searchParams.get('code') })).status, 200)
})
