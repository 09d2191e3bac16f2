// Rate limits on addresses whose tokens and logins fail repeatedly.
import { instanceCachingFactory } from 'tsyringe'
import test, { type ExecutionContext } from 'ava'
import { AuthFailures, TooManyFailures } from '../../../../http/wire/sockets/auth-failures.js'
import { createLogger } from '../../../../server/telemetry/logging/logger.js'
import { Metrics } from '../../../../server/telemetry/metrics/metrics.js'
import { LOGGER } from '../../../../server/settings/ports.js'
import { LiveSettings } from '../../../../server/settings/settings.js'
import { unknownToken } from '../../../../actors/refusal.js'
import { testSettings, ROOT, serverInProcess } from '../../../support/server.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { stubProvider } from '../../../support/stub-provider.js'

const WRONG = '00000000-1111-2222-3333-444444444444'

const limited = async (t: ExecutionContext, config: object = {}, burst = 3) => {
  const lines: string[] = []
  const clock = new SetClock({ runs: false })
  const server = await serverInProcess(t, {
    config: { limits: { auth_failures: 1, auth_failures_burst: burst }, ...config },
    register: scope => {
      const write = (line: string): void => void lines.push(line)
      scope.registerInstance(LOGGER, createLogger({ log: { level: 'warn', pretty: false } }, { write }))
      scope.register(AuthFailures, {
        useFactory: instanceCachingFactory(
          from =>
            new AuthFailures(from.resolve(LiveSettings), from.resolve(LOGGER), clock, from.resolve(Metrics))
        )
      })
    }
  })
  const guess = async (headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await server.send('GET', '/v1/acl/token/self', { token: WRONG, headers })).status
  return { server, guess, lines, advance: (ms: number) => clock.advance(ms) }
}

test('unknown tokens are 403 up to the burst, then 429, then as many as the rate allows', async t => {
  const { server, guess, lines, advance } = await limited(t)
  for (let i = 0; i < 3; i++) t.is(await guess(), 403)
  const refused = await server.send('GET', '/v1/kv/a', { token: WRONG })
  t.is(refused.status, 429)
  t.is(refused.headers['retry-after'], '1')
  t.regex(refused.text, /limits\.auth_failures/)
  t.is(await guess(), 429)
  advance(1000)
  t.is(await guess(), 403)
  t.is(await guess(), 429)
  t.is(lines.length, 1)
  t.is(JSON.parse(lines[0] ?? '').address, '127.0.0.1')
  advance(3000)
  for (let i = 0; i < 3; i++) t.is(await guess(), 403)
  t.is(await guess(), 429)
  t.is(lines.length, 2)
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  t.regex(text, /annals_auth_failures_total\{credential="token"\} 11\b/)
  t.regex(text, /annals_auth_failures_limited_total\{credential="token"\} 4\b/)
})

test('a valid token, and a request without one, are never refused for the failures of others', async t => {
  const { server, guess } = await limited(t)
  for (let i = 0; i < 5; i++) await guess()
  t.is(await guess(), 429)
  t.is((await server.send('GET', '/v1/acl/token/self', { token: ROOT })).status, 200)
  t.is((await server.send('GET', '/v1/status/leader', { token: undefined })).status, 200)
  t.is((await server.send('GET', '/v1/acl/token/self', { token: undefined })).status, 403)
})

test('failed logins and logouts count, and a good login goes through', async t => {
  const { server, guess } = await limited(t, {}, 4)
  const provider = await stubProvider(t)
  const put = (path: string, body: object) => server.send('PUT', path, { body })
  const Config = { JWKSURL: `${provider.issuer}/jwks`, BoundIssuer: provider.issuer }
  t.is((await put('/v1/acl/auth-method', { Name: 'm', Type: 'jwt', MaxTokenTTL: '1h', Config })).status, 200)
  const rule = { AuthMethod: 'm', BindType: 'service', BindName: 'web' }
  t.is((await put('/v1/acl/binding-rule', rule)).status, 200)
  const login = async (AuthMethod: string, BearerToken: string): Promise<number> =>
    (await server.send('POST', '/v1/acl/login', { token: undefined, body: { AuthMethod, BearerToken } }))
      .status
  const good = await provider.sign({ sub: 'a' })
  const forged = await provider.sign({ iss: 'https://other.example' })
  t.is(await login('m', forged), 403)
  t.is(await login('nothing', good), 403)
  t.is((await server.send('POST', '/v1/acl/logout', { token: WRONG })).status, 403)
  const callback = { AuthMethod: 'm', State: 'guessed', Code: 'c' }
  t.is((await server.send('POST', '/v1/acl/oidc/callback', { body: callback })).status, 400)
  t.is(await guess(), 403)
  t.is(await login('m', forged), 429)
  t.is(await login('nothing', good), 429)
  t.is((await server.send('POST', '/v1/acl/logout', { token: WRONG })).status, 429)
  t.is(await login('m', good), 200)
})

test('what a token may not do is no failure of the token', async t => {
  const { server } = await limited(t)
  for (let i = 0; i < 6; i++)
    t.is((await server.send('PUT', '/v1/kv/a', { token: undefined, body: 'x' })).status, 403)
})

test('behind trusted proxies each client has its own count, and cannot choose another one', async t => {
  const { guess } = await limited(t, { http: { trusted_proxies: ['127.0.0.1', '10.0.0.0/8'] } }, 1)
  const from = (...addresses: string[]) => guess({ 'x-forwarded-for': addresses.join(', ') })
  t.is(await from('192.0.2.1'), 403)
  t.is(await from('192.0.2.1'), 429)
  t.is(await from('192.0.2.2'), 403)
  t.is(await from('198.51.100.7', '192.0.2.1', '10.1.1.1'), 429)
  t.is(await from('192.0.2.2:4711'), 429)
  t.is(await from('2001:db8::1'), 403)
  t.is(await from('2001:db8::ffff:2'), 429)
  t.is(await from('2001:db8:0:1::1'), 403)
})

test('without trusted proxies, forwarded addresses are ignored', async t => {
  const { guess } = await limited(t, {}, 1)
  t.is(await guess({ 'x-forwarded-for': '192.0.2.1' }), 403)
  t.is(await guess({ 'x-forwarded-for': '192.0.2.2' }), 429)
})

test('a limit of 0 is none', async t => {
  const { guess } = await limited(t, { limits: { auth_failures: 0, auth_failures_burst: 1 } })
  for (let i = 0; i < 10; i++) t.is(await guess(), 403)
})

test('of many addresses a bounded number is kept, the latest ones', t => {
  const live = new LiveSettings(() => testSettings(t, { config: { limits: { auth_failures_burst: 1 } } }))
  const failures = new AuthFailures(
    live,
    createLogger(live.current),
    new SetClock({ runs: false }),
    new Metrics(new SetClock({ runs: false }))
  )
  const address = (i: number): string => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`
  for (let i = 0; i < 50_000; i++) failures.judge(unknownToken(), address(i))
  t.is(failures.size, 20_000)
  t.true(failures.judge(unknownToken(), address(49_999)) instanceof TooManyFailures)
  t.false(failures.judge(unknownToken(), address(0)) instanceof TooManyFailures)
})
