// Who did what, when and why: what happened, as lines that end.
import { request as open } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import type { Origin } from '../../../../events/envelope.js'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { streamServer } from '../../stream/streams.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'

interface AuditLine {
  readonly Index?: number
  readonly Time?: string
  readonly By?: Origin
  readonly Events?: readonly {
    readonly Topic: string
    readonly Type: string
    readonly Key: string
    readonly Namespace: string
    readonly Payload?: unknown
  }[]
  readonly End?: string
  readonly LastIndex?: number
  readonly Withheld?: number
}

const linesOf = (text: string): readonly AuditLine[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map((line): AuditLine => JSON.parse(line))

/** The commits of an audit, which must have come to its end. */
const audit = async (t: ExecutionContext, server: TestServer, query: string, token = ROOT) => {
  const answer = await server.send('GET', `/v1/event/audit?${query}`, { token })
  t.is(answer.status, 200, answer.text)
  t.is(answer.headers['content-type'], 'application/x-ndjson')
  const lines = linesOf(answer.text)
  const last = lines.at(-1)
  t.truthy(last?.End, answer.text.slice(-200))
  return { lines: lines.slice(0, -1), last }
}

const keysIn = (lines: readonly AuditLine[]): readonly string[] =>
  lines.flatMap(({ Events }) => Events?.map(({ Key }) => Key) ?? [])

/** A server in which two tokens have written, one of them with reasons. */
const written = async (t: ExecutionContext) => {
  const server = await serverInProcess(t)
  for (const Name of ['a', 'b']) await server.send('PUT', '/v1/namespace', { body: { Name } })
  const ID = await createPolicy(
    server,
    'writer',
    'namespace_prefix "" { key_prefix "" { policy = "write" } }'
  )
  const [one, other] = [
    await createToken(server, { Policies: [{ ID }] }),
    await createToken(server, { Policies: [{ ID }] })
  ]
  const indexes: number[] = []
  for (const { SecretID: token } of [one, other])
    for (const ns of ['a', 'b']) {
      const headers = { 'X-Service-Reason': `${ns} is due` }
      const path = `/v1/kv/${token.slice(0, 4)}/${ns}?ns=${ns}`
      indexes.push(indexOf(await server.send('PUT', path, { body: 'v', token, headers })))
    }
  return { server, one, other, indexes }
}

test('everything that one token did, in every namespace, with when and why', async t => {
  const { server, one, indexes } = await written(t)
  const { lines, last } = await audit(t, server, `accessor=${one.AccessorID.toUpperCase()}`)
  t.deepEqual(
    lines.map(({ Index }) => Index),
    indexes.slice(0, 2)
  )
  const [first] = lines
  const folder = `${one.SecretID.slice(0, 4)}/`
  t.like(first?.By, { AccessorID: one.AccessorID, Command: 'SetKey', Reason: 'a is due' })
  t.regex(first?.By?.Address ?? '', /127\.0\.0\.1/)
  t.regex(first?.Time ?? '', /^\d{4}-/)
  t.deepEqual(first?.Events, [
    { Topic: 'KV', Type: 'KVSet', Key: `${folder}a`, Namespace: 'a', FilterKeys: [folder] }
  ])
  t.deepEqual(last, { End: 'until', LastIndex: server.app.log.durableIndex })
})

test('everything that came from one address, which must be one', async t => {
  const { server, one, indexes } = await written(t)
  const { lines: all } = await audit(t, server, `accessor=${one.AccessorID}`)
  const address = all[0]?.By?.Address ?? ''
  const { lines, last } = await audit(t, server, `accessor=${one.AccessorID}&address=${address}`)
  t.deepEqual(
    lines.map(({ Index }) => Index),
    indexes.slice(0, 2)
  )
  t.false('Withheld' in (last ?? {}))
  t.deepEqual((await audit(t, server, 'address=192.0.2.99')).lines, [])
  const refused = await server.send('GET', '/v1/event/audit?address=here')
  t.is(refused.status, 400)
  t.is(refused.text.trim(), 'Invalid address: "here" must be an IP address')
})

test('the formats of other products have the same events, and a bad one is named', async t => {
  const { server, indexes } = await written(t)
  for (const format of ['ocsf', 'ecs']) {
    const { lines } = await audit(t, server, `topic=KV&format=${format}`)
    t.is(lines.length, indexes.length)
  }
  const cef = await server.send('GET', '/v1/event/audit?topic=KV&format=cef')
  t.is(cef.headers['content-type'], 'text/plain; charset=utf-8')
  const lines = cef.text.trim().split('\n')
  t.is(lines.filter(line => line.startsWith('CEF:0|')).length, indexes.length)
  t.like(JSON.parse(lines.at(-1) ?? ''), { End: 'until' })
  for (const query of [
    'format=xml',
    'format=cef&payload=true',
    'format=ocsf&denials=true',
    'format=ecs&limit=1'
  ])
    t.is((await server.send('GET', `/v1/event/audit?${query}`)).status, 400, query)
})

test('everything that was done to a namespace, of a topic, with a type, by an expression', async t => {
  const { server, indexes } = await written(t)
  const indexesOf = async (query: string) => (await audit(t, server, query)).lines.map(({ Index }) => Index)
  const [first = 0, second = 0, third = 0, fourth = 0] = indexes
  t.deepEqual(await indexesOf('ns=a&topic=KV'), [first, third])
  t.deepEqual(await indexesOf('ns=b&type=KVSet'), [second, fourth])
  t.deepEqual(await indexesOf('type=KVSet&filter=Key matches "a$"'), [first, third])
  t.deepEqual(await indexesOf('topic=KV:nothing'), [])
})

test('everything in a time, by index and by time, from the oldest to the newest', async t => {
  const { server, indexes } = await written(t)
  const [first = 0, second = 0, third = 0, fourth = 0] = indexes
  const of = async (query: string) => {
    const { lines, last } = await audit(t, server, `topic=KV&${query}`)
    return [lines.map(({ Index }) => Index), last?.End, last?.LastIndex]
  }
  t.deepEqual(await of(`since=${second}&until=${third}`), [[second, third], 'until', third])
  t.deepEqual(await of(`limit=2`), [[first, second], 'limit', second])
  const { lines } = await audit(t, server, 'topic=KV')
  const time = lines.at(-1)?.Time ?? ''
  t.true((await audit(t, server, `since=${time}`)).lines.some(({ Index }) => Index === fourth))
  t.deepEqual(await of('since=2999-01-01T00:00:00Z'), [[], 'until', server.app.log.durableIndex])
  t.deepEqual(await of('until=2000-01-01T00:00:00Z'), [[], 'until', 0])
  // What is still to come is not waited for.
  t.is((await of(`until=${fourth + 1000}`))[2], server.app.log.durableIndex)
  t.is((await of('until=2999-01-01T00:00:00Z'))[2], server.app.log.durableIndex)
  t.is((await of(`since=${fourth + 1000}`))[2], server.app.log.durableIndex)
})

test('payloads come where they are asked for, and secrets never', async t => {
  const server = await serverInProcess(t)
  const { SecretID } = await createToken(server, { Description: 'mine' })
  const { text } = await server.send('GET', '/v1/event/audit?topic=ACLToken&payload')
  const lines = linesOf(text)
  t.true(JSON.stringify(lines).includes('"Description":"mine"'))
  t.false(text.includes(SecretID))
  t.false(text.includes(ROOT))
  t.notRegex((await server.send('GET', '/v1/event/audit')).text, /Payload/)
})

test('it needs operator:read, and each event the right to read what it is about', async t => {
  const { server } = await written(t)
  const mere = await secretWith(server, 'mere', 'key_prefix "" { policy = "read" }')
  const denied = await server.send('GET', '/v1/event/audit', { token: mere })
  t.is(denied.status, 403)
  t.regex(denied.text, /lacks permission 'operator:read'/)
  const token = await secretWith(
    server,
    'auditor',
    'operator = "read"  namespace "a" { key_prefix "" { policy = "read" } }'
  )
  const { lines } = await audit(t, server, '', token)
  t.true(lines.length >= 2)
  t.true(keysIn(lines).some(key => key.endsWith('/a')))
  t.false(keysIn(lines).some(key => key.endsWith('/b')))
  t.false(lines.some(({ Events }) => Events?.some(({ Topic }) => Topic.startsWith('ACL'))))
  // A topic asks for no right to all of it.
  t.is((await audit(t, server, 'topic=KV', token)).lines.length, 2)
  t.is((await audit(t, server, 'topic=ACLToken', token)).lines.length, 0)
})

test('changes of ACLs need acl:read, and come without secrets', async t => {
  const { server, one } = await written(t)
  const token = await secretWith(server, 'auditor', 'operator = "read"  acl = "read"')
  const { lines } = await audit(t, server, 'topic=ACLToken&payload=true', token)
  t.true(keysIn(lines).includes(one.AccessorID))
  t.false(JSON.stringify(lines).includes(one.SecretID))
  // The stream keeps these topics to tokens that manage ACLs.
  t.is((await server.send('GET', '/v1/event/stream?topic=ACLToken', { token })).status, 403)
  const any = await server.send('GET', `/v1/event/stream?topic=any&index=1&until=${server.app.views.index}`, {
    token
  })
  t.false(any.text.includes(one.AccessorID))
})

test('an audit of everything tells last how many events it withheld, and any other audit does not', async t => {
  const { server, indexes } = await written(t)
  const token = await secretWith(
    server,
    'auditor',
    'operator = "read"  namespace "a" { key_prefix "" { policy = "read" } }'
  )
  const eventsIn = (lines: readonly AuditLine[]): number =>
    lines.reduce((sum, { Events = [] }) => sum + Events.length, 0)
  for (const range of ['', `since=${indexes[1]}`, `since=${indexes[1]}&until=${indexes[3]}`]) {
    const all = await audit(t, server, range)
    const some = await audit(t, server, range, token)
    t.is(all.last?.Withheld, 0)
    t.is(some.last?.Withheld, eventsIn(all.lines) - eventsIn(some.lines))
    t.true((some.last?.Withheld ?? 0) > 0)
  }
  for (const query of [
    'topic=KV',
    'topic=*:a',
    'type=KVSet',
    'ns=b',
    'partition=default',
    'filter=Key==a',
    'limit=9'
  ])
    t.false('Withheld' in ((await audit(t, server, query, token)).last ?? {}), query)
})

for (const { name, options } of [
  { name: 'recent commits in memory', options: () => ({}) },
  { name: 'the files of the log', options: () => ({ limits: { recentCommits: 2, batchBytes: 500 } }) },
  {
    name: 'a log in memory',
    options: () => ({ log: new MemoryEventLog(), limits: { recentCommits: 2, batchBytes: 500 } })
  }
])
  test(`withheld events are counted once each: read from ${name}`, async t => {
    const server = await streamServer(t, options())
    for (let i = 0; i < 30; i++) await server.send('PUT', `/v1/kv/${i % 2 ? 'a' : 'b'}/${i}`, { body: 'v' })
    const rules = 'operator = "read"  key_prefix "a/" { policy = "read" }'
    const token = await secretWith(server, 'auditor', rules)
    const end = server.app.views.index
    const whole = await audit(t, server, `until=${end}`, token)
    let sum = 0
    for (let index = 1; index <= end; index++)
      sum += (await audit(t, server, `since=${index}&until=${index}`, token)).last?.Withheld ?? 0
    t.is(sum, whole.last?.Withheld ?? 0)
    t.true(sum >= 15)
  })

test('what cannot be asked for is refused by parameter and rule', async t => {
  const server = await serverInProcess(t)
  for (const [query, text] of [
    ['accessor=me', /Invalid accessor: "me" must be the AccessorID of a token/],
    ['since=soon', /Invalid since: "soon" is no time .* and no index/],
    ['until=soon', /Invalid until/],
    ['limit=0', /Invalid limit/],
    ['topic=Nothing', /unknown topic "Nothing"/],
    ['acessor=x', /Unknown query parameter "acessor"/],
    ['cursor=x', /Unknown query parameter "cursor"/],
    ['filter=Kex == 1', /Kex/]
  ] as const) {
    const answer = await server.send('GET', `/v1/event/audit?${encodeURI(query)}`)
    t.is(answer.status, 400, query)
    t.regex(answer.text, text)
  }
})

test('erased parts are marked as erased', async t => {
  const server = await serverInProcess(t)
  const index = indexOf(await server.send('PUT', '/v1/kv/a', { body: 'secret' }))
  const other = indexOf(await server.send('PUT', '/v1/kv/b', { body: 'b' }))
  await server.app.log.erase([
    { index, events: [0] },
    { index: other, who: true }
  ])
  for (const query of ['topic=KV', 'topic=KV&payload']) {
    const [payload, who] = (await audit(t, server, query)).lines
    t.like(payload?.Events?.[0], { Key: 'a', Erased: true })
    t.is(payload?.Events?.[0]?.Payload, undefined)
    t.like(who?.By, { AccessorID: '', Erased: true })
  }
})

test('it begins with the oldest commit that is kept, and says so; with strict it is refused', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const index = indexOf(await server.send('PUT', '/v1/kv/a', { body: '1' }))
  await server.send('PUT', '/v1/kv/a', { body: '2' })
  await server.app.log.prune(index)
  const { headers, text } = await server.send('GET', '/v1/event/audit?since=1')
  t.is(headers['x-service-oldest-index'], String(index + 1))
  t.is(linesOf(text)[0]?.Index, index + 1)
  t.is((await server.send('GET', '/v1/event/audit?since=1&strict')).status, 410)
})

test('a caller that goes away ends it', async t => {
  const server = await serverInProcess(t)
  const body = 'x'.repeat(400_000)
  for (let i = 0; i < 40; i++) await server.send('PUT', `/v1/kv/${i}`, { body })
  const request = open(`${server.base}/v1/event/audit?payload`, { headers: { 'x-service-token': ROOT } })
  request.on('error', () => {})
  const head = new Promise<void>(resolve => {
    request.on('response', response => resolve(void response.pause()))
  })
  request.end()
  await head
  t.is(server.app.streams.size, 1, 'it waits for its reader')
  request.destroy()
  await until('it ends', () => server.app.streams.size === 0)
})
