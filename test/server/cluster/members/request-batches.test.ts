// Writes that a follower forwards together.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import {
  BATCH_PATH,
  BATCH_TYPE,
  encodeFrame,
  FrameReader,
  type Frame
} from '../../../../http/wire/batches/frames.js'
import { serverProof } from '../../../../server/cluster/members/server-proof.js'
import type { TestResponse } from '../../../support/client.js'
import { ROOT } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { SECRET } from './hand-made-port.js'
import { pairOfServers, type Pair } from './pair.js'

const COUNT = 64

const outcomeOf = ({ status, headers }: TestResponse) => ({ status, outcome: headers['x-service-outcome'] })

/** Has the follower forward all these requests in one turn, to who leads. */
const together = async (
  { follower, ofFollower }: Pair,
  requests: readonly Parameters<Pair['follower']['send']>[],
  leader = ofFollower.leader()
): Promise<readonly Promise<TestResponse>[]> => {
  ofFollower.change('following', undefined)
  const answers: Promise<TestResponse>[] = []
  for (const request of requests) {
    const before = ofFollower.listeners
    answers.push(follower.send(...request))
    await until('it waits for a leader', () => ofFollower.listeners > before)
  }
  ofFollower.change('following', leader)
  return answers
}

/** Returns the requests that arrive at a port. */
const arrivalsAt = (t: ExecutionContext, port: number): readonly string[] => {
  const urls: string[] = []
  const note = (message: unknown): void => {
    const { request }: { readonly request: IncomingMessage } = Object(message)
    if (request.socket.localPort === port) urls.push(request.url ?? '')
  }
  subscribe('http.server.request.start', note)
  t.teardown(() => unsubscribe('http.server.request.start', note))
  return urls
}

/** Starts a program that a follower takes for its leader. @param answer receives the frames of a batch */
const programThatLeads = async (
  t: ExecutionContext,
  answer: (frames: readonly Frame[], response: ServerResponse, request: IncomingMessage) => void
) => {
  const server = createServer((request, response) => {
    const reader = new FrameReader()
    const frames: Frame[] = []
    request.on('data', (chunk: Buffer) => frames.push(...reader.read(chunk)))
    request.on('end', () => answer(frames, response, request))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port }: AddressInfo = Object(server.address())
  return { id: 'another', address: `http://127.0.0.1:${port}` }
}

const NO_BODY = Buffer.alloc(0)

const answerTo = ({ id }: Frame, text: string): Buffer =>
  encodeFrame({ id, head: `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}`, body: Buffer.from(text) })

const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'Content-Type': BATCH_TYPE })

const put = (key: string, body = key): Parameters<Pair['follower']['send']> => [
  'PUT',
  `/v1/kv/${key}`,
  { body }
]

test('concurrent writes are one request to the leader, and at most two flushes of its log', async t => {
  let flushes = 0
  let release = (): void => {}
  const released = new Promise<void>(resolve => (release = resolve))
  let isHeld = false
  const log = new MemoryEventLog({
    beforeFlush: async () => {
      flushes++
      if (isHeld) await released
    }
  })
  const pair = await pairOfServers(t, { log }, {})
  const { leader } = pair
  const arrivals = arrivalsAt(t, leader.port)
  const before = leader.app.views.index
  isHeld = true
  flushes = 0
  const answers = await together(
    pair,
    Array.from({ length: COUNT }, (_, i) => put(`k${i}`))
  )
  // The first write is being flushed. The others wait for the next flush.
  await until('all are decided', () => leader.app.views.index === before + COUNT)
  release()
  for (const { status } of await Promise.all(answers)) t.is(status, 200)
  t.deepEqual(arrivals, [BATCH_PATH])
  t.true(flushes <= 2)
})

test('each request has its own answer, in the order of the requests where they are of one key', async t => {
  const pair = await pairOfServers(t)
  const answers = await together(pair, [
    put('a', '1'),
    ['DELETE', '/v1/kv/b', { token: 'unknown' }],
    put('a', '2'),
    ['DELETE', '/v1/kv/c', {}],
    ['PUT', '/v1/acl/token', { body: '{"Nam', headers: { 'X-Service-Request-Id': 'malformed' } }],
    ['PUT', '/v1/session/renew/8a1ff8a2-0000-4000-8000-000000000000', {}],
    put('a', '3')
  ])
  const found = await Promise.all(answers)
  t.deepEqual(
    found.map(({ status }) => status),
    [200, 403, 200, 200, 400, 404, 200]
  )
  t.is(found[4]?.headers['x-service-request-id'], 'malformed')
  t.is((await pair.leader.send('GET', '/v1/kv/a?raw')).text, '3')
})

test('bodies larger than a batch arrive whole', async t => {
  const pair = await pairOfServers(t)
  const bodies = Array.from({ length: 6 }, (_, i) => String(i).repeat(500_000))
  const answers = await together(
    pair,
    bodies.map((body, i) => put(`large${i}`, body))
  )
  for (const { status } of await Promise.all(answers)) t.is(status, 200)
  for (const [i, body] of bodies.entries())
    t.true((await pair.leader.send('GET', `/v1/kv/large${i}?raw`)).text === body)
})

test('when the connection breaks, the writes without an answer have an unknown outcome', async t => {
  const pair = await pairOfServers(t)
  const program = await programThatLeads(t, (frames, response) => {
    const [first] = frames
    if (first) begin(response).write(answerTo(first, 'answered'), () => response.destroy())
  })
  const [answered, ...lost] = await together(pair, [put('a'), put('b'), put('c')], program)
  t.is((await answered)?.text, 'answered')
  for (const answer of lost) t.deepEqual(outcomeOf(await answer), { status: 500, outcome: 'unknown' })
})

test('a write with an idempotency key whose answer was lost goes to the next leader', async t => {
  const pair = await pairOfServers(t)
  const leader = pair.ofFollower.leader()
  const program = await programThatLeads(t, (_frames, response) => {
    pair.ofFollower.change('following', leader)
    response.destroy()
  })
  const headers = { 'X-Service-Idempotency-Key': 'k' }
  const [keyed, plain] = await together(
    pair,
    [['PUT', '/v1/kv/a', { body: '1', headers }], put('b')],
    program
  )
  t.is((await keyed)?.status, 200)
  t.is((await plain)?.status, 500)
})

test('a slow write delays no other one', async t => {
  const pair = await pairOfServers(t)
  let finish = (): void => {}
  const program = await programThatLeads(t, ([first, second], response) => {
    if (!first || !second) return
    begin(response).write(answerTo(second, 'second'))
    finish = () => response.end(answerTo(first, 'first'))
  })
  const [slow, quick] = await together(pair, [put('a'), put('b')], program)
  t.is((await quick)?.text, 'second')
  finish()
  t.is((await slow)?.text, 'first')
})

test('a leader that answers only part of a batch is given up', async t => {
  const pair = await pairOfServers(t)
  let isGivenUp = false
  const program = await programThatLeads(t, ([first], response) => {
    response.once('close', () => (isGivenUp = true))
    if (first) begin(response).write(answerTo(first, 'first'))
  })
  const [answered, waiting] = await together(pair, [put('a'), put('b')], program)
  t.is((await answered)?.text, 'first')
  pair.follower.advance(1_200_001)
  t.is((await waiting)?.status, 500)
  await until('the batch is given up', () => isGivenUp)
})

test('a refusal of the whole batch answers each request', async t => {
  const pair = await pairOfServers(t)
  const program = await programThatLeads(t, (_frames, response) =>
    response.writeHead(429, { 'X-Service-Code': 'made.up' }).end('not now')
  )
  for (const answer of await together(pair, [put('a'), put('b')], program)) {
    const { status, text, headers } = await answer
    t.deepEqual([status, text, headers['x-service-code']], [429, 'not now', 'made.up'])
  }
})

test('a leader of a version without batches receives the requests one by one', async t => {
  const pair = await pairOfServers(t)
  const urls: string[] = []
  const server = createServer((request, response) => {
    const { url = '' } = request
    request.resume()
    if (url === BATCH_PATH) return void response.writeHead(404).end('no endpoint has this path')
    urls.push(url)
    response.end('true')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port }: AddressInfo = Object(server.address())
  const answers = await together(pair, [put('a'), put('b')], {
    id: 'another',
    address: `http://127.0.0.1:${port}`
  })
  for (const answer of answers) t.is((await answer).text, 'true')
  t.deepEqual(urls.toSorted(), ['/v1/kv/a', '/v1/kv/b'])
})

const FROM = { id: 'x', node: 'x', address: '10.0.0.7' }

const proofFor = ({ leader }: Pair, method: string, url: string): string =>
  serverProof(SECRET, { method, url }, FROM, leader.clock.now())

/** Sends the leader a batch as a proven server. @returns the status lines of the answers */
const sendBatch = async (pair: Pair, body: Buffer): Promise<readonly string[]> => {
  const headers = { 'X-Annals-Forwarded': proofFor(pair, 'POST', BATCH_PATH) }
  const answer = await fetch(pair.leader.base + BATCH_PATH, { method: 'POST', body, headers })
  const frames = new FrameReader().read(Buffer.from(await answer.arrayBuffer()))
  return frames.map(({ head }) => head.split('\r\n', 1)[0] ?? '')
}

test('each request of a batch has its own proof, of its method, URL and client', async t => {
  const pair = await pairOfServers(t)
  const proof = proofFor(pair, 'PUT', '/v1/kv/a')
  const outcome = (method: string, url: string, value = proof): Promise<readonly string[]> => {
    const head = JSON.stringify({
      method,
      url,
      headers: ['X-Service-Token', ROOT, 'X-Annals-Forwarded', value]
    })
    return sendBatch(pair, encodeFrame({ id: 0, head, body: Buffer.from('1') }))
  }
  const before = pair.leader.app.views.index
  const UNPROVED = ['HTTP/1.1 403 Forbidden']
  t.deepEqual(await outcome('PUT', '/v1/kv/b'), UNPROVED)
  t.deepEqual(await outcome('DELETE', '/v1/kv/a'), UNPROVED)
  t.deepEqual(await outcome('PUT', '/v1/kv/a', proof.replace('10%2E0%2E0%2E7', '10%2E0%2E0%2E8')), UNPROVED)
  t.is(pair.leader.app.views.index, before)
  t.deepEqual(await outcome('PUT', '/v1/kv/a'), ['HTTP/1.1 200 OK'])
})

test('only a server of the cluster can send a batch, and a damaged one does nothing', async t => {
  const pair = await pairOfServers(t)
  const { leader } = pair
  const before = leader.app.views.index
  const unproved = JSON.stringify({ method: 'PUT', url: '/v1/kv/a', headers: ['X-Service-Token', ROOT] })
  const frames = ['{', unproved].map(head => encodeFrame({ id: 0, head, body: NO_BODY }))
  for (const body of [...frames, Buffer.alloc(20, 'x')]) {
    t.is((await fetch(leader.base + BATCH_PATH, { method: 'POST', body })).status, 404)
    await t.throwsAsync(sendBatch(pair, body))
  }
  t.is(leader.app.views.index, before)
  t.is((await leader.send('PUT', '/v1/kv/a', { body: '1' })).status, 200)
})
