// Login with JWTs whose keys are fetched: from a key set, or from a provider that is discovered (spec: auth.md §2).
import test from 'ava'
import { ProviderLimits } from '../../../../actors/login/provider-http.js'
import type { TestResponse } from '../../../support/client.js'
import type { Scope } from '../../../support/process.js'
import { serverInProcess, type TestServerOptions } from '../../../support/server.js'
import {
  respondingProvider,
  hangingProvider,
  pem,
  stubProvider,
  type StubProvider
} from '../../../support/stub-provider.js'

const now = (): number => Math.floor(Date.now() / 1000)

const setUp = async (
  t: Scope,
  configOf: (provider: StubProvider) => object,
  options: TestServerOptions & { readonly tls?: boolean } = {}
) => {
  const [server, provider] = await Promise.all([serverInProcess(t, options), stubProvider(t, options)])
  const put = (more: object = {}): Promise<TestResponse> =>
    server.send('PUT', '/v1/acl/auth-method', {
      body: { Name: 'j', Type: 'jwt', Config: { ...configOf(provider), ...more } }
    })
  const present = (BearerToken: string): Promise<TestResponse> =>
    server.send('POST', '/v1/acl/login', { token: undefined, body: { AuthMethod: 'j', BearerToken } })
  const login = async (claims: object = {}, kid?: string): Promise<number> =>
    (await present(await provider.sign({ sub: 'a', ...claims }, kid))).status
  const rule = (): Promise<TestResponse> =>
    server.send('PUT', '/v1/acl/binding-rule', {
      body: { AuthMethod: 'j', BindType: 'service', BindName: 'web' }
    })
  const made = await put()
  await rule()
  return { server, provider, put, rule, present, login, made }
}

const jwks = ({ issuer }: StubProvider) => ({ JWKSURL: `${issuer}/jwks` })
const discovery = ({ issuer }: StubProvider) => ({ OIDCDiscoveryURL: issuer })

test('a key set verifies whatever algorithm fits its keys, and is fetched once', async t => {
  const { provider, login, made } = await setUp(t, jwks)
  t.is(made.status, 200, made.text)
  provider.addKey('ES256', 'e')
  provider.addKey('EdDSA', 'd')
  const before = provider.callsOf('/jwks').length
  t.is(await login({}, 'k1'), 200)
  t.is(await login({}, 'e'), 200)
  t.is(await login({}, 'd'), 200)
  t.is(provider.callsOf('/jwks').length, before + 1)
})

test('a new key is fetched, keys that verify need no provider, and without it new ones are 502', async t => {
  const { provider, login } = await setUp(t, jwks)
  t.is(await login(), 200)
  provider.addKey('RS256', 'k2')
  t.is(await login({}, 'k2'), 200)
  provider.addKey('RS256', 'k3')
  await provider.close()
  t.is(await login(), 200)
  t.is(await login({}, 'k2'), 200)
  t.is(await login({}, 'k3'), 502)
})

test('a set that its provider says stays is not fetched for a key that is unknown', async t => {
  const { server, provider, login } = await setUp(t, jwks)
  provider.reply(
    '/jwks',
    respondingProvider(200, '{"keys":[]}', 'application/json', { 'cache-control': 'max-age=600' })
  )
  t.is(await login(), 403)
  const { length } = provider.callsOf('/jwks')
  t.is(await login(), 403)
  t.is(provider.callsOf('/jwks').length, length)
  server.clock.advance(580_000)
  await login()
  t.is(provider.callsOf('/jwks').length, length + 1)
})

test('unknown keys are fetched a bounded number of times', async t => {
  const { provider, present, login } = await setUp(t, jwks)
  t.is(await login(), 200)
  const { length } = provider.callsOf('/jwks')
  const [, claims, signature] = (await provider.sign({})).split('.')
  const head = Buffer.from('{"alg":"RS256","kid":"forged"}').toString('base64url')
  for (let i = 0; i < 20; i++) t.is((await present(`${head}.${claims}.${signature}`)).status, 403)
  t.true(provider.callsOf('/jwks').length <= length + 6)
  t.is(await login(), 200)
})

test('algorithms that are named are enforced for fetched keys', async t => {
  const { provider, put, login } = await setUp(t, jwks)
  provider.addKey('ES256', 'e')
  await put({ JWTSupportedAlgs: ['ES256'] })
  t.is(await login({}, 'k1'), 403)
  t.is(await login({}, 'e'), 200)
})

test('a discovered provider signs with RS256 unless others are named; issuer and times are its own', async t => {
  const { provider, put, login } = await setUp(t, discovery)
  provider.addKey('ES256', 'e')
  t.is(await login(), 200)
  t.is(await login({}, 'e'), 403)
  t.is(await login({ iss: 'https://evil.example' }), 403)
  t.is(await login({ iss: `${provider.issuer}/` }), 403)
  t.is(await login({ exp: now() - 5 }), 403)
  t.is(await login({ exp: undefined }), 403)
  t.is(await login({ nbf: now() + 30 }), 200)
  t.is(await login({ nbf: now() + 120 }), 403)
  t.is(await login({ aud: 'anybody' }), 200)
  await put({ BoundAudiences: ['us'], JWTSupportedAlgs: ['ES256'] })
  t.is(await login({ aud: 'anybody' }, 'e'), 403)
  t.is(await login({ aud: ['x', 'us'] }, 'e'), 200)
})

for (const [what, path, config] of [
  ['key set', '/jwks', jwks],
  ['provider', '/.well-known/openid-configuration', discovery]
] as const)
  test(`a ${what} that is wrong is refused when the method is made, and 502 at a login`, async t => {
    const { provider, put, present } = await setUp(t, config, {
      register: scope => scope.registerInstance(ProviderLimits, { timeMs: 2000, bytes: 1024 * 1024 })
    })
    const token = await provider.sign({})
    for (const reply of [
      respondingProvider(500, 'oops'),
      respondingProvider(200, '<html>', 'text/html'),
      respondingProvider(200, '[]', 'application/json'),
      respondingProvider(302, '', 'text/plain', { location: 'http://127.0.0.1:1/' }),
      respondingProvider(200, ' '.repeat(2_000_000), 'application/json'),
      { keys: [{ kty: 'XYZ' }] },
      { keys: [{ kty: 'RSA', n: 'x' }] },
      { keys: 5 },
      hangingProvider
    ]) {
      provider.reply(path, reply)
      const refused = await put()
      t.is(refused.status, 400, refused.text)
      t.regex(refused.text, /error checking (JWKSURL|OIDCDiscoveryURL)/)
      const login = await present(token)
      t.is(login.status, 502, login.text)
      t.true(login.text.length > 0)
    }
  })

test('an empty key set is no error, and verifies nothing', async t => {
  const { provider, put, login } = await setUp(t, jwks)
  for (const reply of [{ keys: [] }, {}]) {
    provider.reply('/jwks', reply)
    t.is((await put()).status, 200)
    t.is(await login(), 403)
  }
})

test('keys over TLS need the CA that signed', async t => {
  const { put, rule, login } = await setUp(t, jwks, { tls: true })
  t.is((await put({ JWKSCACert: pem('other-ca.pem') })).status, 400)
  t.is((await put({ JWKSCACert: pem('ca.pem') })).status, 200)
  await rule()
  t.is(await login(), 200)
})

test('many logins share one fetch, and a hanging provider delays no other request', async t => {
  const { server, provider, put, login } = await setUp(t, jwks)
  await put()
  const before = provider.callsOf('/jwks').length
  t.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, () => login()))), new Set([200]))
  t.is(provider.callsOf('/jwks').length, before + 1)
  provider.addKey('RS256', 'k9')
  provider.reply('/jwks', hangingProvider)
  const waiting = login({}, 'k9')
  t.is(await login(), 200)
  t.is((await server.send('GET', '/v1/acl/tokens')).status, 200)
  t.is(server.app.logins.size, 1)
  await provider.close()
  t.is(await waiting, 502)
  t.is(server.app.logins.size, 0)
})
