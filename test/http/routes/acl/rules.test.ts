import test from 'ava'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { secretWith, tokenOf } from '../../support.js'

const LEGACY = '5f0d6a55-6a0b-4c39-9b66-1d9d7b8a2f01'
const acl = {
  enabled: true,
  tokens: { initial_management: ROOT },
  legacy_tokens: { old: { secret: LEGACY, rules: '# keys\nkey "app/" { policy = "read" }' } }
}

test('rules are translated as plain text, whatever the type of the body', async t => {
  const server = await serverInProcess(t)
  const { status, text, headers } = await server.send('POST', '/v1/acl/rules/translate', {
    body: 'key "a" { policy = "read" } # c',
    headers: { 'content-type': 'application/x-www-form-urlencoded' }
  })
  t.is(status, 200)
  t.is(headers['content-type'], 'text/plain; charset=utf-8')
  t.is(text, 'key_prefix "a" {\n  policy = "read"\n}\n\n# c\n')
  const broken = await server.send('POST', '/v1/acl/rules/translate', { body: 'key "a" {' })
  t.is(broken.status, 400)
  t.regex(broken.text, /^Bad request: Failed to parse rules: At 1:10: /)
})

test('a legacy token of the configuration has its rules, shows them, and has them translated', async t => {
  const server = await serverInProcess(t, { config: { acl } })
  const token = tokenOf(await server.send('GET', '/v1/acl/token/self', { token: LEGACY }))
  t.is(token['Rules'], acl.legacy_tokens.old.rules)
  const list: readonly Record<string, unknown>[] = JSON.parse(
    (await server.send('GET', '/v1/acl/tokens')).text
  )
  const entry = list.find(({ AccessorID }) => AccessorID === token.AccessorID)
  t.true(entry?.['Legacy'])
  t.false(Object.hasOwn(entry ?? {}, 'Rules'))
  const body = ['app/x', 'b'].map(Segment => ({ Resource: 'key', Access: 'read', Segment }))
  const { text } = await server.send('POST', '/v1/internal/acl/authorize', { token: LEGACY, body })
  t.deepEqual(
    JSON.parse(text).map(({ Allow }: { readonly Allow: boolean }) => Allow),
    [true, false]
  )
  const path = `/v1/acl/rules/translate/${token.AccessorID}`
  t.is((await server.send('GET', path)).text, '# keys\nkey_prefix "app/" {\n  policy = "read"\n}')
  await server.send('PUT', `/v1/acl/token/${token.AccessorID}`, { body: { Description: 'new' } })
  t.regex((await server.send('GET', path)).text, /does not have any rules set/)
})

test('translating needs acl:read', async t => {
  const server = await serverInProcess(t)
  const reader = await secretWith(server, 'reader', 'acl = "read"')
  t.is((await server.send('POST', '/v1/acl/rules/translate', { token: reader, body: '' })).status, 200)
  const other = await secretWith(server, 'other', 'operator = "write"')
  t.is((await server.send('POST', '/v1/acl/rules/translate', { token: other, body: '' })).status, 403)
})
