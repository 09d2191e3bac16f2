// Responses in pieces arrive completely, whatever else is answered before a slow reader receives them.
import { connect } from 'node:net'
import test from 'ava'
import { register } from '../../support/dns.js'
import { serverInProcess, type TestServer } from '../../support/server.js'

interface Executed {
  readonly Service: string
  readonly Nodes: readonly {
    readonly Node: { readonly Node: string; readonly Meta: { readonly x: string } }
  }[]
}

const INSTANCES = 5
const REQUESTS = 150

/** Queries for services whose nodes have much metadata, with one letter per service. */
const prepare = async (server: TestServer): Promise<void> => {
  for (const [service, size] of [
    ['a', 3000],
    ['b', 10],
    ['c', 20_000]
  ] as const) {
    for (let i = 0; i < INSTANCES; i++) {
      const Meta = { x: service.repeat(Math.min(size, 500)) }
      const Check = {
        Node: `${service}${i}`,
        CheckID: 'c',
        Name: 'c',
        Status: 'passing',
        Output: service.repeat(size)
      }
      await register(server, `${service}${i}`, '10.0.0.1', { Service: service }, { NodeMeta: Meta, Check })
    }
    await server.send('POST', '/v1/query', { body: { Name: service, Service: { Service: service } } })
  }
}

const isWhole = (service: string, text: string): boolean => {
  const { Service, Nodes }: Executed = JSON.parse(text)
  return (
    Service === service &&
    new Set(Nodes.map(({ Node }) => Node.Node)).size === INSTANCES &&
    Nodes.every(
      ({ Node }) => Node.Node.startsWith(service) && Node.Meta.x === service.repeat(Node.Meta.x.length)
    )
  )
}

/** Returns the bodies of the responses with `Content-Length` on one connection. */
const bodiesOf = (bytes: Buffer): string[] => {
  const bodies: string[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at)
    const length = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', at, end))?.[1])
    bodies.push(bytes.toString('utf8', end + 4, end + 4 + length))
    at = end + 4 + length
  }
  return bodies
}

/** Sends all requests together, and reads only after `meanwhile`. */
const slowReader = async (
  { port }: TestServer,
  services: readonly string[],
  meanwhile: () => Promise<void>
): Promise<string[]> => {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  const asked = services.map(service => `GET /v1/query/${service}/execute HTTP/1.1\r\nHost: localhost\r\n`)
  socket.write(`${asked.join('\r\n')}Connection: close\r\n\r\n`)
  await meanwhile()
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return bodiesOf(Buffer.concat(chunks))
}

test('answers for readers that do not read yet stay what they are while others are answered', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  await prepare(server)
  const services = Array.from({ length: REQUESTS }, (_, i) => ['a', 'b', 'c'][i % 3] ?? '')
  const others = async (): Promise<void> => {
    for (let i = 0; i < REQUESTS; i++) {
      const service = ['c', 'a', 'b'][i % 3] ?? ''
      const { text } = await server.send('GET', `/v1/query/${service}/execute`)
      t.true(isWhole(service, text))
    }
  }
  const slow = await Promise.all([slowReader(server, services, others), slowReader(server, services, others)])
  for (const bodies of slow) {
    t.is(bodies.length, REQUESTS)
    for (const [i, body] of bodies.entries()) t.true(isWhole(services[i] ?? '', body))
  }
})

test('an answer in pieces goes indented and compressed like any other', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  await prepare(server)
  const pretty = await server.send('GET', '/v1/query/a/execute?pretty')
  t.true(pretty.text.startsWith('{\n    "Service": "a",\n'))
  t.true(isWhole('a', pretty.text))
  const packed = await fetch(`http://127.0.0.1:${server.port}/v1/query/a/execute`, {
    headers: { 'accept-encoding': 'gzip' }
  })
  t.is(packed.headers.get('content-encoding'), 'gzip')
  t.true(isWhole('a', await packed.text()))
})

test('a long answer of many short pieces is whole, plain and compressed', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  const [instances, size] = [120, 10_000]
  for (let i = 0; i < instances; i++) {
    const Check = {
      Node: `n${i}`,
      CheckID: 'c',
      Name: 'c',
      Status: 'passing',
      Output: `${i}`.padEnd(size, 'x')
    }
    await register(server, `n${i}`, '10.0.0.1', { Service: 'long' }, { Check })
  }
  await server.send('POST', '/v1/query', { body: { Name: 'long', Service: { Service: 'long' } } })
  for (const coding of ['identity', 'gzip']) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/v1/query/long/execute`, {
      headers: { 'accept-encoding': coding }
    })
    const text = await answer.text()
    t.true(text.length > 2 ** 20)
    const { Nodes } = JSON.parse(text)
    const outputs = Nodes.map(({ Checks: [check] }: { Checks: { Output: string }[] }) => check?.Output.length)
    t.deepEqual(outputs, Array(instances).fill(size))
  }
})
