// The event stream of the client, over both wires, with connections that break.
import test from 'ava'
import { AnnalsClient } from '../../../clients/typescript/annals-client.js'
import type { EventMessage, EventsOptions } from '../../../clients/typescript/events.js'
import { RequestRefused, Unreachable } from '../../../clients/typescript/failures.js'
import { secretWith } from '../../http/support.js'
import { commit, event, streamServer } from '../../http/stream/streams.js'
import { freePort } from '../../support/process.js'
import { ROOT, type TestServer } from '../../support/server.js'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { until } from '../../support/wait.js'
import { playing, refusal } from './support.js'

const WIRES = ['http', 'websocket'] as const

const clientOf = ({ base }: TestServer, token = ROOT): AnnalsClient<{}> =>
  new AnnalsClient({ address: base, token, retries: 0 })

/** The next messages, as their indexes. */
const take = async (
  messages: AsyncIterator<EventMessage, void>,
  count: number
): Promise<readonly number[]> => {
  const taken: number[] = []
  while (taken.length < count) {
    const { value } = await messages.next()
    if (!value) break
    taken.push(value.Index)
  }
  return taken
}

/** Ends all connections; new ones can be made at once. */
const cut = async (gate: TcpProxy): Promise<void> => {
  await gate.shut()
  await gate.open()
}

const iterate = (client: AnnalsClient<{}>, options: EventsOptions): AsyncGenerator<EventMessage, void> =>
  client.events(options)[Symbol.asyncIterator]()

for (const wire of WIRES) {
  test(`${wire}: events come as they are committed, and what was asked for ends`, async t => {
    const server = await streamServer(t)
    const first = commit(server, event('KV', 'a'), event('KV', 'b'))
    commit(server, event('Node', 'n'))
    const messages = iterate(clientOf(server), { wire, topics: ['KV'], index: first, limit: 2 })
    const { value } = await messages.next()
    t.deepEqual(
      value?.Events.map(({ Topic, Key }) => [Topic, Key]),
      [
        ['KV', 'a'],
        ['KV', 'b']
      ]
    )
    const next = messages.next()
    const second = commit(server, event('KV', 'c'))
    t.is((await next).value?.Index, second)
    t.true((await messages.next()).done)
  })

  test(`${wire}: a stream whose connection breaks resumes after the last yielded message`, async t => {
    const server = await streamServer(t)
    const gate = await startTcpProxy(t, server.port)
    const client = new AnnalsClient({ address: `127.0.0.1:${gate.port}`, token: ROOT, retries: 0 })
    const first = commit(server, event('KV', 'a'))
    const stream = client.events({ wire, topics: ['KV'], index: first, limit: 4 })
    const messages = stream[Symbol.asyncIterator]()
    t.deepEqual(await take(messages, 1), [first])
    await cut(gate)
    const second = commit(server, event('KV', 'b'))
    t.deepEqual(await take(messages, 1), [second])
    const waiting = take(messages, 1)
    await cut(gate)
    commit(server, event('Node', 'n'))
    const third = commit(server, event('KV', 'c'))
    t.deepEqual(await waiting, [third])
    t.is(stream.lastIndex, third)
    const last = commit(server, event('KV', 'd'))
    t.deepEqual(await take(messages, 2), [last])
  })

  test(`${wire}: a stream that begins now misses nothing where it breaks before the first message`, async t => {
    const server = await streamServer(t)
    const gate = await startTcpProxy(t, server.port)
    const client = new AnnalsClient({ address: `127.0.0.1:${gate.port}`, token: ROOT, retries: 0 })
    const messages = iterate(client, { wire, topics: ['KV'], index: 'now', progress: true })
    await until('all is known', async () => (await messages.next()).value?.CaughtUp)
    await cut(gate)
    const index = commit(server, event('KV', 'a'))
    const found = await until('the message', async () => {
      const { value } = await messages.next()
      return value && value.Events.length > 0 ? value : undefined
    })
    t.is(found.Index, index)
    await messages.return()
  })

  test(`${wire}: a snapshot is marked at its end, and what follows it`, async t => {
    const server = await streamServer(t)
    await server.send('PUT', '/v1/kv/a', { body: '1' })
    await server.send('PUT', '/v1/kv/b', { body: '1' })
    const messages = iterate(clientOf(server), { wire, topics: ['KV'], snapshot: true, until: 'now' })
    const all: EventMessage[] = []
    for await (const message of messages) all.push(message)
    t.deepEqual(
      new Set(all.map(({ Events, Snapshot }) => Snapshot ?? Events[0]?.Key)),
      new Set(['a', 'b', 'end'])
    )
    t.is(all.length, 3)
    t.is(all.at(-1)?.Index, server.app.views.index)
  })

  test(`${wire}: a cursor moves as messages are processed, and the next reader resumes there`, async t => {
    const server = await streamServer(t)
    const client = clientOf(server)
    await client.connection.request('PUT', '/v1/event/cursor/loader', { body: { Topics: ['KV'] } })
    const [first, second, third] = [
      commit(server, event('KV', 'a')),
      commit(server, event('KV', 'b')),
      commit(server, event('KV', 'c'))
    ]
    const taken: number[] = []
    for await (const { Index } of client.events({ wire, cursor: 'loader' })) {
      taken.push(Index)
      // The third is not dealt with.
      if (taken.length === 3) break
    }
    t.deepEqual(taken, [first, second, third])
    const stream = client.events({ wire, cursor: 'loader', acknowledge: 'by hand' })
    const messages = stream[Symbol.asyncIterator]()
    t.deepEqual(await take(messages, 1), [third])
    const { Index } = await (
      await client.connection.request('GET', '/v1/event/cursor/loader')
    ).json<{ Index: number }>()
    t.is(Index, second)
    await stream.acknowledge(third)
    t.like(JSON.parse((await server.send('GET', '/v1/event/cursor/loader')).text), { Index: third })
    await messages.return()
  })

  test(`${wire}: what may not be read is thrown as a refusal`, async t => {
    const server = await streamServer(t)
    const token = await secretWith(server, 'none', 'key_prefix "a/" { policy = "read" }')
    const denied = await refusal(
      iterate(clientOf(server, token), { wire, topics: ['ACLToken'] }).next(),
      RequestRefused
    )
    t.is(denied.status, 403)
    const { Allowed } = await denied.explain({ token: ROOT })
    t.false(Allowed)
    const unknown = iterate(clientOf(server), { wire, topics: ['Nothing'] }).next()
    t.is((await refusal(unknown, RequestRefused)).status, 400)
  })

  test(`${wire}: an unreachable server is reported at once`, async t => {
    const nowhere = new AnnalsClient({ address: `127.0.0.1:${await freePort()}`, retries: 0 })
    t.regex((await refusal(iterate(nowhere, { wire }).next(), Unreachable)).message, /cannot be reached/)
  })

  test(`${wire}: a stream is called off by its signal`, async t => {
    const server = await streamServer(t)
    const ended = new AbortController()
    const messages = iterate(clientOf(server), { wire, topics: ['KV'], index: 'now', signal: ended.signal })
    const waiting = messages.next()
    await opened(server)
    ended.abort(new Error('enough'))
    await t.throwsAsync(waiting, { message: 'enough' })
    await until('the server notices', () => server.app.streams.size === 0)
  })
}

/** Waits until the server has a reader. */
const opened = async ({ app }: TestServer): Promise<void> => {
  await until('the stream is open', () => app.streams.size === 1)
}

test('the stream reconnects to a silent server, after the last yielded message', async t => {
  const { address, requests } = await playing(t, ({ url = '' }, response) => {
    if (url.includes('after=7')) response.end('{"End":"until","LastIndex":9}\n')
    else response.write('{"Index":7,"Events":[{}]}\n')
  })
  const client = new AnnalsClient({ address })
  const seen: number[] = []
  for await (const { Index } of client.events({ topics: ['KV'], silence: 20 })) seen.push(Index)
  t.deepEqual(seen, [7])
  t.true(requests.length > 1)
})

test('a snapshot that breaks off comes once more from its beginning', async t => {
  const { address } = await playing(
    t,
    (_request, response) => void response.end('{"Index":7,"Events":[{}]}\n'),
    (_request, response) =>
      void response.end(
        '{"Index":7,"Events":[{}]}\n{"Snapshot":"end","Index":9}\n{"End":"until","LastIndex":9}\n'
      )
  )
  const seen: string[] = []
  for await (const { Index, Snapshot } of new AnnalsClient({ address }).events({ snapshot: true }))
    seen.push(`${Snapshot ?? 'event'} ${Index}`)
  t.deepEqual(seen, ['event 7', 'restart 0', 'event 7', 'end 9'])
})
