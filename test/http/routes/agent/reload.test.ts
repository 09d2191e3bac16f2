// The configuration reread while the server runs (spec: state.md §8).
import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { SettingsError } from '../../../../server/settings/settings.js'
import type { TestResponse } from '../../../support/client.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createToken, secretWith } from '../../support.js'

/** Changes keys at the top of the configuration file, and has the server reread it. */
const reload = (server: TestServer, changes: object): Promise<TestResponse> => {
  const config: object = JSON.parse(readFileSync(server.file, 'utf8'))
  writeFileSync(server.file, JSON.stringify({ ...config, ...changes }))
  return server.send('PUT', '/v1/agent/reload')
}

const acl = (tokens: object) => ({ acl: { enabled: true, default_policy: 'deny', tokens } })
const put = (server: TestServer, bytes: number) => server.send('PUT', '/v1/kv/a', { body: 'a'.repeat(bytes) })

test('limits take effect at once', async t => {
  const server = await serverInProcess(t)
  t.is((await put(server, 4000)).status, 200)
  t.is((await reload(server, { limits: { kv_max_value_size: 2000 } })).status, 200)
  t.is((await put(server, 4000)).status, 413)
  t.is((await reload(server, { limits: { http_body_bytes: 1024 } })).status, 200)
  const { status, text } = await server.send('PUT', '/v1/acl/token', {
    body: { Description: 'a'.repeat(2000) }
  })
  t.is(status, 413)
  t.regex(text, /limits\.http_body_bytes/)
})

test('the level of the log takes effect at once', async t => {
  const server = await serverInProcess(t)
  t.is((await reload(server, { log: { level: 'fatal' } })).status, 200)
  t.is(server.app.logger.level, 'fatal')
})

test('a new default token takes effect at once, and one that was set meanwhile outlives a reload that changes none', async t => {
  const server = await serverInProcess(t)
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  const list = async (): Promise<number> =>
    (await server.send('GET', '/v1/acl/policies', { token: undefined })).status
  t.is((await reload(server, acl({ default: reader }))).status, 200)
  t.is(await list(), 200)
  await server.send('PUT', '/v1/agent/token/default', { body: { Token: '' } })
  t.is((await reload(server, {})).status, 200)
  t.is(await list(), 403)
})

test('a new initial management token is made, as a start would make it', async t => {
  const server = await serverInProcess(t)
  const secret = '5b1f3c60-9a0e-4bd5-8f2e-d4a4a3c1a001'
  t.is((await reload(server, acl({ initial_management: secret }))).status, 200)
  t.is((await server.send('GET', '/v1/acl/tokens', { token: secret })).status, 200)
})

test('a configuration that cannot be used is refused with its fault, and nothing of it takes effect', async t => {
  const server = await serverInProcess(t)
  const wrong = { limits: { kv_max_value_size: 2000 }, recursors: 'none' }
  const { status, text } = await reload(server, wrong)
  t.is(status, 400)
  t.regex(text, /^Bad configuration: recursors, given in file .* must be a list/)
  t.is((await put(server, 4000)).status, 200)
})

test('what one part cannot go by, no part goes by', async t => {
  const server = await serverInProcess(t)
  server.app.reload.register(() => {
    throw new SettingsError('the certificate cannot be read')
  })
  const { status, text } = await reload(server, { limits: { kv_max_value_size: 2000 } })
  t.is(status, 400)
  t.is(text, 'Bad configuration: the certificate cannot be read')
  t.is((await put(server, 4000)).status, 200)
})

test('only who may write to the agent has it reread its configuration', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token } = await createToken(server)
  const { status, text } = await server.send('PUT', '/v1/agent/reload', { token })
  t.is(status, 403)
  t.regex(text, /agent:write/)
})
