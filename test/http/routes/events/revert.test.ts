// Reverts restore an earlier version by the ordinary write, under the ordinary rules.
import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'
import { ask, done, newest, read, revert, type Reverted } from './reverts.js'

test('a key gets its earlier value and flags, and the commit names both versions, caller and reason', async t => {
  const server = await serverInProcess(t)
  const first = await done(t, server, 'PUT', '/v1/kv/web/port?flags=18446744073709551615', '80')
  const second = await done(t, server, 'PUT', '/v1/kv/web/port', '81')
  const headers = { 'X-Service-Reason': 'port 81 is blocked' }
  const {
    status,
    text,
    headers: answered
  } = await server.send('PUT', `/v1/event/revert?topic=KV&key=web/port&to=${first}`, { headers })
  t.is(status, 200, text)
  const reverted: Reverted = JSON.parse(text)
  t.like(reverted, { Index: second + 1, Undone: second, To: first, Others: [] })
  t.true(
    reverted.Patch.some(({ op, path, value }) => op === 'replace' && path === '/KV/Value' && value === 'ODA=')
  )
  t.is(Number(answered['x-service-index']), second + 1)
  t.is((await server.send('GET', '/v1/kv/web/port?raw')).text, '80')
  t.regex((await server.send('GET', '/v1/kv/web/port')).text, /"Flags":18446744073709551615/)
  const { By } = await newest(server)
  t.like(By, { Command: 'SetKey', Cause: [first, second], Reason: 'port 81 is blocked' })
  t.not(By.AccessorID, '')
})

test('what did not exist then is deleted; what was deleted comes back', async t => {
  const server = await serverInProcess(t)
  const before = server.app.log.durableIndex
  const made = await done(t, server, 'PUT', '/v1/kv/a', '1')
  const gone = await revert(t, server, `topic=KV&key=a&to=${before}`)
  t.deepEqual(gone.Patch, [{ op: 'remove', path: '' }])
  t.is(gone.To, before)
  t.is(await read(server, '/v1/kv/a'), 404)
  const back = await revert(t, server, `topic=KV&key=a&to=${made}`)
  t.is(back.Patch[0]?.path, '')
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, '1')
  // Nothing then and nothing now, or the same: nothing to do.
  const index = server.app.views.index
  t.is((await revert(t, server, `topic=KV&key=a&to=${index}`)).Index, undefined)
  t.is(server.app.views.index, index)
})

test('a dry run tells the patch and commits nothing, or tells the refusal', async t => {
  const server = await serverInProcess(t)
  const policy = await createPolicy(server, 'reader', 'key "a" { policy = "read" }')
  const token = await createToken(server, { Policies: [{ ID: policy }] })
  await server.send('PUT', `/v1/acl/token/${token.AccessorID}`, { body: { Description: 'bare' } })
  const path = `topic=ACLToken&key=${token.AccessorID}&to=${token.CreateIndex}&dry-run`
  const index = server.app.views.index
  const would = await revert(t, server, path)
  t.true(would.DryRun)
  t.is(would.Index, undefined)
  t.true(would.Patch.some(({ path: where }) => where.startsWith('/ACLToken/Policies')))
  t.is(server.app.views.index, index)
  await server.send('DELETE', `/v1/acl/policy/${policy}`)
  const refused = await revert(t, server, path)
  t.is(refused.Refusal?.Status, 400)
  t.deepEqual(refused.Patch, [])
  const { status, text } = await ask(server, path.replace('&dry-run', ''))
  t.deepEqual({ Status: status, Message: text }, refused.Refusal)
})

test('what was erased cannot come back: a payload is a 410, a secret a 409', async t => {
  const server = await serverInProcess(t)
  const token = await createToken(server, { Description: 'first' })
  const to = `topic=ACLToken&key=${token.AccessorID}&to=${token.CreateIndex}`
  const first = await done(t, server, 'PUT', '/v1/kv/a', '1')
  await done(t, server, 'PUT', '/v1/kv/a', '2')
  await done(t, server, 'DELETE', `/v1/acl/token/${token.AccessorID}`)
  await server.app.log.erase([
    { index: token.CreateIndex, secrets: [0] },
    { index: first, events: [0] }
  ])
  const secret = await ask(server, to)
  t.is(secret.status, 409)
  t.regex(secret.text, /The secret of the token is erased/)
  const payload = await ask(server, `topic=KV&key=a&to=${first}`)
  t.is(payload.status, 410)
  t.regex(payload.text, /is erased/)
})

test('the permissions are those of the ordinary write and of reading the resource', async t => {
  const server = await serverInProcess(t)
  const first = await done(t, server, 'PUT', '/v1/kv/a', '1')
  await done(t, server, 'PUT', '/v1/kv/a', '2')
  const path = `topic=KV&key=a&to=${first}`
  const reader = await secretWith(server, 'reader', 'key "a" { policy = "read" }')
  const writer = await secretWith(server, 'writer', 'key "a" { policy = "write" }')
  const other = await secretWith(server, 'other', 'key "b" { policy = "write" }')
  for (const query of [path, `${path}&dry-run`]) {
    const denied = await ask(server, query, reader)
    t.is(denied.status, 403)
    t.regex(denied.text, /key:write/)
    t.regex((await ask(server, query, other)).text, /key:read/)
  }
  t.is((await ask(server, path, writer)).status, 200)
})

test('a repeat by the same idempotency key gets the first answer, and changes nothing', async t => {
  const server = await serverInProcess(t)
  const first = await done(t, server, 'PUT', '/v1/kv/a', '1')
  await done(t, server, 'PUT', '/v1/kv/a', '2')
  const headers = { 'X-Service-Idempotency-Key': 'once' }
  const path = `/v1/event/revert?topic=KV&key=a&to=${first}`
  const reverted = await server.send('PUT', path, { headers })
  const index = await done(t, server, 'PUT', '/v1/kv/a', '3')
  const again = await server.send('PUT', path, { headers })
  t.is(again.text, reverted.text)
  t.is(server.app.views.index, index)
})

test('an attempt that was denied is kept as it was asked for', async t => {
  const server = await serverInProcess(t, { log: 'disk', config: { audit: { denials: true } } })
  const first = await done(t, server, 'PUT', '/v1/kv/a', '1')
  await done(t, server, 'PUT', '/v1/kv/a', '2')
  const token = await secretWith(server, 'reader', 'key "a" { policy = "read" }')
  t.is((await ask(server, `topic=KV&key=a&to=${first}`, token)).status, 403)
  const { text } = await server.send('GET', '/v1/event/audit?denials=true')
  t.like(JSON.parse(text.split('\n')[0] ?? ''), {
    Method: 'PUT',
    Path: `/v1/event/revert?topic=KV&key=a&to=${first}`,
    Permission: 'key:write'
  })
})

test('cas refuses where somebody else has changed it since', async t => {
  const server = await serverInProcess(t)
  const first = await done(t, server, 'PUT', '/v1/kv/a', '1')
  const second = await done(t, server, 'PUT', '/v1/kv/a', '2')
  const third = await done(t, server, 'PUT', '/v1/kv/a', '3')
  const { status, text } = await ask(server, `topic=KV&key=a&to=${first}&cas=${second}`)
  t.is(status, 409)
  t.regex(text, new RegExp(`its newest commit is ${third}, not ${second}`))
  t.is((await revert(t, server, `topic=KV&key=a&to=${first}&cas=${third}`)).Undone, third)
})

test('what cannot be reverted is refused by field and rule', async t => {
  const server = await serverInProcess(t)
  const index = await done(t, server, 'PUT', '/v1/kv/a', '1')
  for (const [query, status, text] of [
    ['key=a&to=1', 400, /Invalid topic/],
    [
      `topic=Session&key=a&to=${index}`,
      400,
      /resources of "Session" cannot be reverted; those of KV, ACLPolicy/
    ],
    [`topic=KV&to=${index}`, 400, /Invalid key/],
    ['topic=KV&key=a', 400, /Invalid to/],
    ['topic=KV&key=a&to=x', 400, /"x" is not an integer/],
    [`topic=KV&key=a&to=${index + 1000}`, 400, /Invalid to: \d+ is not there: the log ends at commit/],
    [`topic=KV&key=b&to=${index}`, 404, /The log has no KV "b"/],
    [`topic=Service&key=a&to=${index}`, 400, /Invalid node/],
    [`topic=KV&key=a&node=n&to=${index}`, 400, /Invalid node/],
    [`topic=KV&key=a&to=${index}&dryrun`, 400, /Unknown query parameter "dryrun"/]
  ] as const) {
    const answer = await ask(server, query)
    t.is(answer.status, status, query)
    t.regex(answer.text, text)
  }
})

test('a required reason is required here, too', async t => {
  const server = await serverInProcess(t, { config: { reason: { required: ['default'] } } })
  const headers = { 'X-Service-Reason': 'a test' }
  const first = indexOf(await server.send('PUT', '/v1/kv/a', { body: '1', headers }))
  await server.send('PUT', '/v1/kv/a', { body: '2', headers })
  t.regex((await ask(server, `topic=KV&key=a&to=${first}`)).text, /X-Service-Reason is missing/)
})
