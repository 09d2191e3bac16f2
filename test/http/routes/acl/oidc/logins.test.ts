// The token of a login, and its errors (spec: oidc-cases.md §1 to §6).
import { Writable } from 'node:stream'
import test from 'ava'
import { pino } from 'pino'
import { LOGGER } from '../../../../../server/settings/ports.js'
import { ROOT, serverInProcess } from '../../../../support/server.js'
import { openStream } from '../../../../support/stream.js'
import { respondingProvider, pem } from '../../../../support/stub-provider.js'
import { field, oidc, REDIRECT } from './support.js'

test('a login is one event of one token on the stream', async t => {
  const { server, login } = await oidc(t)
  const from = server.app.views.index + 1
  const stream = await openStream(server.base, `index=${from}&topic=ACLToken`, { token: ROOT })
  t.teardown(() => stream.close())
  const token = JSON.parse((await login()).text)
  await server.send('PUT', '/v1/acl/token', { body: { Description: 'afterwards' } })
  const messages = await stream.upTo(server.app.views.index)
  const events = messages.flatMap(({ Events = [] }) => Events)
  t.is(events.length, 2)
  const [event] = events
  t.like(event, { Topic: 'ACLToken', Key: token.AccessorID })
  t.like(Reflect.get(event?.Payload ?? {}, 'ACLToken'), {
    AccessorID: token.AccessorID,
    AuthMethod: 'm',
    Local: true
  })
  t.false(stream.bytes.includes(token.SecretID))
})

test('with a method go its rules and the tokens of its logins, in one commit', async t => {
  const { server, login } = await oidc(t)
  const secret = String(field(await login(), 'SecretID'))
  const before = server.app.views.index
  t.is((await server.send('DELETE', '/v1/acl/auth-method/m')).text, 'true')
  t.is(server.app.views.index, before + 1)
  t.is((await server.send('GET', '/v1/acl/binding-rules')).text, '[]')
  t.is((await server.send('GET', '/v1/acl/token/self', { token: secret })).status, 403)
})

test('Meta stands in the description, whichever of the two calls gives it', async t => {
  const { begin, give, callback } = await oidc(t)
  for (const [atUrl, atCallback] of [
    [{ Meta: { k: 'v', a: '1' } }, {}],
    [{}, { Meta: { k: 'v', a: '1' } }],
    [{ Meta: { other: 'x' } }, { Meta: { k: 'v', a: '1' } }]
  ]) {
    const { state, nonce } = await begin(atUrl)
    await give({ nonce })
    const answer = await callback({ State: state, ...atCallback })
    t.is(field(answer, 'Description'), 'token created via OIDC login: {"a":"1","k":"v"}')
  }
})

test('rules for roles, services and nodes are joined, and a node’s datacenter is this one', async t => {
  const { server, rule, login } = await oidc(t)
  await server.send('PUT', '/v1/acl/role', { body: { Name: 'ops' } })
  await rule({ BindType: 'role', BindName: 'ops' })
  await rule({ BindType: 'node', BindName: 'n-${value.sub}' })
  t.like(JSON.parse((await login()).text), {
    Roles: [{ Name: 'ops' }],
    ServiceIdentities: [{ ServiceName: 'web' }],
    NodeIdentities: [{ NodeName: 'n-alice', Datacenter: 'dc1' }]
  })
})

test('where no rule selects who logs in, no token is made', async t => {
  const { server, rule, login } = await oidc(t)
  const rules: readonly { readonly ID: string }[] = JSON.parse(
    (await server.send('GET', '/v1/acl/binding-rules')).text
  )
  for (const { ID } of rules) await server.send('DELETE', `/v1/acl/binding-rule/${ID}`)
  await rule({ Selector: 'value.dept == Ops' })
  const answer = await login({ dept: 'Eng' })
  t.is(answer.status, 403)
  t.is(answer.text, 'Permission denied')
  t.is((await server.send('GET', '/v1/acl/tokens?authmethod=m')).text, '[]')
})

test('scopes are asked for behind openid, and a token that is sent along does not matter', async t => {
  const { server, put, begin } = await oidc(t)
  await put({ OIDCScopes: ['profile', 'email'] })
  t.is((await begin()).url.searchParams.get('scope'), 'openid profile email')
  const answer = await server.send('POST', '/v1/acl/oidc/auth-url', {
    token: ROOT,
    body: { AuthMethod: 'm', RedirectURI: REDIRECT }
  })
  t.is(answer.status, 200)
})

test('a method of another type begins no login', async t => {
  const { server } = await oidc(t)
  const body = {
    Name: 'k',
    Type: 'kubernetes',
    Config: { Host: 'https://127.0.0.1:1', CACert: pem('ca.pem'), ServiceAccountJWT: 'e30.e30.AA' }
  }
  const put = await server.send('PUT', '/v1/acl/auth-method', { body })
  t.is(put.status, 200, put.text)
  for (const [path, fields] of [
    ['auth-url', { RedirectURI: REDIRECT }],
    ['callback', { State: 's', Code: 'c' }]
  ] as const) {
    const answer = await server.send('POST', `/v1/acl/oidc/${path}`, { body: { AuthMethod: 'k', ...fields } })
    t.is(answer.status, 400)
    t.regex(answer.text, /incompatible with type "kubernetes"/)
  }
})

test('a method of type jwt takes no key of OIDC', async t => {
  const server = await serverInProcess(t)
  for (const [key, value] of Object.entries({
    OIDCClientID: 'x',
    OIDCClientSecret: 'x',
    OIDCScopes: ['x'],
    OIDCACRValues: ['x'],
    AllowedRedirectURIs: [REDIRECT],
    VerboseOIDCLogging: true
  })) {
    const Config = { JWTValidationPubKeys: [pem('ca.pem')], [key]: value }
    const answer = await server.send('PUT', '/v1/acl/auth-method', {
      body: { Name: 'j', Type: 'jwt', Config }
    })
    t.is(answer.status, 400)
    t.true(answer.text.includes(key), answer.text)
  }
})

test('client ID and secret are form-encoded within Basic, whatever characters they have', async t => {
  const { provider, put, login } = await oidc(t)
  const id = 'id: a+b%é&=/?'
  const secret = 'schlüssel: "€" +%41 &=😀'
  await put({ OIDCClientID: id, OIDCClientSecret: secret })
  const answer = await login({ aud: id })
  t.is(answer.status, 200, answer.text)
  const sent = provider.callsOf('/token').at(0)?.headers.authorization ?? ''
  const parts = Buffer.from(sent.replace('Basic ', ''), 'base64').toString().split(':')
  const decoded = parts.map(part => new URLSearchParams(`x=${part}`).get('x'))
  t.deepEqual(decoded, [id, secret])
})

test('a secret that the provider refuses is in no text and no log', async t => {
  const lines: string[] = []
  const { provider, put, begin, callback } = await oidc(t, {
    config: { log: { level: 'trace' } },
    register: scope => {
      const stream = new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          lines.push(chunk.toString())
          done()
        }
      })
      scope.registerInstance(LOGGER, pino({ level: 'trace' }, stream))
    }
  })
  await put({ OIDCClientSecret: 'not-the-right-one', VerboseOIDCLogging: true })
  provider.reply('/token', respondingProvider(401, '{"error":"invalid_client"}', 'application/json'))
  const answer = await callback({ State: (await begin()).state })
  t.is(answer.status, 403)
  t.regex(answer.text, /Error exchanging oidc code/)
  t.notRegex(answer.text, /not-the-right-one/)
  t.true(lines.length > 0)
  t.notRegex(lines.join(''), /not-the-right-one/)
})
