// What counts of tokens that are not replicated while the primary cannot be asked (spec: acl.md §16).
import test from 'ava'
import { openStream } from '../../../support/stream.js'
import { until } from '../../../support/wait.js'
import { MAY_WRITE, tokenWith, withoutReplication, writes } from './remote-tokens.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const UNKNOWN = '77777777-2222-3333-4444-555555555555'

for (const policy of ['extend-cache', 'async-cache'])
  test(`${policy}: what is known counts for longer, and of the rest the default policy`, async t => {
    const { primary, secondary, advance } = await withoutReplication(t, { acl: { down_policy: policy } })
    const { AccessorID, SecretID: token } = await tokenWith(primary, MAY_WRITE)
    const { SecretID: ending } = await tokenWith(primary, MAY_WRITE, { ExpirationTTL: '30m' })
    t.is(await writes(secondary, token), 200)
    t.is(await writes(secondary, ending), 200)
    await primary.gate.shut()
    for (let passed = 0; passed < HOUR; passed += 5 * MINUTE) {
      advance(5 * MINUTE)
      t.is(await writes(secondary, token), 200)
      t.is(await writes(secondary, ending), passed + 5 * MINUTE >= 30 * MINUTE ? 403 : 200)
      const { status, text } = await secondary.send('PUT', '/v1/kv/a', { token: UNKNOWN, body: 'x' })
      t.is(status, 403)
      t.regex(text, /^Permission denied/)
    }
    await primary.send('DELETE', `/v1/acl/token/${AccessorID}`)
    await primary.gate.open()
    advance(1001)
    await until('the token has ended here', async () => (await writes(secondary, token)) === 403)
    t.is((await secondary.send('GET', '/v1/kv/a', { token })).text, 'ACL not found')
  })

test('with the default policy "allow" a token of which nothing is known has what that gives', async t => {
  const { primary, secondary } = await withoutReplication(t, { acl: { default_policy: 'allow' } })
  t.is(await writes(secondary, UNKNOWN), 403)
  await primary.gate.shut()
  t.is(await writes(secondary, `${UNKNOWN}9`), 200)
})

test('allow: everything but the ACLs themselves, until the primary answers again', async t => {
  const { primary, secondary, advance } = await withoutReplication(t, { acl: { down_policy: 'allow' } })
  const { SecretID: token } = await tokenWith(primary, 'key_prefix "" { policy = "read" }')
  t.is(await writes(secondary, token), 403)
  await primary.gate.shut()
  t.is(await writes(secondary, token), 403)
  advance(HOUR)
  t.is(await writes(secondary, token), 200)
  t.is(await writes(secondary, UNKNOWN), 200)
  const asked = [{ Resource: 'acl', Access: 'write' }]
  const { text } = await secondary.send('POST', '/v1/internal/acl/authorize', { token, body: asked })
  t.deepEqual(JSON.parse(text), [{ ...asked[0], Allow: false }])
  const reader = await openStream(secondary.base, 'topic=KV', { token: UNKNOWN })
  t.is(reader.status, 200)
  await primary.gate.open()
  advance(1001)
  await until('the stream of the unknown token has ended', () => secondary.app.streams.size === 0)
  t.is(await writes(secondary, token), 403)
  t.is((await secondary.send('GET', '/v1/kv/a', { token: UNKNOWN })).text, 'ACL not found')
})

test('deny: nothing, once what is known has had its time', async t => {
  const { primary, secondary, advance } = await withoutReplication(t, { acl: { down_policy: 'deny' } })
  const { SecretID: token } = await tokenWith(primary, MAY_WRITE)
  t.is(await writes(secondary, token), 200)
  await primary.gate.shut()
  t.is(await writes(secondary, token), 200)
  advance(HOUR)
  t.is(await writes(secondary, token), 403)
  t.is(await writes(secondary, UNKNOWN), 403)
  await primary.gate.open()
  await until('the primary is asked again', async () => {
    advance(1001)
    return (await writes(secondary, token)) === 200
  })
})

test('async-cache waits for a slow primary only where nothing is known', async t => {
  const { primary, secondary, advance } = await withoutReplication(t, { acl: { down_policy: 'async-cache' } })
  const { AccessorID, SecretID: token } = await tokenWith(primary, MAY_WRITE)
  t.is(await writes(secondary, token), 200)
  await primary.send('DELETE', `/v1/acl/token/${AccessorID}`)
  advance(31_000)
  primary.gate.hold()
  t.is(await writes(secondary, token), 200)
  primary.gate.pass()
  await until('it was heard that the token has gone', async () => (await writes(secondary, token)) === 403)
})

test('a primary that takes connections and says nothing is given up after two seconds', async t => {
  const { primary, secondary, advance } = await withoutReplication(t)
  const { SecretID: token } = await tokenWith(primary, MAY_WRITE)
  t.is(await writes(secondary, token), 200)
  primary.gate.hold()
  advance(31_000)
  const writing = writes(secondary, token)
  const failed = /annals_remote_token_requests_total\{outcome="failed"\} [1-9]/
  await until('the primary is given up', async () => {
    advance(500)
    return failed.test(await secondary.app.metrics.prometheus())
  })
  t.is(await writing, 200)
  t.is(await writes(secondary, token), 200)
  t.is(await writes(secondary, UNKNOWN), 403)
  primary.gate.pass()
})
