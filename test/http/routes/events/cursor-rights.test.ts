// Who may own a cursor, and which changes of it are commits.
import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { secretWith } from '../../support.js'
import { call, tenant } from '../../tenancy/support.js'

const PATH = '/v1/event/cursor/loader'

test('the anonymous token cannot create, move or delete a cursor, nor read by one, whatever it may do', async t => {
  const server = await serverInProcess(t)
  const ID = '00000000-0000-0000-0000-000000000002'
  const Rules = 'operator = "write" key_prefix "" { policy = "read" }'
  const policy = await call(server, 'PUT', '/v1/acl/policy', { Name: 'open', Rules })
  await call(server, 'PUT', `/v1/acl/token/${ID}`, { Policies: [{ ID: policy.ID }] })
  const anonymous = (method: string, path: string, body?: object) =>
    server.send(method, path, { token: undefined, ...(body ? { body } : {}) })
  t.is((await anonymous('GET', '/v1/kv/?keys')).status, 200)
  for (const Topics of [['any'], ['KV:a']]) t.is((await anonymous('PUT', PATH, { Topics })).status, 403)
  await call(server, 'PUT', PATH, { Topics: ['KV'] })
  const { index } = server.app.views
  for (const [method, path, body] of [
    ['PUT', PATH, { Topics: ['KV:a'] }],
    ['PUT', `${PATH}?cas=1`, { Index: 2 }],
    ['DELETE', PATH, undefined],
    ['GET', '/v1/event/stream?cursor=loader', undefined]
  ] as const) {
    const { status, text } = await anonymous(method, path, body)
    t.is(status, 403, `${method} ${path}`)
    t.regex(text, /anonymous token cannot create, change or read by a cursor/)
  }
  t.is(server.app.views.index, index)
})

test('with ACLs off a cursor needs no token', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  const answer = await server.send('PUT', PATH, { token: undefined, body: { Topics: ['any'] } })
  t.is(answer.status, 200, answer.text)
  t.is((await server.send('DELETE', PATH, { token: undefined })).status, 200)
})

test('a cursor of any topic needs read on something that it could show', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/namespace', { Name: 'team-a' })
  const tokens = {
    nothing: await secretWith(server, 'nothing', ''),
    denied: await secretWith(server, 'denied', 'key_prefix "" { policy = "deny" }'),
    agent: await secretWith(server, 'agent', 'agent_prefix "" { policy = "read" } acl = "read"'),
    key: await secretWith(server, 'key', 'key "a" { policy = "read" }'),
    node: await secretWith(server, 'node', 'node_prefix "" { policy = "read" }'),
    team: await tenant(server, 'team-a', 'service "web" { policy = "read" }')
  }
  for (const [name, Namespace, status] of [
    ['nothing', 'default', 403],
    ['nothing', '*', 403],
    ['denied', 'default', 403],
    ['agent', 'default', 403],
    ['key', 'default', 200],
    ['key', '*', 200],
    ['key', 'team-a', 403],
    ['node', 'team-a', 200],
    ['team', 'team-a', 200],
    ['team', 'default', 403],
    ['team', '*', 200]
  ] as const) {
    const body = { Topics: ['any'], Namespace }
    const { status: given, text } = await server.send('PUT', `/v1/event/cursor/${name}`, {
      body,
      token: tokens[name]
    })
    t.is(given, status, `${name} in ${Namespace}: ${text}`)
    if (status === 200) await call(server, 'DELETE', `/v1/event/cursor/${name}`)
  }
})

test('putting a cursor or a webhook as it is makes no commit', async t => {
  const server = await serverInProcess(t, { config: { outgoing: { allow: ['127.0.0.0/8'] } } })
  for (const body of [
    { Topics: ['KV'] },
    { Topics: ['KV'], Index: 3, Lease: '20s', Types: ['KVSet'], Filter: 'Key == a' },
    { Topics: ['any'], URL: 'http://127.0.0.1:9/' }
  ]) {
    const cursor = await call(server, 'PUT', PATH, body)
    const { index } = server.app.views
    for (const again of [body, { ...body, ...(cursor.URL ? { Secret: '<hidden>' } : {}) }])
      for (let i = 0; i < 3; i++)
        t.is((await call(server, 'PUT', PATH, again)).ModifyIndex, cursor.ModifyIndex)
    t.is(server.app.views.index, index, JSON.stringify(body))
    await call(server, 'DELETE', PATH)
  }
})
