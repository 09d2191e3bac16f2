// Workers as processes: they share the ports of the server, die, and come back.
import { readFileSync, writeFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import { selfSigned } from '../../../support/certificate.js'
import { send } from '../../../support/client.js'
import { fileScope } from '../../../support/file-scope.js'
import { ask } from '../../../support/dns.js'
import {
  freePort,
  launchServer,
  startServer,
  temporaryFolder,
  type Scope,
  type ServerOptions,
  type ServerProcess
} from '../../../support/process.js'
import { openStream } from '../../../support/stream.js'
import { until } from '../../../support/wait.js'

const lines = (server: ServerProcess, text: string): number => server.log().split(text).length - 1

/** Starts a server with workers, all of which listen. */
const serverWith = async (
  t: Scope,
  workers: number,
  { config, ...options }: ServerOptions = {}
): Promise<ServerProcess> => {
  const server = await startServer(t, { acl: 'allow', ...options, config: { workers, ...config } })
  await until('the workers listen', () => lines(server, 'a worker is listening') === workers)
  return server
}

/** Starts a server with workers once, for tests that leave it as it is. It ends with the file. */
const shared = (workers: number): (() => Promise<ServerProcess>) => {
  const scope = fileScope(test, `a server with ${workers} workers`)
  let server: Promise<ServerProcess> | undefined
  return () => (server ??= serverWith(scope, workers))
}
const withOne = shared(1)
const withTwo = shared(2)

/** The processes that a server has started. */
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Connections of their own, over which the system spreads the processes of a server. */
const connections = (t: ExecutionContext, count: number): readonly Agent[] => {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  t.teardown(() => agents.forEach(agent => agent.destroy()))
  return agents
}

/** `ANNALS_WORKERS_ROUNDS=2605` reads a million times. */
const ROUNDS = Number(process.env['ANNALS_WORKERS_ROUNDS'] ?? 6)
const CLIENTS = 64
const READS = 6

test.serial('no read over any connection is older than what was acknowledged before it', async t => {
  const server = await withTwo()
  const agents = connections(t, CLIENTS)
  const old: string[] = []
  const client = async (agent: Agent, i: number): Promise<void> => {
    for (let round = 1; round <= ROUNDS; round++) {
      await send(server.base, 'PUT', `/v1/kv/k${i}`, { body: String(round), agent })
      const reads = Array.from({ length: READS }, async (_, step) => {
        const reader = agents[(i + step) % CLIENTS] ?? agent
        const { text } = await send(server.base, 'GET', `/v1/kv/k${i}?raw`, { agent: reader })
        if (text !== String(round)) old.push(`${text} instead of ${round}`)
      })
      await Promise.all(reads)
    }
  }
  await Promise.all(agents.map(client))
  t.deepEqual(old, [])
  const counted = (method: string, count: number): string =>
    `annals_http_requests_total{method="${method}",path="/v1/kv/*key",status="200"} ${count}\n`
  const { text } = await send(server.base, 'GET', '/v1/agent/metrics?format=prometheus')
  t.true(text.includes(counted('PUT', CLIENTS * ROUNDS)))
  t.true(text.includes(counted('GET', CLIENTS * ROUNDS * READS)))
  t.regex(text, /^annals_workers 2$/m)
  t.true(Number(/^annals_forwarded_requests_total\{outcome="answered"\} (\d+)$/m.exec(text)?.[1]) > 0)
})

/** Kills a worker, and waits until another one listens. */
const killWorker = async (server: ServerProcess, pid: number): Promise<void> => {
  const listened = lines(server, 'a worker is listening')
  process.kill(pid, 'SIGKILL')
  await until('another one listens', () => lines(server, 'a worker is listening') > listened)
}

test.serial('a killed worker is restarted, and no acknowledged write is missing', async t => {
  const server = await withOne()
  const [pid = 0] = childrenOf(server.pid)
  await send(server.base, 'PUT', '/v1/kv/a', { body: '1', agent: new Agent() })
  const ended = lines(server, 'a worker has ended by itself')
  await killWorker(server, pid)
  t.is(lines(server, 'a worker has ended by itself'), ended + 1)
  for (const agent of connections(t, 16)) {
    t.is((await send(server.base, 'GET', '/v1/kv/a?raw', { agent })).text, '1')
    t.is((await send(server.base, 'PUT', '/v1/kv/b', { body: '2', agent })).text, 'true')
  }
})

test.serial('a worker whose main process was killed ends without an error of its own', async t => {
  const server = await serverWith(t, 2)
  const workers = childrenOf(server.pid)
  const before = server.log()
  const agents = connections(t, CLIENTS)
  const readAll = () =>
    agents.map(agent => send(server.base, 'GET', '/v1/kv/a', { agent }).catch(() => undefined))
  await Promise.all(readAll())
  // The workers resume with requests to forward and no main process. All were written when it has answered its own.
  for (const worker of workers) process.kill(worker, 'SIGSTOP')
  const requests = readAll()
  await Promise.race(requests)
  await server.kill()
  for (const worker of workers) process.kill(worker, 'SIGCONT')
  await until('the workers have ended', () => !workers.some(isAlive))
  await Promise.all(requests)
  t.is(server.log(), before)
})

/** A connection on which a request was begun. `answer` resolves with all that comes on it, also when it breaks. */
const beginRequest = async (t: ExecutionContext, port: number, begin: string) => {
  const socket = connectPlain({ port, host: '127.0.0.1' })
  t.teardown(() => socket.destroy())
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => (text += chunk))
  await once(socket, 'connect')
  socket.on('error', () => {})
  const answer = new Promise<string>(resolve => socket.once('close', () => resolve(text)))
  socket.write(begin)
  return { finish: (rest: string) => void socket.write(rest), answer }
}

test.serial('the requests of a killed worker are not half done, and other workers continue', async t => {
  const server = await withOne()
  const { headers } = await send(server.base, 'PUT', '/v1/kv/a', { body: 'before' })
  const head = 'HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n'
  const all = <T>(each: (i: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: 16 }, (_, i) => each(i)))
  const waiting = await all(() =>
    beginRequest(
      t,
      server.port,
      `GET /v1/kv/a?raw&index=${String(headers['x-service-index'])}&wait=9m ${head}\r\n`
    )
  )
  const writing = await all(i =>
    beginRequest(t, server.port, `PUT /v1/kv/half/${i} ${head}Content-Length: 10\r\n\r\nfirst`)
  )
  const [pid = 0] = childrenOf(server.pid)
  await killWorker(server, pid)
  await send(server.base, 'PUT', '/v1/kv/a', { body: 'after', agent: new Agent() })
  for (const { finish } of writing) finish('-then')
  const read = await Promise.all(waiting.map(({ answer }) => answer))
  for (const text of read) t.true(text === '' || text.endsWith('\r\n\r\nafter'), text)
  t.true(read.includes(''))
  const written = (await Promise.all(writing.map(({ answer }) => answer))).flatMap((text, i) =>
    text.endsWith('true') ? [`half/${i}`] : []
  )
  const { text } = await send(server.base, 'GET', '/v1/kv/half/?keys', { agent: new Agent() })
  t.deepEqual(JSON.parse(text === '' ? '[]' : text), written.toSorted())
})

test.serial('a server without workers is one process', async t => {
  const server = await startServer(t, { acl: 'allow', config: { workers: 0 } })
  t.is((await send(server.base, 'PUT', '/v1/kv/a', { body: '1' })).text, 'true')
  t.deepEqual(childrenOf(server.pid), [])
  t.false(
    (await send(server.base, 'GET', '/v1/agent/metrics?format=prometheus')).text.includes('annals_worker')
  )
  await server.stop()
})

test.serial('workers end with the main process, however that ends', async t => {
  const server = await serverWith(t, 2)
  const pids = childrenOf(server.pid)
  t.is(pids.length, 2)
  await server.kill()
  await until('they have ended', () => !pids.some(isAlive))
  t.pass()
})

test.serial('a reload takes effect in all processes', async t => {
  const server = await serverWith(t, 2)
  const statuses = async (): Promise<readonly number[]> => {
    const headers = { host: 'other.example' }
    const path = '/v1/kv/a'
    const asked = connections(t, 32).map(agent => send(server.base, 'GET', path, { headers, agent }))
    return [...new Set((await Promise.all(asked)).map(({ status }) => status))]
  }
  t.deepEqual(await statuses(), [421])
  const config: object = JSON.parse(readFileSync(server.config, 'utf8'))
  writeFileSync(server.config, JSON.stringify({ ...config, http: { allowed_hosts: ['other.example'] } }))
  process.kill(server.pid, 'SIGHUP')
  await until('all have reread it', () => lines(server, 'the configuration was reread') === 3)
  t.deepEqual(await statuses(), [404])
})

test.serial('streams over all processes have every commit once, in order', async t => {
  const server = await withOne()
  const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(server.base, 'topic=KV')))
  t.teardown(() => streams.forEach(stream => stream.close()))
  const written: number[] = []
  for (const agent of connections(t, 40)) {
    const { headers } = await send(server.base, 'PUT', '/v1/kv/a', { body: String(written.length), agent })
    written.push(Number(headers['x-service-index']))
  }
  const [first = 0] = written
  for (const stream of streams) {
    const messages = await stream.upTo(written.at(-1) ?? 0)
    t.deepEqual(
      messages.flatMap(({ Index, Events }) => (Events && (Index ?? 0) >= first ? [Index] : [])),
      written
    )
  }
  const { text } = await send(server.base, 'GET', '/v1/event/subscriptions')
  const subscriptions: { readonly Open: readonly { readonly ID: string }[] } = JSON.parse(text)
  t.is(new Set(subscriptions.Open.map(({ ID }) => ID)).size, 8)
})

test.serial('DNS is answered by all processes, and shows what was acknowledged', async t => {
  const server = await withTwo()
  for (let i = 0; i < 12; i++) {
    const body = { Node: `n${i}`, Address: `192.0.2.${i + 1}`, Service: { Service: `web${i}` } }
    await send(server.base, 'PUT', '/v1/catalog/register', { body, agent: new Agent() })
    const { answers = [] } = await ask(server.dnsPort, `web${i}.service.consul`, 'A')
    t.is(answers.length, 1)
  }
})

test.serial('a port that somebody else shares is taken', async t => {
  const server = await withOne()
  const { port } = server
  const error = await t.throwsAsync(
    startServer(t, { config: { workers: 1, ports: { http: port, dns: -1 } } })
  )
  t.regex(error?.message ?? '', /the port is taken/)
})

test.serial('workers continue with the log of a restored snapshot', async t => {
  const source = await startServer(t, { acl: 'off' })
  await send(source.base, 'PUT', '/v1/kv/a', { body: 'from the source' })
  const archive = await (await fetch(`${source.base}/v1/snapshot`)).arrayBuffer()
  await source.stop()
  const server = await serverWith(t, 1, { acl: 'off' })
  const { status } = await fetch(`${server.base}/v1/snapshot`, { method: 'PUT', body: archive })
  t.is(status, 200)
  const readAll = async (): Promise<void> => {
    for (const agent of connections(t, 12))
      t.is((await send(server.base, 'GET', '/v1/kv/a?raw', { agent })).text, 'from the source')
  }
  await readAll()
  await until('another worker listens', () => lines(server, 'a worker is listening') === 2)
  await readAll()
  await server.stop()
})

test.serial('all processes speak TLS', async t => {
  const { key, cert } = await selfSigned()
  const folder = temporaryFolder(t)
  const [key_file, cert_file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  writeFileSync(key_file, key)
  writeFileSync(cert_file, cert)
  const https = await freePort()
  const config = { ports: { http: await freePort(), https, dns: -1 }, tls: { http: { key_file, cert_file } } }
  const server = await launchServer(t, { acl: 'allow', config: { ...config, workers: 1 } })
  await until('the worker listens', () => lines(server, 'a worker is listening') === 1)
  for (let i = 0; i < 12; i++) {
    const socket = connect({ port: https, host: '127.0.0.1', ca: cert })
    socket.write(
      'PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx'
    )
    t.regex((await buffer(socket)).toString(), /^HTTP\/1.1 200 OK\r\n/)
  }
})
