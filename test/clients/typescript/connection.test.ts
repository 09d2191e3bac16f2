// Requests of the client's connection to a real server, and to servers that fail.
import test from 'ava'
import { Connection, type ConnectionOptions } from '../../../clients/typescript/connection.js'
import { EventStream } from '../../../clients/typescript/events.js'
import { RequestRefused, Unreachable } from '../../../clients/typescript/failures.js'
import { secretWith } from '../../http/support.js'
import { freePort } from '../../support/process.js'
import { ROOT, serverInProcess } from '../../support/server.js'
import { answering, breaking, playing, refusal } from './support.js'

test('writes and reads bear token and namespace, and tell their index', async t => {
  const server = await serverInProcess(t)
  const connection = new Connection({ address: `${server.base}/`, token: ROOT })
  await connection.request('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const inTeam = connection.with({ namespace: 'team' })
  const written = await inTeam.request('PUT', '/v1/kv/web%2Fport', { query: { flags: 7 }, body: '8080' })
  t.true(await written.json<boolean>())
  const read = await inTeam.request('GET', '/v1/kv/web/port', { query: { raw: true } })
  t.is(await read.text(), '8080')
  t.is(read.index, written.index)
  t.deepEqual(
    [...(await (await inTeam.request('GET', '/v1/kv/web/port', { query: { raw: true } })).bytes())],
    [...Buffer.from('8080')]
  )
  const elsewhere = await refusal(connection.request('GET', '/v1/kv/web/port'), RequestRefused)
  t.is(elsewhere.status, 404)
  t.is(elsewhere.message, 'Key "web/port" does not exist')
})

test('a parameter is sent once for each of its values, and not for false', t => {
  const { href } = new Connection({ address: 'https://annals.example/base', datacenter: 'dc2' }).url(
    '/v1/events',
    {
      topic: ['KV:a b', 'Node'],
      index: 0,
      meta: true,
      strict: false,
      filter: undefined
    }
  )
  t.is(href, 'https://annals.example/base/v1/events?dc=dc2&topic=KV%3Aa+b&topic=Node&index=0&meta=true')
})

test('an address that is none is refused', t => {
  for (const address of ['', 'ftp://a', 'http://a?b', 'http://', 'unix://run/a.sock'])
    t.throws(() => new Connection({ address }), {
      instanceOf: TypeError,
      message: /^the address of a server is/
    })
  t.is(new Connection({ address: 'localhost:8500' }).address, 'http://localhost:8500')
})

test('a denied request is explained to its own token and to tokens with acl:read', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'reader', 'key_prefix "" { policy = "read" }')
  const connection = new Connection({ address: server.base, token })
  const denied = await refusal(connection.request('PUT', '/v1/kv/web', { body: '1' }), RequestRefused)
  t.is(denied.status, 403)
  t.is(denied.code, 'acl.permission.denied')
  t.is(denied.method, 'PUT')
  t.is(denied.path, '/v1/kv/web')
  t.regex(denied.message, /lacks permission 'key:write' on "web"/)
  const { Allowed, Reason, Segment } = await denied.explain({ token: ROOT })
  t.like({ Allowed, Segment }, { Allowed: false, Segment: 'web' })
  t.regex(Reason, /read/)
  t.like(await denied.explain(), { Allowed, Segment })
  const other = await secretWith(server, 'other', '')
  const undisclosed = await refusal(denied.explain({ token: other }), RequestRefused)
  t.regex(undisclosed.message, /lacks permission 'acl:read'/)
})

test('a connection failure names the address and the reason', async t => {
  const connection = new Connection({ address: `127.0.0.1:${await freePort()}`, retries: 0 })
  const error = await refusal(connection.request('GET', '/v1/status/leader'), Unreachable)
  t.is(error.address, connection.address)
  t.regex(error.message, /^http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/)
})

test('an address that answers with a page for browsers is not that of a server', async t => {
  const { address } = await playing(t, answering(200, '<html></html>', { 'Content-Type': 'text/html' }))
  const connection = new Connection({ address, retries: 0 })
  const error = await refusal(connection.request('GET', '/v1/kv/a'), Unreachable)
  t.is(error.message, `http://${address} cannot be reached: it answers with a page for browsers`)
})

test('a read is tried again where the connection broke or the server is busy, and a write is not', async t => {
  const { address, requests } = await playing(t, breaking, answering(503, 'busy'), answering(200, 'done'))
  const connection = new Connection({ address })
  t.is(await (await connection.request('GET', '/v1/kv/a')).text(), 'done')
  t.is(requests.length, 3)
  const busy = await playing(t, answering(503, 'busy\n'))
  const once = new Connection({ address: busy.address })
  t.is((await refusal(once.request('PUT', '/v1/kv/a', { body: '1' }), RequestRefused)).message, 'busy')
  t.is(busy.requests.length, 1)
})

test('a write with an idempotency key is tried again with that key, and made once', async t => {
  const server = await serverInProcess(t)
  let requests = 0
  /** The answer to the first try is lost. */
  const losing: NonNullable<ConnectionOptions['fetch']> = async (...request) => {
    const answer = await fetch(...request)
    if (++requests > 1) return answer
    throw new TypeError('the connection broke')
  }
  const connection = new Connection({ address: server.base, token: ROOT, fetch: losing })
  const before = server.app.views.index
  const answer = await connection.request('PUT', '/v1/acl/token', { body: {}, idempotencyKey: true })
  t.is(requests, 2)
  t.is(answer.index, before + 1)
  t.is(server.app.views.index, before + 1)
})

test('no longer is waited than a caller has patience', async t => {
  const { address, requests } = await playing(t, answering(429, 'too many', { 'Retry-After': '3600' }))
  const connection = new Connection({ address })
  t.is((await refusal(connection.request('GET', '/v1/kv/a'), RequestRefused)).status, 429)
  t.is(requests.length, 1)
})

test('a request that is called off ends with the reason', async t => {
  const { address } = await playing(t, () => {})
  const ended = new AbortController()
  const waiting = new Connection({ address }).request('GET', '/v1/kv/a', { signal: ended.signal })
  const reason = new Error('enough')
  ended.abort(reason)
  t.is(await t.throwsAsync(waiting), reason)
})

test('a redirection is not followed, so that the token goes nowhere else', async t => {
  const other = await playing(t, answering(200, 'here'))
  const { address } = await playing(t, answering(301, '', { Location: `http://${other.address}/v1/kv/a` }))
  await refusal(new Connection({ address, token: ROOT, retries: 0 }).request('GET', '/v1/kv/a'), Unreachable)
  t.is(other.requests.length, 0)
})

test('answers and events are read by the parser that is given', async t => {
  const server = await serverInProcess(t)
  const connection = new Connection({
    address: server.base,
    token: ROOT,
    parse: text => JSON.parse(text.replaceAll(/"Flags":(\d+)/g, '"Flags":"$1"'))
  })
  const flags = '3304740253564472344'
  await connection.request('PUT', '/v1/kv/lock', { query: { flags }, body: 'x' })
  const [entry] = await (await connection.request('GET', '/v1/kv/lock')).json<[{ Flags: string }]>()
  t.is(entry.Flags, flags)
  for await (const { Events } of new EventStream(connection, { topics: ['KV'], until: 'now' }))
    t.like(Events[0]?.Payload, { KV: { Flags: flags } })
})
