// Prints the longest time for which each list holds the event loop of a server, with its CPU time. Usage, after a build:
// node bench/event-loop.mjs [KEYS] [TOKENS] [SERVICES]   (default: 1000000 200000 50000; each service has 4 checks)
// A writer changes keys meanwhile. Pauses of the garbage collector are shown apart.
import { Agent, request } from 'node:http'
import { valueIn } from './inspector.mjs'
import { cpuOf, scoped } from './measuring.mjs'
import { startBenched } from './server.mjs'

const [KEYS = 1_000_000, TOKENS = 200_000, SERVICES = 50_000] = process.argv.slice(2).map(Number)
const CHECKS = 4
const OPERATIONS = 64
const CONNECTIONS = 16
const WRITES_MS = 5

const LISTS = [
  '/v1/status/leader',
  '/v1/kv/?keys',
  '/v1/kv/?keys&separator=/',
  '/v1/kv/?recurse',
  '/v1/kv/?recurse&limit=1000',
  '/v1/acl/tokens',
  '/v1/acl/tokens?limit=1000',
  '/v1/catalog/nodes',
  '/v1/catalog/services',
  '/v1/health/state/any',
  '/v1/health/state/critical',
  '/v1/health/state/passing',
  '/v1/health/service/service-1',
  '/v1/catalog/service/service-1',
  '/v1/session/list',
  '/v1/acl/policies',
  '/v1/acl/tokens/last-used',
  '/v1/agent/metrics'
]

const MONITOR = `(() => {
  const { monitorEventLoopDelay, PerformanceObserver } = process.getBuiltinModule('node:perf_hooks')
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const pauses = []
  new PerformanceObserver(list => pauses.push(...list.getEntries().map(entry => entry.duration))).observe({ entryTypes: ['gc'] })
  delay.enable()
  globalThis.eventLoop = { delay, pauses }
})()`
const RESET = '(eventLoop.delay.reset(), eventLoop.pauses.length = 0)'
const RESULT = '({ stall: eventLoop.delay.max / 1e6, pause: Math.max(0, ...eventLoop.pauses) })'

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS + 1 })

/** Sends a request and discards its response. Returns the status and the length of the body. */
const send = ({ port, root }, method, path, body) =>
  new Promise((resolve, reject) => {
    const headers = { 'X-Service-Token': root }
    const sent = request({ port, host: '127.0.0.1', method, path, agent, headers }, answer => {
      let bytes = 0
      answer.on('data', chunk => (bytes += chunk.length))
      answer.on('end', () => resolve({ status: answer.statusCode, bytes }))
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** Calls `write` for all numbers below a count, on several connections. */
const inParallel = async (count, write) => {
  let next = 0
  const run = async () => {
    while (next < count) await write(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
}

const must = async (server, method, path, body) => {
  const { status } = await send(server, method, path, body)
  if (status !== 200) throw new Error(`${method} ${path} was answered ${status}`)
}

const keyOf = n => `folder-${n % 1000}/key-${n}`
const setKey = n => ({ KV: { Verb: 'set', Key: keyOf(n), Value: 'dmFsdWUgb2YgdGhlIGJlbmNobWFyaw==' } })

const registrationOf = n => {
  const Node = `node-${n % Math.ceil(SERVICES / 10)}`
  const service = `service-${n}`
  return [
    { Node: { Verb: 'set', Node: { Node, Address: '10.0.0.1' } } },
    { Service: { Verb: 'set', Node, Service: { Service: service, Tags: ['a', 'b'], Port: 8080 } } },
    ...Array.from({ length: CHECKS }, (_, i) => ({
      Check: {
        Verb: 'set',
        Check: { Node, CheckID: `${service}-${i}`, Name: 'alive', Status: 'passing', ServiceID: service }
      }
    }))
  ]
}

const fill = async server => {
  const inTransactions = (count, operationsOf, size) =>
    inParallel(Math.ceil(count / size), at => {
      const numbers = Array.from({ length: Math.min(size, count - at * size) }, (_, i) => at * size + i)
      return must(server, 'PUT', '/v1/txn', numbers.flatMap(operationsOf))
    })
  await inTransactions(KEYS, setKey, OPERATIONS)
  await inTransactions(SERVICES, registrationOf, Math.floor(OPERATIONS / (CHECKS + 2)))
  await inParallel(TOKENS, n => must(server, 'PUT', '/v1/acl/token', { Description: `token ${n}` }))
}

/** Writes a key every few milliseconds. Returns a function that ends it. */
const startWriter = server => {
  let n = 0
  const timer = setInterval(() => {
    send(server, 'PUT', `/v1/kv/${keyOf((n += 7919) % KEYS)}`, { n }).catch(() => {})
  }, WRITES_MS)
  return () => clearInterval(timer)
}

const measure = async (server, path) => {
  await valueIn(server, RESET)
  const cpu = cpuOf(server.pid)
  const began = performance.now()
  const { status, bytes } = await send(server, 'GET', path)
  const elapsed = performance.now() - began
  const used = cpuOf(server.pid) - cpu
  const { stall, pause } = await valueIn(server, RESULT)
  const cells = [
    stall.toFixed(1),
    pause.toFixed(1),
    String(Math.round(elapsed)),
    String(used),
    (bytes / 2 ** 20).toFixed(2)
  ]
  console.log(
    `${path.padEnd(32)}${cells.map(cell => cell.padStart(12)).join('')}${status === 200 ? '' : `  ${status}`}`
  )
}

await scoped(async scope => {
  const server = await startBenched(scope, {
    nodeArguments: ['--inspect=127.0.0.1:0', '--max-old-space-size=6144']
  })
  const began = performance.now()
  await fill(server)
  console.log(
    `${KEYS} keys, ${TOKENS} tokens, ${SERVICES} services, written in ${Math.round((performance.now() - began) / 1000)} s`
  )
  const columns = ['stall, ms', 'GC, ms', 'time, ms', 'CPU, ms', 'MiB']
  console.log(`${'GET'.padEnd(32)}${columns.map(column => column.padStart(12)).join('')}`)
  await valueIn(server, MONITOR)
  const endWriter = startWriter(server)
  // Each list twice, since the first one fills the caches of rows.
  for (const path of [...LISTS, ...LISTS]) await measure(server, path)
  endWriter()
  agent.destroy()
})
