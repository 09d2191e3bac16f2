// Messages whose events are records of other products.
import test from 'ava'
import type { StreamReader } from '../../support/stream.js'
import { ecsFaults, ocsfFaults } from '../../projections/stream/formats/schemas.js'
import { createPolicy, createToken, secretWith } from '../support.js'
import { commit, event, read, streamServer } from './streams.js'
import { connect } from './wires/subscribers.js'

interface FormattedMessage {
  readonly Index: number
  readonly Events: readonly { readonly class_uid?: number; readonly metadata?: { readonly uid: string } }[]
}

const messagesOf = (reader: StreamReader, prefix = ''): readonly string[] =>
  reader.lines.filter(line => line.startsWith(`${prefix}{"Index":`)).map(line => line.slice(prefix.length))

test('the messages of all transports have valid records, wherever their commits are read', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 8 } })
  const from = server.app.views.index + 1
  const { AccessorID } = await createToken(server, {
    Policies: [{ ID: await createPolicy(server, 'some', 'key_prefix "" { policy = "read" }') }]
  })
  await server.send('PUT', `/v1/acl/token/${AccessorID}`, { body: { Description: 'none' } })
  for (let i = 0; i < 20; i++)
    await server.send('PUT', `/v1/kv/a/${i}?flags=18446744073709551615`, { body: 'x' })
  const last = server.app.views.index
  for (const [format, faultsOf] of [
    ['ocsf', ocsfFaults],
    ['ecs', ecsFaults]
  ] as const) {
    const query = `index=${from}&format=${format}&until=${last}`
    const lines = await read(t, server, query)
    await lines.end()
    const messages = messagesOf(lines).map((line): FormattedMessage => JSON.parse(line))
    t.deepEqual(
      messages.map(({ Index }) => Index),
      Array.from({ length: last - from + 1 }, (_, i) => from + i)
    )
    for (const { Events } of messages) for (const record of Events) t.is(faultsOf(record), '')
    const events = await read(t, server, query, { headers: { accept: 'text/event-stream' } })
    await events.end()
    t.deepEqual(messagesOf(events, 'data: '), messagesOf(lines))
    const poll = await server.send('GET', `/v1/events?index=${from - 1}&format=${format}&limit=1`)
    t.is(poll.text.trim(), `[${messagesOf(lines)[0]}]`)
    const client = await connect(t, server)
    client.subscribe('a', { Index: from, Until: last, Format: format })
    await client.find(({ End }) => End !== undefined)
    t.deepEqual(
      client.messagesOf('a').filter(line => line.startsWith('{"Index"')),
      messagesOf(lines)
    )
  }
  const classes = await read(t, server, `index=${from}&format=ocsf&until=${last}&topic=ACLToken`)
  await classes.end()
  t.deepEqual(
    messagesOf(classes)
      .map((line): FormattedMessage => JSON.parse(line))
      .flatMap(({ Events }) => Events.map(({ class_uid }) => class_uid)),
    [3001, 3005]
  )
})

test('the ID of a record is the same for every selection of events', async t => {
  const server = await streamServer(t)
  const index = commit(server, event('KV', 'a'), event('KV', 'b'), event('KV', 'c'))
  const reader = await read(t, server, `topic=KV:c&index=${index}&limit=1&format=ocsf`)
  await reader.end()
  const { Events }: FormattedMessage = JSON.parse(messagesOf(reader)[0] ?? '')
  t.deepEqual(
    Events.map(({ metadata }) => metadata?.uid),
    [`${index}-2`]
  )
})

test('records have the author, so they need operator:read, and cannot be combined with a snapshot', async t => {
  const server = await streamServer(t)
  const keys = await secretWith(server, 'keys', 'key_prefix "" { policy = "read" }')
  const path = '/v1/event/stream?topic=KV&until=now&format=ocsf'
  t.is((await server.send('GET', path.replace('&format=ocsf', ''), { token: keys })).status, 200)
  const denied = await server.send('GET', path, { token: keys })
  t.is(denied.status, 403)
  t.regex(denied.text, /operator:read/)
  for (const [query, message] of [
    ['format=cef', 'Invalid format: "cef" is none of ocsf, ecs'],
    ['format=constructor', 'Invalid format: "constructor" is none of ocsf, ecs'],
    [
      'format=ecs&snapshot=true',
      'Invalid format: it cannot be given with snapshot, whose events have no origin'
    ]
  ] as const) {
    const { status, text } = await server.send('GET', `/v1/event/stream?until=now&${query}`)
    t.is(status, 400)
    t.is(text.trim(), message)
  }
})
