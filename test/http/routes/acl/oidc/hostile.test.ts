// The OIDC callback against a provider that answers what it should not, slowly, or not at all (spec: oidc-cases.md §6).
import { createHmac } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import type { DependencyContainer } from 'tsyringe'
import { ProviderLimits } from '../../../../../actors/login/provider-http.js'
import { ROOT } from '../../../../support/server.js'
import { respondingProvider, hangingProvider, type Reply } from '../../../../support/stub-provider.js'
import { oidc, type Oidc } from './support.js'

const EXPIRED = /Expired or missing OAuth state/
const now = (): number => Math.floor(Date.now() / 1000)

const INVALID_CLAIMS = [
  ['no nonce', { nonce: undefined }, /Invalid ID token nonce/],
  ['another nonce', { nonce: 'other' }, /Invalid ID token nonce/],
  ['another audience', { aud: 'somebody' }, /error validating signature/],
  ['another issuer', { iss: 'https://evil.example' }, /error validating signature: invalid issuer/],
  ['an expiration 5 seconds ago', () => ({ exp: now() - 5 }), /error validating signature: token is expired/],
  ['no expiration', { exp: undefined }, /error validating signature: no expiration/],
  ['a start in 90 seconds', () => ({ nbf: now() + 120 }), /error validating signature: token not valid yet/],
  ['two audiences and no azp', { aud: ['basic', 'x'] }, /Token verification failed/],
  ['two audiences and another azp', { aud: ['basic', 'x'], azp: 'x' }, /Token verification failed/],
  [
    'a claim mapped as a text that is a list',
    { dept: ['a'] },
    /Token verification failed: error converting claim/
  ],
  [
    'a claim mapped as a text that is an object',
    { dept: {} },
    /Token verification failed: error converting claim/
  ],
  ['null within a list', { groups: [null] }, /Token verification failed: error converting claim/]
] as const

test('an ID token with an invalid claim is refused, and creates no token', async t => {
  const { server, login } = await oidc(t)
  for (const [what, claims, text] of INVALID_CLAIMS) {
    const answer = await login(typeof claims === 'function' ? claims() : claims)
    t.is(answer.status, 403, what)
    t.regex(answer.text, text, what)
    t.is((await server.send('GET', '/v1/acl/tokens?authmethod=m')).text, '[]', what)
  }
})

test('a start within a minute is accepted', async t => {
  const { login } = await oidc(t)
  t.is((await login({ nbf: now() + 30 })).status, 200)
})

test('an ID token without a signature of the provider is refused', async t => {
  const { provider, begin, callback } = await oidc(t)
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const attempt = async (make: (claims: string, nonce: string) => string | Promise<string>) => {
    const { state, nonce } = await begin()
    const claims = { iss: provider.issuer, aud: 'basic', sub: 'alice', nonce, exp: now() + 300, iat: now() }
    const id_token = await make(part(claims), nonce)
    provider.reply('/token', { access_token: 'a', token_type: 'Bearer', id_token })
    const answer = await callback({ State: state })
    t.is(answer.status, 403)
    t.regex(answer.text, /error validating signature|No id_token/)
  }
  await attempt(claims => `${part({ alg: 'none' })}.${claims}.`)
  await attempt(claims => {
    const signed = `${part({ alg: 'HS256' })}.${claims}`
    return `${signed}.${createHmac('sha256', 'the client secret').update(signed).digest('base64url')}`
  })
  await attempt(async (claims, nonce) => {
    const [head, , signature] = (await provider.sign({ nonce })).split('.')
    return `${head}.${claims}.${signature}`
  })
  await attempt(claims => `${part({ alg: 'RS256', kid: 'unknown' })}.${claims}.AAAA`)
  await attempt(() => 'no JWT at all')
})

test('an algorithm that the method does not name is refused, and one that it names accepted', async t => {
  const { put, provider, begin, give, callback, login } = await oidc(t)
  provider.addKey('ES256', 'e1')
  const first = await begin()
  await give({ nonce: first.nonce }, 'e1')
  t.regex((await callback({ State: first.state })).text, /unsupported algorithm/)
  await put({ JWTSupportedAlgs: ['ES256'] })
  const second = await begin()
  await give({ nonce: second.nonce }, 'e1')
  const answer = await callback({ State: second.state })
  t.is(answer.status, 200, answer.text)
  t.is((await login({})).status, 403)
})

test('bound audiences are checked besides the client ID', async t => {
  const { put, login } = await oidc(t)
  await put({ BoundAudiences: ['x', 'basic'] })
  t.is((await login({})).status, 200)
  await put({ BoundAudiences: ['x'] })
  const answer = await login({})
  t.is(answer.status, 403)
  t.regex(answer.text, /error validating claims: aud claim does not match any bound audience/)
})

test('a key that is new is fetched', async t => {
  const { provider, begin, give, callback, login } = await oidc(t)
  t.is((await login()).status, 200)
  provider.addKey('RS256', 'k2')
  const { state, nonce } = await begin()
  await give({ nonce }, 'k2')
  t.is((await callback({ State: state })).status, 200)
  t.is(provider.callsOf('/jwks').length, 2)
})

test('unknown keys cost a provider a bounded number of fetches', async t => {
  const { provider, login, begin, callback } = await oidc(t)
  await login()
  const forged = (await provider.sign({})).replace(/^[^.]+/, () =>
    Buffer.from('{"alg":"RS256","kid":"forged"}').toString('base64url')
  )
  provider.reply('/token', { access_token: 'a', token_type: 'Bearer', id_token: forged })
  for (let i = 0; i < 20; i++) t.is((await callback({ State: (await begin()).state })).status, 403)
  t.true(provider.callsOf('/jwks').length <= 7)
})

const FAULTY_REPLIES = [
  ['answers 500', respondingProvider(500, 'oops'), 502],
  ['answers HTML', respondingProvider(200, '<html>', 'text/html'), 502],
  ['answers without an ID token', { access_token: 'a', token_type: 'Bearer' }, 403],
  [
    'redirects elsewhere',
    respondingProvider(302, '', 'text/plain', { location: 'http://127.0.0.1:1/token' }),
    502
  ],
  ['answers more than it may', respondingProvider(200, ' '.repeat(2_000_000), 'application/json'), 502]
] as const

/** Logs in, which must fail and use the state up. */
const failingLogin = async (
  t: ExecutionContext,
  { provider, begin, callback }: Oidc,
  [what, reply, status]: readonly [string, Reply, number]
): Promise<void> => {
  const { state } = await begin()
  provider.reply('/token', reply)
  const answer = await callback({ State: state })
  t.is(answer.status, status, `${what}: ${answer.text}`)
  t.regex(answer.text, /No id_token|did not answer as it should/, what)
  t.notRegex(answer.text, /the client secret/, what)
  t.regex((await callback({ State: state })).text, EXPIRED, what)
}

test('a token endpoint with a faulty reply ends the login with a text, and uses the state up', async t => {
  const kit = await oidc(t)
  for (const faulty of FAULTY_REPLIES) await failingLogin(t, kit, faulty)
})

test('a token endpoint that hangs ends the login after the time limit, and uses the state up', async t => {
  const limits = { timeMs: 2000, bytes: 1024 * 1024 }
  const register = (scope: DependencyContainer) => scope.registerInstance(ProviderLimits, limits)
  await failingLogin(t, await oidc(t, { register }), ['hangs', hangingProvider, 502])
})

test('a hanging provider delays no other request', async t => {
  const { server, provider, begin, callback } = await oidc(t)
  const { state } = await begin()
  provider.reply('/token', hangingProvider)
  const waiting = callback({ State: state })
  t.is((await server.send('GET', '/v1/acl/token/self', { token: ROOT })).status, 200)
  t.is((await begin()).url.searchParams.get('client_id'), 'basic')
  await provider.close()
  t.is((await waiting).status, 502)
})
