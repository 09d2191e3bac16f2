// How many OIDC logins one client address may begin, and how much each may store.
import test from 'ava'
import { SetClock } from '../../../../../library/testing/set-clock.js'
import { oidc, REDIRECT } from './support.js'

const MOST_AT_ONCE = 300

test('beginnings of logins are bounded for each client address, and those that are refused are no commits', async t => {
  const clock = new SetClock({ runs: false })
  const { server } = await oidc(t, { clock, config: { http: { trusted_proxies: ['127.0.0.1'] } } })
  const begin = (address: string, body: object = {}) =>
    server.send('POST', '/v1/acl/oidc/auth-url', {
      token: undefined,
      headers: { 'X-Forwarded-For': address },
      body: { AuthMethod: 'm', RedirectURI: REDIRECT, ...body }
    })
  t.is((await begin('192.0.2.1', { RedirectURI: 'https://elsewhere.example/' })).status, 400)
  for (let i = 0; i < MOST_AT_ONCE; i++) t.is((await begin('192.0.2.1')).status, 200, `${i}`)
  const { index } = server.app.views
  const refused = await begin('192.0.2.1')
  t.is(refused.status, 429, refused.text)
  t.is(refused.headers['retry-after'], '1')
  t.is(server.app.views.index, index)
  t.is((await begin('192.0.2.2')).status, 200)
  clock.advance(1000)
  t.is((await begin('192.0.2.1')).status, 200)
})

test('a login begins with a body of at most 16 KiB, which is stored without a token', async t => {
  const { server } = await oidc(t)
  const begin = (length: number) =>
    server.send('POST', '/v1/acl/oidc/auth-url', {
      token: undefined,
      body: { AuthMethod: 'm', RedirectURI: REDIRECT, Meta: { note: 'x'.repeat(length) } }
    })
  t.is((await begin(16_000)).status, 200)
  const { index } = server.app.views
  const refused = await begin(16_384)
  t.is(refused.status, 413, refused.text)
  t.regex(refused.text, /the limit is 16384 bytes/)
  t.is(server.app.views.index, index)
})
