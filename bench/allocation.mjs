// Measures the bytes of the heap that single requests of a built server allocate. Usage: node bench/allocation.mjs [FOLDER]   (after a build)
// Requests come on 16 connections, after a warm-up, and the young generation is so large that nothing is collected
// meanwhile. `bare` is a server of node:http alone that answers the same number of bytes. Prints the median of the rounds.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../dist/test/support/process.js'

const WARM_UP = 9600
const REQUESTS = 6400
const CONNECTIONS = 16
const ROUNDS = 5
const ROOT = '5ec51e41-0000-4000-8000-000000000001'
const folder = resolve(process.argv[2] ?? '.')
const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const MEASURING = `data:text/javascript,${encodeURIComponent(`
import v8 from 'node:v8'
process.on('message', what => {
  if (what === 'collect') globalThis.gc()
  process.send(v8.getHeapStatistics().used_heap_size)
})`)}`
const execArgv = [
  '--expose-gc',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256',
  '--import',
  MEASURING
]

const data = mkdtempSync(join(tmpdir(), 'annals-allocation-'))
const children = []
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

const start = async (path, args, port) => {
  const child = fork(path, args, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  children.push(child)
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      () => true,
      () => false
    )
    if (isUp) return child
    await pause(50)
  }
}

const heapOf = async (child, what) => {
  child.send(what)
  const [bytes] = await once(child, 'message')
  return bytes
}

/** Sends requests one after the other; their answers have no chunks. */
const send = async (port, count, request) => {
  const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1')
  let answer = ''
  for (let n = 0; n < count; n++) {
    socket.write(request(n))
    do {
      const [text] = await once(socket, 'data')
      answer += text
    } while (!isComplete(answer))
    if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer)
    answer = ''
  }
  socket.destroy()
}

const isComplete = answer => {
  const end = answer.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(answer)?.[1]
  return end >= 0 && answer.length - end - 4 >= Number(length)
}

const requestOf = (method, path, body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Service-Token: ${ROOT}\r\nContent-Length: ${body.length}\r\n\r\n${body}`

const token = JSON.stringify({ Description: 'bench', Policies: [{ Name: 'global-management' }] })
const transaction = n => {
  const Key = 'bench/c'
  const Value = Buffer.from(`value ${n}`).toString('base64')
  return JSON.stringify([{ KV: { Verb: 'set', Key, Value } }, { KV: { Verb: 'get', Key } }])
}

/** Sends requests on several connections at once. */
const sendAll = (port, count, request) =>
  Promise.all(
    Array.from({ length: CONNECTIONS }, (_, at) =>
      send(port, count / CONNECTIONS, n => request(at * count + n))
    )
  )

const bytesOf = async (child, port, request) => {
  await sendAll(port, WARM_UP, request)
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = await heapOf(child, 'collect')
    await sendAll(port, REQUESTS, request)
    rounds.push(((await heapOf(child, 'read')) - before) / REQUESTS)
  }
  return rounds.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]
}

const [port, barePort] = [await freePort(), await freePort()]
const config = join(data, 'config.json')
writeFileSync(
  config,
  JSON.stringify({
    data_dir: join(data, 'data'),
    ports: { http: port, dns: -1 },
    acl: { enabled: true, default_policy: 'deny', tokens: { initial_management: ROOT } }
  })
)
const bareFile = join(data, 'bare.mjs')
writeFileSync(
  bareFile,
  `import { createServer } from 'node:http'
const body = JSON.stringify([{ Key: 'bench/a', Value: 'aGVsbG8gd29ybGQ=', Flags: 0, LockIndex: 0, CreateIndex: 1, ModifyIndex: 1 }])
createServer({ optimizeEmptyRequests: true }, (request, response) => {
  response.writeHead(200, ['Content-Length', String(body.length), 'Content-Type', 'application/json']).end(body)
}).listen(${barePort}, '127.0.0.1')`
)
const bare = await start(bareFile, [], barePort)
const server = await start(join(folder, bin.annals), ['serve', '--config', config], port)
await send(port, 1, () => requestOf('PUT', '/v1/kv/bench/a', 'hello world'))
const rows = {
  'bare node:http': [bare, barePort, () => requestOf('GET', '/')],
  'KV read': [server, port, () => requestOf('GET', '/v1/kv/bench/a')],
  'token of the caller': [server, port, () => requestOf('GET', '/v1/acl/token/self')],
  'KV write': [server, port, n => requestOf('PUT', '/v1/kv/bench/b', `value ${n}`)],
  transaction: [server, port, n => requestOf('PUT', '/v1/txn', transaction(n))],
  'token creation': [server, port, () => requestOf('PUT', '/v1/acl/token', token)]
}
for (const [name, [child, at, request]] of Object.entries(rows))
  console.log(`${name.padEnd(22)} ${((await bytesOf(child, at, request)) / 1000).toFixed(1).padStart(6)} kB`)
process.exit(0)
