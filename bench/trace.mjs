// Counts what single requests of a built server call. Usage: node bench/trace.mjs [FOLDER] [--calls NAME]   (after a build)
// Prints for each request the calls of functions of the build, in how many files, and how many came from another file; with
// `--calls NAME`, the calls of one request in order. Functions of Node and of libraries do not count. The figures do not depend on the load.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { send } from '../dist/test/support/client.js'
import { freePort } from '../dist/test/support/process.js'

const WARM_UP = 20
const ROUNDS = 7
const ROOT = '5ec51e41-0000-4000-8000-000000000001'

const [first] = process.argv.slice(2)
const folder = resolve(first === undefined || first.startsWith('--') ? '.' : first)
const shown = process.argv.includes('--calls') ? process.argv[process.argv.indexOf('--calls') + 1] : undefined

const REQUESTS = {
  'KV read': () => ['GET', '/v1/kv/bench/a'],
  'token of the caller': () => ['GET', '/v1/acl/token/self'],
  'query execution': () => ['GET', '/v1/query/web-q/execute'],
  'discovery chain': () => ['GET', '/v1/discovery-chain/web'],
  'health of 100 instances': () => ['GET', '/v1/health/service/big'],
  'KV write': n => ['PUT', '/v1/kv/bench/b', `value ${n}`],
  'policy creation': n => [
    'PUT',
    '/v1/acl/policy',
    { Name: `bench-${n}`, Rules: 'key_prefix "a/" { policy = "read" }' }
  ],
  'token creation': () => [
    'PUT',
    '/v1/acl/token',
    { Description: 'bench', Policies: [{ Name: 'global-management' }] }
  ],
  transaction: n => [
    'PUT',
    '/v1/txn',
    [
      { KV: { Verb: 'set', Key: 'bench/c', Value: Buffer.from(`${n}`).toString('base64') } },
      { KV: { Verb: 'get', Key: 'bench/c' } }
    ]
  ]
}

const data = mkdtempSync(join(tmpdir(), 'annals-trace-'))
const port = await freePort()
const config = join(data, 'config.json')
const settings = {
  data_dir: join(data, 'data'),
  ports: { http: port, dns: -1 },
  acl: { enabled: true, default_policy: 'deny', tokens: { initial_management: ROOT } }
}
writeFileSync(config, JSON.stringify(settings))
const server = fork(join(folder, 'dist/server/main.js'), ['serve', '--config', config], {
  execArgv: ['--import', join(import.meta.dirname, 'calls.mjs')],
  env: { ...process.env, TRACED_BUILD: join(folder, 'dist') },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc']
})
server.on('exit', code => {
  throw new Error(`the server ended with ${code}`)
})
process.on('exit', () => {
  server.removeAllListeners('exit')
  server.kill('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

const base = `http://127.0.0.1:${port}`
const call = async (method, path, body) => {
  const answer = await send(base, method, path, { token: ROOT, body })
  if (answer.status !== 200) throw new Error(`${method} ${path} was answered ${answer.status} ${answer.text}`)
}
const command = async text => {
  server.send(text)
  const [answer] = await once(server, 'message')
  return answer
}

while (!(await send(base, 'GET', '/readyz').catch(() => undefined))) await pause(50)
await call('PUT', '/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
await call('POST', '/v1/query', { Name: 'web-q', Service: { Service: 'web' } })
await call('PUT', '/v1/catalog/register', {
  Node: 'n1',
  Address: '10.0.0.1',
  Service: { Service: 'web', Port: 80 }
})
await call('PUT', '/v1/kv/bench/a', 'hello world')
for (let i = 1; i <= 100; i++)
  await call('PUT', '/v1/catalog/register', {
    Node: `h${i}`,
    Address: `10.1.0.${i}`,
    Service: { Service: 'big', Port: 80 },
    Check: { Name: 'c', Status: 'passing', ServiceID: 'big' }
  })

/** The calls of one request: those of the round with the fewest, since timers of the server run beside. */
const callsOf = async (name, request) => {
  let fewest
  for (let n = 0; n < WARM_UP; n++) await call(...request(`${name.length}-${n}`))
  for (let n = 0; n < ROUNDS; n++) {
    await command('begin')
    await call(...request(`${name.length}-${WARM_UP + n}`))
    const calls = await command('end')
    if (fewest === undefined || calls.length < fewest.length) fewest = calls
  }
  return fewest
}

console.log(`${'request'.padEnd(26)}   calls   files   from another file`)
for (const [name, request] of Object.entries(REQUESTS)) {
  if (shown !== undefined && shown !== name) continue
  const calls = await callsOf(name, request)
  const files = new Set(calls.map(({ path }) => path)).size
  const jumps = calls.filter(({ path, from }) => path !== from).length
  console.log(
    `${name.padEnd(26)} ${String(calls.length).padStart(7)} ${String(files).padStart(7)} ${String(jumps).padStart(7)}`
  )
  if (shown !== undefined)
    for (const { path, name: of, from } of calls) console.log(`  ${path} ${of}   from ${from}`)
}
process.exit(0)
