// Starts, selections and rejections of streams, on a real server.
import test from 'ava'
import { formatTime } from '../../../events/time.js'
import { send } from '../../support/client.js'
import { ROOT } from '../../support/server.js'
import { createPolicy, createToken, secretWith } from '../support.js'
import { commit, commitAt, event, read, streamServer } from './streams.js'

const indexes = (lines: readonly { readonly Index?: number }[]): (number | undefined)[] =>
  lines.map(({ Index }) => Index)

const keysOf = ({ Events = [] }: { readonly Events?: readonly { readonly Key: string }[] }): string[] =>
  Events.map(({ Key }) => Key)

test('after an index, since a time, from the beginning and from now', async t => {
  const server = await streamServer(t, { stream: { event_backlog: 1 } })
  const first = commit(server, event('Operator', 'a'))
  const second = commit(server, event('Operator', 'b'))
  await server.app.committer.durable()
  t.is((await (await read(t, server, `after=${first}`)).message()).Index, second)
  t.is((await (await read(t, server, 'index=beginning')).message()).Index, 1)
  t.is((await (await read(t, server, 'since=1999-01-01T00:00:00Z')).message()).Index, 1)
  const now = await read(t, server, 'index=now')
  const future = await read(t, server, `since=${formatTime(Date.now() + 3_600_000)}`)
  const third = commit(server, event('Operator', 'c'))
  t.is((await now.message()).Index, third)
  t.is((await future.message()).Index, third)
})

test('a time is found among commits of other times', async t => {
  const server = await streamServer(t)
  const times = [0, 1000, 1000, 5000].map(ms => formatTime(Date.now() + 60_000 + ms))
  const made = times.map(Time => commitAt(server, Time, event('Operator', 'a')))
  await server.app.committer.durable()
  const reader = await read(t, server, `since=${times[1]}`)
  t.deepEqual(indexes(await reader.upTo(made[3] ?? 0)), made.slice(1))
})

test('a folder of keys, a type and an expression', async t => {
  const server = await streamServer(t)
  const from = server.app.views.index + 1
  const index = commit(
    server,
    event('KV', 'a/b', { Type: 'KVSet' }),
    event('KV', 'a/c/d', { Type: 'KVDelete' }),
    event('KV', 'ab', { Type: 'KVSet' }),
    event('Operator', 'a/b', { Namespace: '' })
  )
  const keys = async (query: string): Promise<string[]> => {
    const reader = await read(t, server, `index=${from}&${query}`)
    const message = await reader.message()
    t.is(message.Index, index)
    reader.close()
    return keysOf(message)
  }
  t.deepEqual(await keys('topic=KV:a/'), ['a/b', 'a/c/d'])
  t.deepEqual(await keys('topic=*:a/'), ['a/b', 'a/c/d', 'a/b'])
  t.deepEqual(await keys('topic=KV&type=KVSet'), ['a/b', 'ab'])
  t.deepEqual(await keys('type=KVSet&type=KVDelete'), ['a/b', 'a/c/d', 'ab'])
  t.deepEqual(await keys('filter=Key%20matches%20"^a/"%20and%20Topic%20==%20KV'), ['a/b', 'a/c/d'])
  t.deepEqual(await keys(`filter=Index%20==%20${index}%20and%20Namespace%20==%20""`), ['a/b'])
})

test('a query parameter that is not known is named, one without effect is taken', async t => {
  const server = await streamServer(t)
  for (const [query, name] of [
    ['topics=KV', 'topics'],
    ['topic=KV&key=web', 'key'],
    ['Index=4', 'Index']
  ] as const) {
    const { status, text } = await send(server.base, 'GET', `/v1/event/stream?${query}`, { token: ROOT })
    t.is(status, 400, query)
    t.true(text.startsWith(`Unknown query parameter "${name}": known are `), text)
  }
  const known = await read(
    t,
    server,
    'dc=dc1&region=global&ns=&namespace=*&stale&consistent&cached&wait=5s&pretty&params=&prefix=a&per_page=5&next_token=x&reverse=false&near=a&help'
  )
  t.is(known.status, 200)
})

test('namespaces are selected by either name, and by all of them', async t => {
  const server = await streamServer(t)
  const from = server.app.views.index + 1
  commit(
    server,
    event('KV', 'here'),
    event('KV', 'there', { Namespace: 'team' }),
    event('Operator', 'nowhere', { Namespace: '' })
  )
  for (const [query, keys] of [
    ['', ['here', 'nowhere']],
    ['ns=team', ['there', 'nowhere']],
    ['namespace=team&ns=Team', ['there', 'nowhere']],
    ['ns=*', ['here', 'there', 'nowhere']]
  ] as const)
    t.deepEqual(keysOf(await (await read(t, server, `index=${from}&${query}`)).message()), keys, query)
})

test('topic=any gives a token what it may read, event by event, and ACL topics to management alone', async t => {
  const server = await streamServer(t)
  const secret = await secretWith(server, 'some', 'key_prefix "a/" { policy = "read" } acl = "read"')
  const from = server.app.views.index + 1
  await createPolicy(server, 'another', '')
  const first = commit(server, event('KV', 'a/b'), event('KV', 'b/c'))
  t.is((await read(t, server, `index=${from}`, { token: secret })).status, 403)
  const reader = await read(t, server, `topic=any&index=${from}`, { token: secret })
  const message = await reader.message()
  t.is(message.Index, first)
  t.deepEqual(keysOf(message), ['a/b'])
  const all = await (await read(t, server, `topic=any&index=${from}`)).upTo(first)
  t.deepEqual(indexes(all), [from, first])
  t.deepEqual(keysOf(all[1] ?? {}), ['a/b', 'b/c'])
})

test('messages tell who made their commits, live and from the log, to who may know', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 2 } })
  const secret = await secretWith(server, 'some', 'key_prefix "" { policy = "read" } operator = "read"')
  const other = await secretWith(server, 'less', 'key_prefix "" { policy = "read" }')
  const from = server.app.views.index + 1
  for (const name of ['a', 'b', 'c', 'd'])
    await server.send('PUT', `/v1/kv/${name}`, {
      body: 'x',
      headers: { 'X-Service-Request-Id': `of-${name}` }
    })
  const reader = await read(t, server, `topic=KV:a&topic=KV:d&index=${from}&meta=true`, { token: secret })
  const lines = await reader.upTo(from + 3)
  t.deepEqual(
    lines.map(({ Meta }) => Meta?.RequestID),
    ['of-a', 'of-d']
  )
  const [line] = lines
  t.deepEqual(Object.keys(line ?? {}), ['Index', 'Meta', 'Events'])
  t.deepEqual(Object.keys(line?.Meta ?? {}), ['Time', 'AccessorID', 'RequestID', 'Command', 'Address'])
  const refused = await send(server.base, 'GET', '/v1/event/stream?topic=KV&meta=true', { token: other })
  t.is(refused.status, 403)
  t.regex(refused.text, /lacks permission 'operator:read'/)
})

test('a stream that may know who made commits ends with that right', async t => {
  const server = await streamServer(t)
  const rules = 'key_prefix "" { policy = "read" }'
  const policy = await createPolicy(server, 'some', `${rules} operator = "read"`)
  const token = (await createToken(server, { Policies: [{ ID: policy }] })).SecretID
  const denied = await read(t, server, 'topic=KV&index=now&meta=true', { token })
  const plain = await read(t, server, 'topic=KV&index=now', { token })
  await server.send('PUT', `/v1/acl/policy/${policy}`, { body: { Name: 'some', Rules: rules } })
  t.like(await denied.last(), { Error: { Code: 403 } })
  const index = commit(server, event('KV', 'k'))
  t.is((await plain.message()).Index, index)
})

for (const recentCommits of [4096, 1])
  test(`an expression that cannot be evaluated ends the stream at its commit, ${recentCommits} of which are recent`, async t => {
    const server = await streamServer(t, { limits: { recentCommits } })
    const value = (text: string) => ({ Payload: { KV: { Value: text } } })
    const from = commit(server, event('KV', 'a', value('abc')))
    const long = commit(server, event('KV', 'b', value('a'.repeat(50_000))))
    commit(server, event('KV', 'c', value('abc')))
    await server.app.committer.durable()
    const filter = encodeURIComponent('Payload.KV.Value matches "a.*b.*c"')
    const reader = await read(t, server, `topic=KV&index=${from}&filter=${filter}`)
    t.is((await reader.message()).Index, from)
    const { Error: error, LastIndex } = await reader.last()
    t.is(error?.Code, 400)
    t.regex(error?.Message ?? '', new RegExp(`^Failed to evaluate the filter at index ${long}: the pattern`))
    t.is(LastIndex, long - 1)
    t.is(await reader.end(), 'ended')
  })

test('commits that take long to be looked at come in their places', async t => {
  const server = await streamServer(t)
  const filter = encodeURIComponent('Payload.KV.Session matches "^k[0-9]*[05]$"')
  const reader = await read(t, server, `topic=KV&index=now&filter=${filter}`)
  const made: number[] = []
  for (let i = 0; i < 40; i++) {
    const large = { Payload: { KV: { Session: `k${i}`, Value: i % 7 === 0 ? 'x'.repeat(60_000) : '' } } }
    const index = commit(server, event('KV', `k${i}`, large))
    if (i % 5 === 0) made.push(index)
  }
  t.deepEqual(indexes(await reader.upTo(made.at(-1) ?? 0)), made)
})

test('the snapshot does not name the writers of the current state, but the commits after it do', async t => {
  const server = await streamServer(t)
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  const reader = await read(t, server, 'topic=KV&snapshot=true&meta=true')
  t.is((await reader.message()).Meta, undefined)
  await server.send('PUT', '/v1/kv/b', { body: 'x', headers: { 'X-Service-Request-Id': 'of-b' } })
  for (;;) {
    const { Meta, Events } = await reader.message()
    if (!Events) continue
    t.is(Meta?.RequestID, 'of-b')
    break
  }
})
