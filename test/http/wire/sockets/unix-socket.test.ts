// HTTP over a Unix socket.
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { AnnalsClient } from '../../../../clients/typescript/annals-client.js'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'

interface Shown {
  readonly status: number
  readonly text: string
}

/** Sends a request over a socket. */
const ask = (socketPath: string, path: string, headers: Record<string, string> = {}): Promise<Shown> =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, headers: { 'x-service-token': ROOT, ...headers } }, answer => {
      let text = ''
      answer.on('data', (data: Buffer) => (text += data.toString()))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end()
  })

const serverAt = async (t: ExecutionContext, http: string, more: object = {}): Promise<TestServer> =>
  serverInProcess(t, { config: { addresses: { http }, ports: { http: 0, dns: -1 }, ...more } })

test('HTTP listens at a Unix socket alone, and deletes it at the end', async t => {
  const path = join(temporaryFolder(t), 'http.sock')
  const unix_sockets = { mode: '0600', user: String(process.getuid?.()), group: String(process.getgid?.()) }
  const server = await serverAt(t, `unix://${path}`, { unix_sockets })
  t.is(server.port, 0)
  t.is(statSync(path).mode & 0o777, 0o600)
  t.like(await ask(path, '/v1/catalog/datacenters'), { status: 200, text: '["dc1"]' })
  // Not a name of this server, which only matters for TCP.
  t.is((await ask(path, '/v1/status/leader', { host: 'evil.example' })).status, 200)
  await server.close()
  t.false(existsSync(path))
})

test('HTTP listens at a Unix socket beside TCP, and a client uses either', async t => {
  const path = join(temporaryFolder(t), 'http.sock')
  const server = await serverAt(t, `127.0.0.1 unix://${path}`)
  t.is((await server.send('PUT', '/v1/kv/a', { body: 'over TCP' })).status, 200)
  const { connection } = new AnnalsClient({ address: `unix://${path}`, token: ROOT })
  t.is(await (await connection.request('GET', '/v1/kv/a', { query: { raw: true } })).text(), 'over TCP')
  await connection.request('PUT', '/v1/kv/b', { body: 'over the socket' })
  t.is((await server.send('GET', '/v1/kv/b?raw')).text, 'over the socket')
  await t.throwsAsync(connection.request('GET', '/v1/kv/none'), { message: 'Key "none" does not exist' })
  t.throws(() => new AnnalsClient({ address: `unix://${path}` }).events({ wire: 'websocket' }), {
    message: /a WebSocket cannot reach a unix:\/\/ address/
  })
  const streamed: number[] = []
  for await (const { Index } of new AnnalsClient({ address: `unix://${path}`, token: ROOT }).events({
    topics: ['KV'],
    index: 'beginning',
    until: 'now'
  }))
    streamed.push(Index)
  t.is(streamed.length, 2)
  const evil = await ask(path, '/v1/status/leader', { host: 'evil.example' })
  t.is(evil.status, 200)
  t.is((await server.send('GET', '/v1/status/leader', { headers: { host: 'evil.example' } })).status, 421)
})

test('the socket of a server that was killed is replaced, and that of one that runs is not', async t => {
  const path = join(temporaryFolder(t), 'http.sock')
  const server = await serverAt(t, `unix://${path}`)
  await t.throwsAsync(serverAt(t, `unix://${path}`), {
    message: /another process listens there \(EADDRINUSE\)/
  })
  t.is((await ask(path, '/v1/status/leader')).status, 200)
  await server.close()
  const dead = createServer()
  await new Promise<void>(resolve => dead.listen(`${path}.old`, resolve))
  const { renameSync } = await import('node:fs')
  renameSync(`${path}.old`, path)
  await new Promise(resolve => dead.close(resolve))
  t.true(existsSync(path))
  await serverAt(t, `unix://${path}`)
  t.is((await ask(path, '/v1/status/leader')).status, 200)
})

test('a path that cannot be a socket ends the start with the setting and the reason', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'file')
  writeFileSync(file, 'kept')
  const fault = (reason: RegExp) => ({ name: 'ListenError', message: reason })
  await t.throwsAsync(
    serverAt(t, `unix://${file}`),
    fault(/file that is not a socket \(EEXIST\); see addresses.http/)
  )
  t.true(existsSync(file))
  await t.throwsAsync(serverAt(t, `unix://${folder}/none/a.sock`), fault(/the folder does not exist/))
  const unix_sockets = { user: 'unknown-user-name' }
  await t.throwsAsync(
    serverAt(t, `unix://${folder}/a.sock`, { unix_sockets }),
    fault(/unix_sockets\.user is not known/)
  )
  for (const http of ['unix://relative', '127.0.0.1 10.0.0.1', 'unix:///a unix:///b', 'unix:///'])
    await t.throwsAsync(serverAt(t, http), { message: /addresses\.http/ }, http)
})
