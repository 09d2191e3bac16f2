import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createToken, secretWith, tokenOf } from '../../support.js'

/** A server without tokens. */
const fresh = (t: ExecutionContext): Promise<TestServer> =>
  serverInProcess(t, { log: 'disk', config: { acl: { enabled: true, default_policy: 'deny' } } })
const bootstrap = (server: TestServer) => server.send('PUT', '/v1/acl/bootstrap', { token: undefined })
const isAllowed = async (server: TestServer): Promise<string> =>
  (await server.send('GET', '/v1/internal/acl/bootstrap', { token: undefined })).text

test('the first bootstrap makes a management token, the second is refused', async t => {
  const server = await fresh(t)
  t.is(await isAllowed(server), '{"Allowed":true}')
  const first = await bootstrap(server)
  t.is(first.status, 200)
  t.is(await isAllowed(server), '{"Allowed":false}')
  const token = tokenOf(first)
  t.is(token['ID'], token.SecretID)
  t.is((await server.send('GET', '/v1/acl/tokens', { token: token.SecretID })).status, 200)
  const second = await bootstrap(server)
  t.is(second.status, 403)
  t.is(second.text, `Permission denied: ACL bootstrap no longer allowed (reset index: ${token.CreateIndex})`)
})

test('bootstrap looks at neither token nor body', async t => {
  const server = await fresh(t)
  t.is((await server.send('PUT', '/v1/acl/bootstrap', { token: 'unknown', body: '{' })).status, 200)
})

test('two bootstraps at once make one token', async t => {
  const server = await fresh(t)
  const answers = await Promise.all([bootstrap(server), bootstrap(server), bootstrap(server)])
  t.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '403', '403'])
})

test('a reset file with the right number allows one more bootstrap and is used up', async t => {
  const server = await fresh(t)
  const first = tokenOf(await bootstrap(server))
  const file = join(server.settings.data_dir, 'acl-bootstrap-reset')
  for (const content of ['', 'x', '0']) {
    writeFileSync(file, content)
    t.is((await bootstrap(server)).status, 403, content)
    t.true(existsSync(file))
    t.is(await isAllowed(server), '{"Allowed":false}', content)
  }
  writeFileSync(file, String(first.CreateIndex + 1))
  const wrong = await bootstrap(server)
  t.is(wrong.status, 400)
  t.regex(wrong.text, /Invalid bootstrap reset index \(specified \d+, reset index: \d+\)/)
  t.true(existsSync(file))

  writeFileSync(file, `  ${first.CreateIndex}\nwritten by the administrator`)
  t.is(await isAllowed(server), '{"Allowed":true}')
  const second = tokenOf(await bootstrap(server))
  t.false(existsSync(file))
  t.is((await bootstrap(server)).text.includes(`reset index: ${second.CreateIndex}`), true)
  for (const { SecretID: token } of [first, second])
    t.is((await server.send('GET', '/v1/acl/token/self', { token })).status, 200)
})

test('a bootstrap clears a reset file that was there before it', async t => {
  const server = await fresh(t)
  const file = join(server.settings.data_dir, 'acl-bootstrap-reset')
  writeFileSync(file, '1')
  t.is((await bootstrap(server)).status, 200)
  t.false(existsSync(file))
})

test('with ACLs off every ACL endpoint returns 401, and no request needs a token', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  const paths: readonly (readonly [method: string, path: string])[] = [
    ['PUT', '/v1/acl/bootstrap'],
    ['GET', '/v1/acl/tokens'],
    ['GET', '/v1/acl/token/self'],
    ['PUT', '/v1/acl/policy'],
    ['POST', '/v1/internal/acl/authorize']
  ]
  for (const [method, path] of paths) {
    const { status, text } = await server.send(method, path, { body: '{' })
    t.is(status, 401, path)
    t.is(text, 'ACL support disabled')
  }
  t.is((await server.send('POST', '/v1/acl/bootstrap')).status, 405)
  t.is((await server.send('GET', '/v1/agent/self', { token: 'unknown' })).status, 200)
})

test('authorize answers each question for the token presented, in order, and repeats it', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'web', 'service_prefix "web" { policy = "write" }')
  const body = [
    { Resource: 'service', Access: 'WRITE', Segment: 'web-1' },
    { Resource: 'service', Access: 'write', Segment: 'db' },
    { Resource: 'acl', Access: 'read' }
  ]
  const answer = await server.send('POST', '/v1/internal/acl/authorize', { token, body })
  t.deepEqual(
    JSON.parse(answer.text),
    body.map((question, i) => ({ ...question, Allow: i === 0 }))
  )
  t.is(
    (await server.send('POST', '/v1/internal/acl/authorize', { token, body: [{ Resource: 'x' }] })).status,
    400
  )
  const many = Array.from({ length: 65 }, () => body[0])
  t.regex(
    (await server.send('POST', '/v1/internal/acl/authorize', { token, body: many })).text,
    /more than 64/
  )
})

test('the anonymous token may be given rights, which hold for requests without a token and no others', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'open', Rules: 'acl = "read"' } })
  const body = { Policies: [{ Name: 'open' }] }
  await server.send('PUT', '/v1/acl/token/00000000-0000-0000-0000-000000000002', { body })
  const { SecretID } = await createToken(server)
  const read = async (token: string | undefined) =>
    (await server.send('GET', '/v1/acl/policies', { token })).status
  t.is(await read(undefined), 200)
  t.is(await read('anonymous'), 200)
  t.is(await read(SecretID), 403)
  t.is(await read('unknown'), 403)
})

test('errors of reads bear the headers of a read: index 1 and no leader before anything is looked up', async t => {
  const server = await serverInProcess(t)
  const secret = await secretWith(server, 'none', '')
  const headersOf = async (path: string, token?: string) => {
    const { status, headers } = await server.send('GET', path, token === undefined ? {} : { token })
    return [
      status,
      headers['x-service-index'],
      headers['x-service-knownleader'],
      headers['x-service-lastcontact']
    ]
  }
  const id = '7f000000-1111-4222-8333-444444444444'
  const lists = ['tokens', 'policies', 'roles', 'auth-methods', 'binding-rules']
  const resources = [
    `token/${id}`,
    'policy/name/absent',
    `role/${id}`,
    'auth-method/absent',
    `binding-rule/${id}`
  ]
  for (const path of [...lists, ...resources]) {
    t.deepEqual(await headersOf(`/v1/acl/${path}`, secret), [403, '1', 'false', '0'], path)
    t.deepEqual(await headersOf(`/v1/acl/${path}`, 'unknown'), [403, '1', 'false', '0'], path)
  }
  const { tokens, policies } = server.app.views
  t.deepEqual(await headersOf(`/v1/acl/token/${id}`), [403, String(tokens.index), 'true', '0'])
  t.deepEqual(await headersOf('/v1/acl/policy/name/absent'), [403, String(policies.index), 'true', '0'])
  t.deepEqual(await headersOf(`/v1/acl/role/${id}`), [404, '1', 'true', '0'])
  t.deepEqual(await headersOf('/v1/acl/auth-method/absent'), [404, '1', 'true', '0'])
  t.deepEqual(await headersOf('/v1/acl/token/x'), [400, '1', 'false', '0'])
})

test('an empty list of questions gets an empty response for every caller', async t => {
  const server = await serverInProcess(t)
  for (const body of ['[]', 'null']) {
    const { status, text } = await server.send('POST', '/v1/internal/acl/authorize', {
      body,
      token: 'unknown'
    })
    t.deepEqual([status, text], [200, '[]'])
  }
})
