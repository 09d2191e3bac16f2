// Requests to providers that callers cause: the permitted destinations, and the reported errors.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { LOGGER } from '../../../../server/settings/ports.js'
import { createLogger } from '../../../../server/telemetry/logging/logger.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { respondingProvider, pem, stubProvider, type Reply } from '../../../support/stub-provider.js'

const put = (server: TestServer, config: object, Type = 'jwt') =>
  server.send('PUT', '/v1/acl/auth-method', {
    body: { Name: 'm', Type, MaxTokenTTL: '1h', Config: config }
  })

const REFUSED =
  'Invalid Auth Method: error checking JWKSURL: the provider did not answer as it should; the log of this server says more'

test('auth methods go where outgoing.allow says, and nowhere else', async t => {
  const provider = await stubProvider(t)
  const url = { JWKSURL: `${provider.issuer}/jwks` }
  const named = { JWKSURL: url.JWKSURL.replace('127.0.0.1', 'localhost') }
  const config = (...allow: string[]) => ({ config: { outgoing: { allow } } })
  const [unconfigured, allowing, refusing] = await Promise.all([
    serverInProcess(t),
    serverInProcess(t, config('10.0.0.0/8', '127.0.0.1')),
    serverInProcess(t, config('10.0.0.0/8'))
  ])
  for (const server of [unconfigured, allowing])
    for (const one of [url, named]) t.is((await put(server, one)).status, 200)
  const before = provider.calls.length
  for (const one of [url, named]) {
    const answer = await put(refusing, one)
    t.is(answer.status, 400)
    t.is(answer.text, REFUSED)
  }
  t.is(provider.calls.length, before)
  const written = JSON.parse(readFileSync(refusing.file, 'utf8'))
  writeFileSync(refusing.file, JSON.stringify({ ...written, outgoing: { allow: ['127.0.0.0/8'] } }))
  await refusing.app.reload.run()
  t.is((await put(refusing, url)).status, 200)
})

test('a server that others can reach sends auth methods neither to itself nor to its link', async t => {
  const provider = await stubProvider(t)
  const lines: string[] = []
  const server = await serverInProcess(t, {
    config: { bind: '0.0.0.0', log: { level: 'warn' } },
    register: scope =>
      scope.registerInstance(
        LOGGER,
        createLogger({ log: { level: 'warn', pretty: false } }, { write: line => void lines.push(line) })
      )
  })
  const { port } = new URL(provider.issuer)
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254']) {
    const answer = await put(server, { JWKSURL: `http://${host}:${port}/jwks` })
    t.is(answer.status, 400, host)
    t.is(answer.text, REFUSED, host)
    t.regex(lines.pop() ?? '', /outgoing\.allow keeps requests from/, host)
  }
  t.is(provider.calls.length, 0)
})

/** A port on which somebody listens who speaks first, and no HTTP. */
const foreignPort = async (t: ExecutionContext): Promise<number> => {
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy())
    socket.resume().end('SSH-2.0-OpenSSH_9.6\r\n')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise<void>(resolve => server.close(() => resolve())))
  const address = server.address()
  return address === null || typeof address === 'string' ? 0 : address.port
}

test('the error for a caller does not depend on the server behind a URL', async t => {
  const [server, provider, port] = await Promise.all([serverInProcess(t), stubProvider(t), foreignPort(t)])
  const replies: readonly Reply[] = [
    respondingProvider(500, 'oops'),
    respondingProvider(403, 'no'),
    respondingProvider(302, '', 'text/plain', { location: 'http://127.0.0.1:1/' }),
    respondingProvider(200, '<html>', 'text/html'),
    { keys: 5 },
    { keys: [{ kty: 'XYZ' }] }
  ]
  const configs = (base: string) => [
    [{ JWKSURL: `${base}/here` }, 'JWKSURL'] as const,
    [{ OIDCDiscoveryURL: base }, 'OIDCDiscoveryURL'] as const
  ]
  const responses = new Set<string>()
  const tell = async (base: string): Promise<void> => {
    for (const [config, key] of configs(base)) {
      const { status, text } = await put(server, config)
      responses.add(`${status} ${text.replace(key, 'URL')}`)
    }
  }
  for (const reply of replies) {
    provider.reply('/here', reply)
    provider.reply('/.well-known/openid-configuration', reply)
    await tell(provider.issuer)
  }
  await tell(`http://127.0.0.1:${port}`)
  await tell('http://127.0.0.1:1')
  t.deepEqual([...responses], [`400 ${REFUSED.replace('JWKSURL', 'URL')}`])
})

test('a login does not tell open ports from closed ones either', async t => {
  const [server, provider, port] = await Promise.all([serverInProcess(t), stubProvider(t), foreignPort(t)])
  t.is((await put(server, { JWKSURL: `${provider.issuer}/jwks` })).status, 200)
  const jwt = await provider.sign({})
  const login = async (Name: string, body: object) => {
    const made = await server.send('PUT', '/v1/acl/auth-method', { body: { Name, ...body } })
    t.is(made.status, 200, made.text)
    const sent = { AuthMethod: Name, BearerToken: jwt }
    const { status, text } = await server.send('POST', '/v1/acl/login', { token: undefined, body: sent })
    return `${status} ${text}`
  }
  const kubernetes = (Host: string) => ({
    Type: 'kubernetes',
    Config: { Host, CACert: pem('ca.pem'), ServiceAccountJWT: jwt }
  })
  provider.reply('/apis/authentication.k8s.io/v1/tokenreviews', respondingProvider(404, 'no'))
  const responses = new Set<string>()
  for (const host of [provider.issuer, `http://127.0.0.1:${port}`, 'http://127.0.0.1:1'])
    responses.add(await login('k', kubernetes(host)))
  t.is(responses.size, 1)
  t.regex([...responses][0] ?? '', /^502 lookup failed: the provider did not answer as it should/)
})
