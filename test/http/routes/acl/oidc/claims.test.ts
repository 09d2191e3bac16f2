// What of a provider's claims selectors and templates see, and what the log shows (spec: oidc-cases.md §4, §8).
import { Writable } from 'node:stream'
import test from 'ava'
import { pino } from 'pino'
import { LOGGER } from '../../../../../server/settings/ports.js'
import { respondingProvider, type Reply } from '../../../../support/stub-provider.js'
import { ProviderLimits } from '../../../../../actors/login/provider-http.js'
import type { Scope } from '../../../../support/process.js'
import { oidc } from './support.js'

const services = (text: string): unknown => JSON.parse(text).ServiceIdentities

test('texts, numbers and lists of the ID token can be selected and put into names', async t => {
  const { rule, login } = await oidc(t)
  await rule({ BindName: 'n-${value.dept}-${value.level}', Selector: 'value.sub == alice' })
  await rule({ BindName: 'ops', Selector: 'ops in list.groups' })
  await rule({ BindName: 'unbound', Selector: 'value.name == ""' })
  await rule({ BindName: 'unnamed', Selector: 'value.name != y' })
  const answer = await login({ dept: 'Eng', level: 7.9, groups: ['dev', '', 'ops', 5, true] })
  t.deepEqual(services(answer.text), [
    { ServiceName: 'n-eng-7' },
    { ServiceName: 'ops' },
    { ServiceName: 'unnamed' },
    { ServiceName: 'web' }
  ])
})

test('a single text stands for a list of one', async t => {
  const { rule, login } = await oidc(t)
  await rule({ BindName: 'dev', Selector: 'dev in list.groups' })
  t.deepEqual(services((await login({ groups: 'dev' })).text), [
    { ServiceName: 'dev' },
    { ServiceName: 'web' }
  ])
})

test('UserInfo adds to the ID token and wins over it', async t => {
  const { provider, rule, login } = await oidc(t)
  provider.reply('/userinfo', { sub: 'alice', dept: 'Ops', name: 'Alice' })
  await rule({ BindName: '${value.dept}-${value.name}' })
  t.deepEqual(services((await login({ dept: 'Eng' })).text), [
    { ServiceName: 'ops-alice' },
    { ServiceName: 'web' }
  ])
})

test('UserInfo of somebody else, without a subject, that fails, or never comes is ignored', async t => {
  const { provider, rule, login } = await oidc(t, {
    register: scope => scope.registerInstance(ProviderLimits, { timeMs: 4000, bytes: 1024 * 1024 })
  })
  await rule({ BindName: 'root', Selector: 'value.dept == Root' })
  const replies: readonly Reply[] = [
    { sub: 'mallory', dept: 'Root' },
    { dept: 'Root' },
    respondingProvider(500, 'oops'),
    respondingProvider(200, 'dept=Root'),
    () => {}
  ]
  for (const [at, reply] of replies.entries()) {
    provider.reply('/userinfo', reply)
    const answer = await login({ dept: 'Eng' })
    t.is(answer.status, 200, `${at}: ${answer.text}`)
    t.deepEqual(services(answer.text), [{ ServiceName: 'web' }], String(at))
  }
})

test('a provider without UserInfo is not asked for it', async t => {
  const { provider, put, login } = await oidc(t)
  const { issuer } = provider
  provider.reply('/.well-known/openid-configuration', {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`
  })
  await put()
  t.is((await login()).status, 200)
  t.is(provider.callsOf('/userinfo').length, 0)
})

test('the nonce is no claim; issuer and audience are, an audience that is a list only as one', async t => {
  const { put, rule, login } = await oidc(t)
  await put({ ClaimMappings: { nonce: 'nonce', iss: 'iss', aud: 'aud' } })
  await rule({ BindName: 'seen', Selector: 'value.aud == basic and value.iss matches "^http"' })
  await rule({
    BindName: 'nonce',
    Selector: 'value.nonce not matches "^$" and value.nonce != "" and "" in value.nonce'
  })
  t.deepEqual(services((await login()).text), [{ ServiceName: 'seen' }, { ServiceName: 'web' }])
  t.is((await login({ aud: ['basic'] })).status, 403)
  await put({ ClaimMappings: {}, ListClaimMappings: { aud: 'aud', '/realm/roles': 'roles' } })
  await rule({ BindName: 'pointed', Selector: 'admin in list.roles and basic in list.aud' })
  const answer = await login({ aud: ['basic'], realm: { roles: ['admin'] } })
  t.true(answer.text.includes('pointed'), answer.text)
})

/** Logs in while every line of log is kept. */
const logged = async (t: Scope, level: string, isVerbose: boolean): Promise<string> => {
  const lines: string[] = []
  const { put, login } = await oidc(t, {
    config: { log: { level } },
    register: scope => {
      const stream = new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          lines.push(chunk.toString())
          done()
        }
      })
      scope.registerInstance(LOGGER, pino({ level }, stream))
    }
  })
  await put({ VerboseOIDCLogging: isVerbose })
  await login({ dept: 'Eng-claim' })

  await login({ aud: 'other', dept: 'Eng-claim' })
  return lines.join('')
}

test('tokens and claims are logged at debug level, where the method says so, and nowhere else', async t => {
  const SECRET = /Eng-claim|eyJ|the client secret|"access"|code_verifier/
  t.notRegex(await logged(t, 'debug', false), SECRET)
  t.notRegex(await logged(t, 'info', true), SECRET)
  const verbose = await logged(t, 'debug', true)
  t.regex(verbose, /Eng-claim/)
  t.regex(verbose, /eyJ/)
  t.notRegex(verbose, /the client secret/)
})
