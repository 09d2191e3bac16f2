import test from 'ava'
import { send } from '../../support/client.js'
import type { Line } from '../../support/stream.js'
import { createPolicy, createToken } from '../support.js'
import { commit, event, read, streamServer } from './streams.js'

const lost = (lastIndex: number): Line => ({
  Error: { Code: 403, Message: 'subscription closed by server, client should resubscribe' },
  LastIndex: lastIndex
})

const OPERATOR = 'operator = "read"'

test('a stream needs the rights of its topics, and a refusal names what is missing', async t => {
  const server = await streamServer(t)
  const rules = [
    'key_prefix "app/" { policy = "read" }',
    'node_prefix "" { policy = "read" }',
    'service "web" { policy = "read" }',
    'session_prefix "" { policy = "read" }'
  ].join('\n')
  const id = await createPolicy(server, 'some', rules)
  const { SecretID, AccessorID } = await createToken(server, { Policies: [{ ID: id }] })
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['topic=Node', undefined],
    ['topic=NodeDrain', undefined],
    ['topic=Session', undefined],
    ['topic=KV:app/x', undefined],
    ['topic=KV:app/', undefined],
    ['topic=Service:web', undefined],
    ['topic=Node&topic=Service:web&topic=KV:app/a:b', undefined],
    ['', "'acl:write'"],
    ['topic=*', "'acl:write'"],
    ['topic=*:web', "'acl:write'"],
    ['topic=ACLToken', "'acl:write'"],
    ['topic=ACLRoles', "'acl:write'"],
    ['topic=KV', "'key:read'"],
    ['topic=KV:other', `'key:read' on "other"`],
    ['topic=Node&topic=KV', "'key:read'"],
    ['topic=Service', "'namespace:read-job'"],
    ['topic=Service:db', `'service:read' on "db"`],
    ['topic=Job', "'namespace:read-job'"],
    ['topic=Operator', "'operator:read'"],
    ['topic=Namespace', "'operator:read'"],
    ['topic=PreparedQuery', "'query:read'"],
    ['topic=Service:web&namespace=*', `'service:read' on "web" in every namespace`]
  ]
  for (const [query, missing] of cases) {
    if (missing === undefined) {
      const reader = await read(t, server, query, { token: SecretID })
      t.is(reader.status, 200, query)
      continue
    }
    const answer = await send(server.base, 'GET', `/v1/event/stream?${query}`, { token: SecretID })
    t.is(answer.status, 403, query)
    t.is(answer.text, `Permission denied: token with AccessorID '${AccessorID}' lacks permission ${missing}`)
  }
})

test('a token that does not exist is reported; no token is the anonymous one', async t => {
  const server = await streamServer(t)
  const path = '/v1/event/stream'
  const token = 'ca5a2c2e-75b7-4f0e-8a5c-111111111111'
  t.like(await send(server.base, 'GET', path, { token }), { status: 403, text: 'ACL not found' })
  const anonymous = await send(server.base, 'GET', path)
  t.is(anonymous.status, 403)
  t.regex(anonymous.text, /^Permission denied: token with AccessorID '00000000-0000-0000-0000-000000000002'/)
  t.is((await send(server.base, 'GET', `${path}?index=x`, { token })).status, 400)
})

test('a secret is taken from the header, the parameter and as a bearer token', async t => {
  const server = await streamServer(t)
  const { SecretID } = await createToken(server, { Policies: [{ Name: 'global-management' }] })
  t.is((await read(t, server, `token=${SecretID}`, { token: undefined })).status, 200)
  const headers = { Authorization: `Bearer ${SecretID}` }
  t.is((await read(t, server, '', { token: undefined, headers })).status, 200)
})

test('without ACLs everybody may read everything', async t => {
  const server = await streamServer(t, { config: { acl: { enabled: false } } })
  const reader = await read(t, server, '', { token: undefined })
  const index = commit(server, event('KV', 'a'))
  t.is((await reader.upTo(index)).at(-1)?.Index, index)
})

test('every event is let through by the right on what it is about', async t => {
  const server = await streamServer(t)
  const rules = [
    'key_prefix "" { policy = "read" }',
    'key_prefix "secret/" { policy = "deny" }',
    'node_prefix "" { policy = "read" }',
    'service_prefix "" { policy = "read" }'
  ].join('\n')
  const id = await createPolicy(server, 'most', rules)
  const { SecretID } = await createToken(server, { Policies: [{ ID: id }] })
  const from = server.app.views.index + 1
  const reader = await read(t, server, `topic=KV&topic=Check&index=${from}`, { token: SecretID })
  const check = (Node: string, ServiceName: string) =>
    event('Check', 'c', { Payload: { Check: { Node, ServiceName } } })
  commit(server, event('KV', 'secret/a'))
  const index = commit(server, event('KV', 'secret/a'), event('KV', 'b'), check('n', 'web'))
  const message = await reader.message()
  t.is(message.Index, index)
  t.deepEqual(
    message.Events?.map(({ Key }) => Key),
    ['b', 'c']
  )
})

test('events of another namespace pass only when asked for, those without one always', async t => {
  const server = await streamServer(t)
  const from = server.app.views.index + 1
  const inDefault = commit(server, event('KV', 'a'))
  const inTeam = commit(server, event('KV', 'a', { Namespace: 'team' }))
  const without = commit(server, event('Node', 'n', { Namespace: '' }))
  const delivered = async (query: string): Promise<readonly (number | undefined)[]> => {
    const reader = await read(t, server, `index=${from}&${query}`)
    const { length } = await reader.upTo(without)
    return Array.from({ length }, (_, i) => {
      const line: Line = JSON.parse(reader.lines.filter(text => text !== '{}')[i] ?? '{}')
      return line.Index
    })
  }
  t.deepEqual(await delivered(''), [inDefault, without])
  t.deepEqual(await delivered('namespace='), [inDefault, without])
  t.deepEqual(await delivered('namespace=TEAM'), [inTeam, without])
  t.deepEqual(await delivered('namespace=nosuch'), [without])
  t.deepEqual(await delivered('namespace=*'), [inDefault, inTeam, without])
})

test('all namespaces need a rule for all of them, and include those made later', async t => {
  const server = await streamServer(t)
  const one = await createPolicy(server, 'one', 'namespace "team" { key_prefix "" { policy = "read" } }')
  const all = await createPolicy(server, 'all', 'namespace_prefix "" { key_prefix "" { policy = "read" } }')
  const narrow = await createToken(server, { Policies: [{ ID: one }] })
  const wide = await createToken(server, { Policies: [{ ID: all }] })
  const open = (query: string, token: string) => read(t, server, query, { token })
  t.is((await open('topic=KV&namespace=team', narrow.SecretID)).status, 200)
  t.is((await open('topic=KV', narrow.SecretID)).status, 403)
  t.is((await open('topic=KV&namespace=*', narrow.SecretID)).status, 403)
  const reader = await open('topic=KV&namespace=*', wide.SecretID)
  t.is(reader.status, 200)
  const index = commit(server, event('KV', 'a', { Namespace: 'made-later' }))
  t.is((await reader.message()).Index, index)
})

test('a deleted token ends its streams at once, without its own deletion', async t => {
  const server = await streamServer(t)
  const { AccessorID, SecretID } = await createToken(server, { Policies: [{ Name: 'global-management' }] })
  const reader = await read(t, server, '', { token: SecretID })
  const other = await read(t, server)
  const before = server.app.views.index
  await reader.upTo(before)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.deepEqual(await reader.message(), lost(before))
  t.is(await reader.end(), 'ended')
  t.is(reader.rest, '')
  t.is((await other.upTo(before + 1)).at(-1)?.Index, before + 1)
  t.is(server.app.streams.size, 1)
})

test('a policy that grants less ends the streams that need more, and no others', async t => {
  const server = await streamServer(t)
  const id = await createPolicy(server, 'p', `${OPERATOR}\nkey_prefix "" { policy = "read" }`)
  const { SecretID } = await createToken(server, { Policies: [{ ID: id }] })
  const operator = await read(t, server, 'topic=Operator', { token: SecretID })
  const keys = await read(t, server, 'topic=KV', { token: SecretID })
  // The stream has caught up by then.
  await keys.upTo(commit(server, event('KV', 'first')))
  const before = server.app.views.index
  await server.send('PUT', `/v1/acl/policy/${id}`, { body: { Name: 'p', Rules: OPERATOR } })
  const index = commit(server, event('KV', 'unseen'), event('Operator', 'seen'))
  t.deepEqual(await keys.last(), lost(before))
  t.is(await keys.end(), 'ended')
  t.deepEqual(
    (await operator.upTo(index)).at(-1)?.Events?.map(({ Key }) => Key),
    ['seen']
  )
})

test('a permission that a policy adds takes effect for later events', async t => {
  const server = await streamServer(t)
  const id = await createPolicy(server, 'p', 'key_prefix "a" { policy = "read" }')
  const { SecretID } = await createToken(server, { Policies: [{ ID: id }] })
  const reader = await read(t, server, 'topic=KV:a&topic=KV:ab', { token: SecretID })
  await reader.next()
  const rules = 'key_prefix "a" { policy = "read" }\nkey "ab" { policy = "deny" }'
  await server.send('PUT', `/v1/acl/policy/${id}`, { body: { Name: 'p', Rules: rules } })
  t.like(await reader.last(), { Error: { Code: 403 } })
  const again = await read(t, server, `topic=KV:a&index=${server.app.views.index + 1}`, { token: SecretID })
  commit(server, event('KV', 'a', { FilterKeys: ['x'] }))
  await server.send('PUT', `/v1/acl/policy/${id}`, {
    body: { Name: 'p', Rules: 'key_prefix "" { policy = "read" }' }
  })
  const index = commit(server, event('KV', 'b', { FilterKeys: ['a'] }))
  t.deepEqual(
    (await again.upTo(index)).map(({ Events }) => Events?.[0]?.Key),
    ['a', 'b']
  )
})

test('a deleted policy ends a stream unless another link still grants what it needs', async t => {
  const server = await streamServer(t)
  const [a, b] = [await createPolicy(server, 'a', OPERATOR), await createPolicy(server, 'b', OPERATOR)]
  const { SecretID } = await createToken(server, { Policies: [{ ID: a }, { ID: b }] })
  const reader = await read(t, server, 'topic=Operator', { token: SecretID })
  await reader.next()
  await server.send('DELETE', `/v1/acl/policy/${a}`)
  const index = commit(server, event('Operator', 'o'))
  t.is((await reader.upTo(index)).at(-1)?.Index, index)
  await server.send('DELETE', `/v1/acl/policy/${b}`)
  t.like(await reader.last(), { Error: { Code: 403 } })
})

test('an update of the token ends those of its streams that it no longer allows', async t => {
  const server = await streamServer(t)
  const id = await createPolicy(server, 'p', OPERATOR)
  const { AccessorID, SecretID } = await createToken(server, { Policies: [{ ID: id }] })
  const reader = await read(t, server, 'topic=Operator', { token: SecretID })
  await reader.next()
  await server.send('PUT', `/v1/acl/token/${AccessorID}`, { body: { Description: 'without links' } })
  t.like(await reader.last(), { Error: { Code: 403 } })
  t.is(await reader.end(), 'ended')
})

test('an expired token ends its streams, also idle ones', async t => {
  const server = await streamServer(t)
  const { SecretID } = await createToken(server, {
    Policies: [{ Name: 'global-management' }],
    ExpirationTTL: '5m'
  })
  const reader = await read(t, server, 'topic=Job', { token: SecretID })
  t.is(reader.status, 200)
  await reader.next()
  server.advance(5 * 60_000 + 1)
  t.like(await reader.last(), { Error: { Code: 403 } })
  t.is(await reader.end(), 'ended')
})

test('no stream is left behind when its client goes away', async t => {
  const server = await streamServer(t)
  const readers = await Promise.all(Array.from({ length: 20 }, () => read(t, server)))
  await Promise.all(readers.map(reader => reader.next()))
  t.is(server.app.streams.size, 20)
  for (const reader of readers) reader.close()
  while (server.app.streams.size > 0) await new Promise(setImmediate)
  t.is(server.app.views.watch.size, 0)
})
