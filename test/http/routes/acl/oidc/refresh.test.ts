// What is known of a provider grows old: its description and its keys are fetched again (spec: auth.md §2.1).
import test from 'ava'
import { ProviderLimits } from '../../../../../actors/login/provider-http.js'
import { SetClock } from '../../../../../library/testing/set-clock.js'
import { serverInProcess } from '../../../../support/server.js'
import { respondingProvider, hangingProvider, type StubProvider } from '../../../../support/stub-provider.js'
import { until } from '../../../../support/wait.js'
import { oidc } from './support.js'

const DESCRIPTION = '/.well-known/openid-configuration'
const HOUR_MS = 3_600_000

const describe = ({ issuer, reply }: StubProvider, token = '/token', keys = '/jwks'): void =>
  reply(DESCRIPTION, {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}${token}`,
    jwks_uri: `${issuer}${keys}`
  })

const descriptions = ({ callsOf }: StubProvider): number => callsOf(DESCRIPTION).length

test('an hour after it was fetched a description is fetched again, and the new one counts', async t => {
  const { server, provider, begin } = await oidc(t, { clock: new SetClock({ runs: false }) })
  await begin()
  const before = descriptions(provider)
  server.advance(HOUR_MS - 1000)
  await begin()
  t.is(descriptions(provider), before)
  const { issuer } = provider
  provider.reply(DESCRIPTION, {
    issuer,
    authorization_endpoint: `${issuer}/moved`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`
  })
  server.advance(1000)
  await begin()
  await until('the new description counts', async () => (await begin()).url.pathname === '/moved')
  t.is(descriptions(provider), before + 1)
})

test('keys that moved with a new description are fetched from where they are', async t => {
  const { server, provider, begin, give, callback, login } = await oidc(t)
  t.is((await login()).status, 200)
  provider.reply('/moved-jwks', { keys: [] })
  describe(provider, '/token', '/moved-jwks')
  server.advance(HOUR_MS)
  await begin()
  await until('the description was fetched', () => descriptions(provider) === 3)
  const { state, nonce } = await begin()
  const at = Math.floor(server.clock.now() / 1000)
  await give({ nonce, iat: at, exp: at + 300 })
  // The set that it names now has no keys.
  t.is((await callback({ State: state })).status, 403)
  t.true(provider.callsOf('/moved-jwks').length > 0)
})

for (const [what, reply] of [
  ['hangs', hangingProvider],
  ['fails', respondingProvider(500, 'oops')],
  ['is another’s', { issuer: 'https://other.example', jwks_uri: 'https://other.example/jwks' }]
] as const)
  test(`while a new description ${what} the old one serves, and is asked for once in ten seconds at the most`, async t => {
    const { server, provider, begin } = await oidc(t)
    await begin()
    const before = descriptions(provider)
    provider.reply(DESCRIPTION, reply)
    server.advance(HOUR_MS)
    for (let i = 0; i < 10; i++) t.is((await begin()).url.pathname, '/authorize')
    await until('the description is asked for', () => descriptions(provider) > before)
    t.is(descriptions(provider), before + 1)
    if (what === 'hangs') return
    server.advance(10_000)
    await begin()
    await until('it is asked for again', () => descriptions(provider) > before + 1)
    t.is(descriptions(provider), before + 2)
  })

test('fetches for unknown keys are allowed again as time goes by', async t => {
  const { server, provider, login, begin, callback } = await oidc(t, { clock: new SetClock({ runs: false }) })
  await login()
  const forged = (await provider.sign({})).replace(/^[^.]+/, () =>
    Buffer.from('{"alg":"RS256","kid":"forged"}').toString('base64url')
  )
  provider.reply('/token', { access_token: 'a', token_type: 'Bearer', id_token: forged })
  const present = async (times: number): Promise<number> => {
    const before = provider.callsOf('/jwks').length
    for (let i = 0; i < times; i++) t.is((await callback({ State: (await begin()).state })).status, 403)
    return provider.callsOf('/jwks').length - before
  }
  t.true((await present(10)) <= 6)
  server.advance(30_000)
  const allowed = await present(10)
  t.true(allowed >= 3 && allowed <= 4, String(allowed))
})

test('a provider has ten seconds for a login unless a test says otherwise', async t => {
  const { scope } = await serverInProcess(t)
  t.like(scope.resolve(ProviderLimits), { timeMs: 10_000, bytes: 1024 * 1024 })
})
