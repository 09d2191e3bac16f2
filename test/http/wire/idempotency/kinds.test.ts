// Kinds of writes whose answers are kept: each in its own way the same write.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { logFolder } from '../../../../http/settings/settings.js'
import { tokenOf } from '../../support.js'
import { serverInProcess } from '../../../support/server.js'
import { stubProvider } from '../../../support/stub-provider.js'
import { keyed } from './keyed.js'

test('a login gives its token again as long as its credential would still log in', async t => {
  const [server, provider] = await Promise.all([serverInProcess(t), stubProvider(t)])
  const Config = { JWKSURL: `${provider.issuer}/jwks` }
  await server.send('PUT', '/v1/acl/auth-method', { body: { Name: 'j', Type: 'jwt', Config } })
  await server.send('PUT', '/v1/acl/binding-rule', {
    body: { AuthMethod: 'j', BindType: 'service', BindName: 'web' }
  })
  const exp = Math.floor(Date.now() / 1000) + 600
  const body = { AuthMethod: 'j', BearerToken: await provider.sign({ sub: 'a', exp }) }
  const login = (given: object = body) =>
    keyed(server, 'k', 'POST', '/v1/acl/login', { token: undefined, body: given })
  const first = await login()
  t.is(first.status, 200, first.text)
  t.is((await login()).text, first.text)
  t.is((await login({ ...body, Meta: { a: 'b' } })).status, 422)
  server.advance(3_600_000)
  const expired = await login()
  t.is(expired.status, 403)
  t.false(expired.text.includes(tokenOf(first).SecretID))
})

test('a logout is answered once: its token is gone', async t => {
  const [server, provider] = await Promise.all([serverInProcess(t), stubProvider(t)])
  const Config = { JWKSURL: `${provider.issuer}/jwks` }
  await server.send('PUT', '/v1/acl/auth-method', { body: { Name: 'j', Type: 'jwt', Config } })
  await server.send('PUT', '/v1/acl/binding-rule', {
    body: { AuthMethod: 'j', BindType: 'service', BindName: 'web' }
  })
  const body = { AuthMethod: 'j', BearerToken: await provider.sign({ sub: 'a' }) }
  const token = tokenOf(await server.send('POST', '/v1/acl/login', { token: undefined, body })).SecretID
  t.is((await keyed(server, 'k', 'POST', '/v1/acl/logout', { token })).status, 200)
  t.is((await keyed(server, 'k', 'POST', '/v1/acl/logout', { token })).status, 403)
})

test('the deletion of a namespace is answered at its mark, and so is its repeat', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  await server.send('PUT', '/v1/kv/a?ns=team', { body: '1' })
  const first = await keyed(server, 'k', 'DELETE', '/v1/namespace/team')
  t.is(first.status, 200)
  const again = await keyed(server, 'k', 'DELETE', '/v1/namespace/team')
  t.is(again.headers['x-service-index'], first.headers['x-service-index'])
  t.is(again.status, 200)
})

test('a revert is made once', async t => {
  const server = await serverInProcess(t)
  const one = await server.send('PUT', '/v1/kv/a', { body: '1' })
  await server.send('PUT', '/v1/kv/a', { body: '2' })
  const path = `/v1/event/revert?topic=KV&key=a&to=${String(one.headers['x-service-index'])}`
  const first = await keyed(server, 'k', 'PUT', path)
  t.is(first.status, 200, first.text)
  await server.send('PUT', '/v1/kv/a', { body: '3' })
  t.is((await keyed(server, 'k', 'PUT', path)).text, first.text)
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, '3')
})

test('with an encryption key no answer is readable in the files of the log', async t => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const server = await serverInProcess(t, { config: { encryption: { key } } })
  const first = await keyed(server, 'k', 'PUT', '/v1/acl/token', { body: {} })
  t.is((await keyed(server, 'k', 'PUT', '/v1/acl/token', { body: {} })).text, first.text)
  const folder = logFolder(server.settings.data_dir)
  await server.close()
  for (const name of readdirSync(folder).filter(each => each.includes('.')))
    t.false(readFileSync(join(folder, name)).includes(tokenOf(first).SecretID), name)
})
