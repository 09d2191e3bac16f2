// Prints the longest turn of the event loop of a server during each list and each large write. Usage, after a build, with Node 24:
// node bench/event-loop.mjs [--keys N] [--tokens N] [--services N] [--folder PATH [--prepare]] [--only PATTERN] [--rounds N] [--retain COMMITS] [--incremental]
// Default: 1,000,000 keys, 200,000 tokens with a policy and a role, 50,000 services and 50,000 instances of one service, with 4 checks and 1 check each,
// in a new folder. `--prepare` only fills the folder, and later runs with `--folder` open a copy of it. A writer changes keys meanwhile.
// `turn` is the CPU time of the main thread in the longest turn, without the pauses of the garbage collector in it, and `paused` includes them. `GC` is the
// longest pause, and `stall` the longest delay of a timer. On a busy machine a pause lasts longer than its CPU time, so that `turn` is too small. Node reports
// no steps of incremental marking, so that the server runs without it and its pauses are longer than usual: `--incremental` shows the usual ones. `CPU`
// includes the monitor, which never lets the event loop wait. `--retain` measures the pruning of a filled folder, which begins with the server.
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SignJWT } from 'jose'
import { startServer, temporaryFolder } from '../dist/test/support/process.js'
import { valueIn } from './inspector.mjs'
import { cpuOf, scoped } from './measuring.mjs'
import { benched } from './server.mjs'

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '1000000' },
    tokens: { type: 'string', default: '200000' },
    services: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    folder: { type: 'string' },
    prepare: { type: 'boolean', default: false },
    retain: { type: 'string' },
    incremental: { type: 'boolean', default: false }
  }
})
const [KEYS, TOKENS, SERVICES, ROUNDS] = ['keys', 'tokens', 'services', 'rounds'].map(name =>
  Number(values[name])
)
const ROOT = '5ec51e41-0000-4000-8000-000000000001'
const CHECKS = 4
const OPERATIONS = 64
const CONNECTIONS = 16
const WRITES_MS = 5
const SESSIONS = 10_000
const ENTRIES = 5000
const LOCKS = 5000
const DELETED = 100_000
const REPORT_MS = 200

const get = path => ({ method: 'GET', path })

const LISTS = [
  '/v1/status/leader',
  '/v1/kv/?keys',
  '/v1/kv/?keys&separator=/',
  '/v1/kv/?keys&ns=*',
  '/v1/kv/?recurse',
  '/v1/kv/?recurse&ns=*',
  '/v1/kv/folder-1/?recurse&pretty',
  '/v1/kv/?recurse&pretty',
  '/v1/kv/?recurse&limit=1000',
  '/v1/acl/tokens',
  '/v1/acl/tokens?pretty',
  '/v1/acl/tokens?ns=*',
  '/v1/acl/tokens?limit=1000',
  '/v1/acl/tokens?policy=POLICY',
  '/v1/acl/tokens?policy=POLICY&limit=1000',
  '/v1/acl/tokens?role=ROLE',
  '/v1/acl/tokens?servicename=web',
  '/v1/acl/policies',
  '/v1/acl/roles',
  '/v1/acl/tokens/last-used',
  '/v1/catalog/nodes',
  '/v1/catalog/nodes?pretty',
  '/v1/catalog/nodes?near=node-1',
  '/v1/catalog/nodes?filter=Meta.rack==r1',
  '/v1/catalog/services',
  '/v1/catalog/services?ns=*',
  '/v1/catalog/services?node-meta=rack:r1',
  '/v1/catalog/service/many',
  '/v1/catalog/service/many?near=node-1',
  '/v1/catalog/service/many?tag=a',
  '/v1/catalog/service/many?limit=1000',
  '/v1/catalog/service/service-1',
  '/v1/catalog/node-services/node-1',
  '/v1/health/service/many',
  '/v1/health/service/many?passing',
  '/v1/health/service/many?passing&limit=1000',
  '/v1/health/service/many?near=node-1',
  '/v1/health/service/many?filter=Service.Port==8080',
  '/v1/health/service/many?pretty',
  '/v1/health/service/service-1',
  '/v1/health/checks/many',
  '/v1/health/checks/many?limit=1000',
  '/v1/health/state/any',
  '/v1/health/state/any?ns=*',
  '/v1/health/state/any?near=node-1',
  '/v1/health/state/any?node-meta=rack:r1',
  '/v1/health/state/any?limit=1000',
  '/v1/health/state/critical',
  '/v1/health/state/passing',
  '/v1/health/node/node-1',
  '/v1/session/list',
  '/v1/session/list?ns=*',
  '/v1/session/node/node-1',
  '/v1/coordinate/nodes',
  '/v1/coordinate/nodes?limit=1000',
  '/v1/config/service-defaults',
  '/v1/config/',
  '/v1/config/service-defaults?limit=1000',
  '/v1/connect/intentions',
  '/v1/query',
  '/v1/query/of-many/execute',
  '/v1/discovery-chain/many',
  '/v1/agent/services',
  '/v1/agent/checks',
  '/v1/agent/metrics',
  '/v1/internal/ui/services',
  '/v1/event/list',
  '/v1/namespaces',
  '/v1/acl/token/self',
  '/v1/acl/token/self/rights',
  '/v1/acl/auth-methods',
  '/v1/acl/binding-rules',
  '/v1/acl/review',
  '/v1/acl/review?limit=100',
  '/v1/acl/policy/POLICY/usage',
  '/v1/acl/role/ROLE/usage',
  '/v1/acl/role/ROLE/suggestion',
  '/v1/acl/who?resource=key&segment=folder-1/key&access=write',
  '/v1/acl/who?resource=key&segment=folder-1/key&access=write&limit=100',
  '/v1/acl/who?resource=operator&segment=&access=write',
  '/v1/internal/acl/usage',
  '/v1/internal/datacenter',
  '/v1/agent/self',
  '/v1/agent/members',
  '/v1/catalog/connect/many',
  '/v1/catalog/datacenters',
  '/v1/catalog/node/node-1',
  '/v1/health/connect/many',
  '/v1/health/ingress/many',
  '/v1/connect/intentions/match?by=destination&name=many',
  '/v1/connect/intentions/check?source=web&destination=many',
  '/v1/coordinate/datacenters',
  '/v1/event/audit?limit=100',
  '/v1/event/audit?topic=KV&limit=100',
  '/v1/event/audit/facets',
  '/v1/event/cursors',
  '/v1/event/erasures',
  '/v1/event/history?topic=KV&key=many/key-1',
  '/v1/event/holds',
  '/v1/event/moment',
  '/v1/event/checkpoint',
  '/v1/event/rate',
  '/v1/event/state',
  '/v1/event/subscriptions',
  '/v1/history/kv/many/key-1',
  '/v1/partitions',
  '/v1/search?q=key-77',
  '/v1/search?q=many',
  '/v1/operator/autopilot/health',
  '/v1/operator/log',
  '/v1/operator/raft/configuration',
  '/v1/openapi.json',
  '/v1/snapshot'
]

/** Records the CPU time of each turn of the event loop, the pauses in it, and the longest delay by the clock. */
const MONITOR = `(() => {
  const { monitorEventLoopDelay, PerformanceObserver } = process.getBuiltinModule('node:perf_hooks')
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const [turns, pauses] = [[], []]
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries()) pauses.push({ startTime, duration })
  }).observe({ entryTypes: ['gc'] })
  delay.enable()
  const cpu = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let isRunning = false
  const run = (from, before) => {
    const [until, after] = [performance.now(), cpu()]
    if (after - before > 2) turns.push({ from, until, used: after - before })
    if (isRunning) setImmediate(run, until, after)
  }
  const begin = () => {
    delay.reset()
    turns.length = pauses.length = 0
    isRunning = true
    setImmediate(run, performance.now(), cpu())
    return 0
  }
  const end = () => {
    isRunning = false
    const pausedIn = ({ from, until }) =>
      pauses.reduce(
        (sum, { startTime, duration }) =>
          sum + Math.max(0, Math.min(until, startTime + duration) - Math.max(from, startTime)),
        0
      )
    const most = numbers => Math.max(0, ...numbers)
    return {
      turn: most(turns.map(turn => turn.used - pausedIn(turn))),
      paused: most(turns.map(turn => turn.used)),
      longest: most(pauses.map(({ duration }) => duration)),
      stall: delay.max / 1e6
    }
  }
  globalThis.eventLoop = { begin, end }
})()`

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS + 1 })

/** Sends a request. Returns the status and the length of the body, which `take` receives in pieces. */
const send = ({ port }, method, path, body, take = () => {}) =>
  new Promise((resolve, reject) => {
    const headers = { 'X-Service-Token': ROOT }
    const sent = request({ port, host: '127.0.0.1', method, path, agent, headers }, answer => {
      let bytes = 0
      answer.on('data', chunk => {
        bytes += chunk.length
        take(chunk)
      })
      answer.on('end', () => resolve({ status: answer.statusCode, bytes }))
    })
    sent.on('error', reject)
    sent.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body))
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

const keyOf = n => (n < DELETED ? `many/key-${n}` : `folder-${n % 1000}/key-${n}`)
const setKey = n => ({ KV: { Verb: 'set', Key: keyOf(n), Value: 'dmFsdWUgb2YgdGhlIGJlbmNobWFyaw==' } })

/** All keys that are deleted later. */
const READ_TREE = { KV: { Verb: 'get-tree', Key: 'many/' } }

const nodeOf = n => `node-${n % Math.ceil(SERVICES / 10)}`
const setNode = n => ({
  Node: { Verb: 'set', Node: { Node: `node-${n}`, Address: '10.0.0.1', Meta: { rack: `r${n % 40}` } } }
})

const setService = (Node, ID, Service) => ({
  Service: { Verb: 'set', Node, Service: { ID, Service, Tags: ['a', 'b'], Port: 8080 } }
})
const setCheck = (Node, ServiceID, CheckID) => ({
  Check: { Verb: 'set', Check: { Node, CheckID, Name: 'alive', Status: 'passing', ServiceID } }
})

const RULES = 'key_prefix "config/" { policy = "write" }'
/** 430 kB. */
const LONG_RULES = Array.from(
  { length: 8500 },
  (_, n) => `key_prefix "config/app-${n}/" { policy = "write" }\n`
).join('')
const numbered = (count, valueOf) => Array.from({ length: count }, (_, n) => valueOf(n))

/** Run once, after all lists. */
const WRITES = [
  { method: 'PUT', path: '/v1/txn', body: numbered(OPERATIONS, setKey) },
  { method: 'PUT', path: '/v1/txn', body: [READ_TREE] },
  { method: 'PUT', path: '/v1/txn', body: [setKey(DELETED), READ_TREE] },
  { method: 'POST', path: '/v1/acl/policy/POLICY/impact', body: { Name: 'operators', Rules: RULES } },
  { method: 'POST', path: '/v1/acl/role/ROLE/impact', body: { Name: 'team', Policies: [{ ID: 'POLICY' }] } },
  {
    method: 'POST',
    path: '/v1/changes?dry-run',
    body: { Changes: numbered(1000, n => ({ Kind: 'policy', Name: `p-${n}`, Body: { Rules: RULES } })) }
  },
  {
    method: 'POST',
    path: '/v1/changes?dry-run&impact',
    body: { Changes: [{ Kind: 'policy', Name: 'operators', Body: { Rules: RULES } }] }
  },
  {
    method: 'POST',
    path: '/v1/changes?dry-run',
    body: { Changes: [{ Kind: 'policy', Name: 'operators', Delete: true }] }
  },
  { method: 'PUT', path: '/v1/acl/policy/POLICY', body: { Name: 'operators', Rules: RULES } },
  { method: 'PUT', path: '/v1/acl/policy', body: { Name: 'long', Rules: LONG_RULES } },
  { method: 'PUT', path: '/v1/session/destroy/SESSION' },
  { method: 'DELETE', path: '/v1/acl/policy/POLICY' },
  { method: 'DELETE', path: '/v1/acl/role/ROLE' },
  { method: 'DELETE', path: '/v1/namespace/other' },
  { method: 'DELETE', path: '/v1/kv/folder-1/?recurse' },
  { method: 'DELETE', path: '/v1/kv/folder-2?recurse' },
  { method: 'DELETE', path: '/v1/kv/many/?recurse' },
  { method: 'PUT', path: '/v1/catalog/deregister', body: { Node: 'node-1' } }
]

const registrationOf = n => {
  const [Node, id] = [nodeOf(n), `service-${n}`]
  return [
    setService(Node, id, id),
    ...Array.from({ length: CHECKS }, (_, i) => setCheck(Node, id, `${id}-${i}`)),
    setService(Node, `many-${n}`, 'many'),
    setCheck(Node, `many-${n}`, `many-${n}`)
  ]
}

const inTransactions = (server, count, operationsOf, size) =>
  inParallel(Math.ceil(count / size), at => {
    const numbers = Array.from({ length: Math.min(size, count - at * size) }, (_, i) => at * size + i)
    return must(server, 'PUT', '/v1/txn', numbers.flatMap(operationsOf))
  })

const fillCatalog = async server => {
  const nodes = Math.ceil(SERVICES / 10)
  await inTransactions(server, nodes, n => [setNode(n)], OPERATIONS)
  await inTransactions(server, SERVICES, registrationOf, Math.floor(OPERATIONS / (CHECKS + 3)))
  await inParallel(nodes, n => {
    const Coord = {
      Vec: [0, 1, 2, 3, 4, 5, 6, 7].map(i => Math.sin(n * 8 + i) / 100),
      Error: 1,
      Height: 1e-5
    }
    return must(server, 'PUT', '/v1/coordinate/update', { Node: `node-${n}`, Coord })
  })
  await inParallel(SESSIONS, n =>
    must(server, 'PUT', '/v1/session/create', { Node: nodeOf(n), NodeChecks: [] })
  )
  await inParallel(ENTRIES, n =>
    must(server, 'PUT', '/v1/config', { Kind: 'service-defaults', Name: `service-${n}`, Protocol: 'http' })
  )
  await must(server, 'POST', '/v1/query', { Name: 'of-many', Service: { Service: 'many' } })
  await must(server, 'PUT', '/v1/namespace', { Name: 'other' })
  await must(server, 'PUT', '/v1/kv/key?ns=other', 1)
  const other = { Node: 'node-1', SkipNodeUpdate: true, Service: { Service: 'web', Namespace: 'other' } }
  await must(server, 'PUT', '/v1/catalog/register', {
    ...other,
    Check: { Name: 'alive', ServiceID: 'web', Namespace: 'other' }
  })
}

const fill = async server => {
  await inTransactions(server, KEYS, n => [setKey(n)], OPERATIONS)
  await fillCatalog(server)
  await must(server, 'PUT', '/v1/acl/policy', { Name: 'operators' })
  await must(server, 'PUT', '/v1/acl/role', { Name: 'team' })
  const links = { Policies: [{ Name: 'operators' }], Roles: [{ Name: 'team' }] }
  await inParallel(TOKENS, n => must(server, 'PUT', '/v1/acl/token', { Description: `token ${n}`, ...links }))
}

/** Writes a key every few milliseconds. Returns a function that ends it. */
const startWriter = server => {
  let n = 0
  const timer = setInterval(() => {
    send(server, 'PUT', `/v1/kv/${keyOf((n += 7919) % KEYS)}`, { n }).catch(() => {})
  }, WRITES_MS)
  return () => clearInterval(timer)
}

/** @param run returns the status and the length of a response, when all work is done */
const measure = async (server, name, run) => {
  await valueIn(server, 'eventLoop.begin()')
  const cpu = cpuOf(server.pid)
  const began = performance.now()
  const { status, bytes } = await run()
  const elapsed = performance.now() - began
  // The observer of pauses reports them later.
  await pause(REPORT_MS)
  const used = cpuOf(server.pid) - cpu
  const { turn, paused, stall, longest } = await valueIn(server, 'eventLoop.end()')
  const cells = [
    turn.toFixed(1),
    paused.toFixed(1),
    stall.toFixed(1),
    longest.toFixed(1),
    String(Math.round(elapsed)),
    used.toFixed(0),
    (bytes / 2 ** 20).toFixed(2)
  ]
  console.log(
    `${name.padEnd(60)}${cells.map(cell => cell.padStart(11)).join('')}${status === 200 ? '' : `  ${status}`}`
  )
}

/** Locks many keys with one session. Returns its ID. */
const lockKeys = async server => {
  const { ID: Session } = await server.call('PUT', '/v1/session/create', { NodeChecks: [], Node: 'node-2' })
  const lockKey = n => ({ KV: { Verb: 'lock', Key: `lock-${n}`, Value: null, Session } })
  await inTransactions(server, LOCKS, n => [lockKey(n)], OPERATIONS)
  return Session
}

/** Returns a function that replaces the names of a policy, a role and a session by their IDs. */
const replaceNames = async server => {
  const idOf = async (kind, name) => (await server.call('GET', `/v1/acl/${kind}/name/${name}`)).ID
  const ids = {
    POLICY: await idOf('policy', 'operators'),
    ROLE: await idOf('role', 'team'),
    SESSION: await lockKeys(server)
  }
  return ({ method, path, body }) => {
    const replaced = text => text.replace(/POLICY|ROLE|SESSION/g, name => ids[name])
    return {
      method,
      path: replaced(path),
      body: body === undefined ? undefined : JSON.parse(replaced(JSON.stringify(body)))
    }
  }
}

/** Measures the requests whose method and path match the pattern: each list in several rounds, since the first one fills the caches of rows. */
const measureAll = async server => {
  const pattern = new RegExp(values.only)
  const isChosen = ({ method, path }) => pattern.test(`${method} ${path}`)
  const withIds = await replaceNames(server)
  const measureRequest = chosen => {
    const { method, path, body } = withIds(chosen)
    return measure(server, `${method} ${path}`, () => send(server, method, path, body))
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const list of LISTS.map(get).filter(isChosen)) await measureRequest(list)
  const work = await prepareWork(server)
  for (const write of WRITES.filter(isChosen)) await measureRequest(write)
  for (const [name, run] of Object.entries(work)) if (pattern.test(name)) await measure(server, name, run)
}

const prepareLogin = async server => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const JWTValidationPubKeys = [publicKey.export({ type: 'spki', format: 'pem' })]
  const method = { Name: 'jwt', Type: 'jwt', MaxTokenTTL: '1h', Config: { JWTValidationPubKeys } }
  await must(server, 'PUT', '/v1/acl/auth-method', method)
  await must(server, 'PUT', '/v1/acl/binding-rule', {
    AuthMethod: 'jwt',
    BindType: 'service',
    BindName: 'web'
  })
  const token = new SignJWT({}).setProtectedHeader({ alg: 'ES256' }).setIssuedAt().setExpirationTime('1h')
  return { AuthMethod: 'jwt', BearerToken: await token.sign(privateKey) }
}

/** Waits until a condition holds, which is asked of the server. */
const until = async condition => {
  while (!(await condition())) await pause(REPORT_MS)
}

/** Work that continues after its response, and requests that need a preparation, by name. Run once, after the writes. */
const prepareWork = async server => {
  const login = await prepareLogin(server)
  const snapshot = []
  await send(server, 'GET', '/v1/snapshot', undefined, piece => snapshot.push(piece))
  const logIn = () => send(server, 'POST', '/v1/acl/login', login)
  return {
    'first login': logIn,
    'second login': logIn,
    'erasure of deleted keys': async () => {
      const erasure = { Topic: 'KV', Prefix: 'many/', Scope: 'history', Reason: 'bench' }
      const response = await send(server, 'POST', '/v1/event/erase', erasure)
      await until(async () =>
        (await server.call('GET', '/v1/event/erasures')).every(({ State }) => State === 'done')
      )
      return response
    },
    restore: () => send(server, 'PUT', '/v1/snapshot', Buffer.concat(snapshot))
  }
}

/** Waits for the pruning of commits that begins with the server. */
const prune = async server => {
  await until(async () => (await server.call('GET', '/v1/operator/log')).FirstIndex > 1)
  return { status: 200, bytes: 0 }
}

/** Returns the data folder of the server: the one to fill, or a copy of a filled one. */
const dataFolder = scope => {
  const { folder, prepare } = values
  if (folder === undefined || prepare) return folder
  const copy = join(temporaryFolder(scope), 'data')
  mkdirSync(copy)
  cpSync(folder, copy, { recursive: true })
  return copy
}

await scoped(async scope => {
  const isFilled = values.folder !== undefined && !values.prepare
  if (isFilled && !existsSync(values.folder)) throw new Error(`${values.folder} does not exist`)
  const started = performance.now()
  const server = benched(
    await startServer(scope, {
      dataDir: dataFolder(scope),
      initialManagement: ROOT,
      ...(values.retain && { config: { log: { retain: { commits: Number(values.retain) } } } }),
      nodeArguments: [
        '--inspect=127.0.0.1:0',
        '--max-old-space-size=8192',
        ...(values.incremental ? [] : ['--no-incremental-marking'])
      ]
    }),
    ROOT
  )
  console.log(`started in ${Math.round(performance.now() - started)} ms`)
  if (!isFilled) await fill(server)
  console.log(`${KEYS} keys, ${TOKENS} tokens, ${SERVICES} services and instances of one service`)
  if (!values.prepare) {
    const columns = ['turn, ms', 'paused, ms', 'stall, ms', 'GC, ms', 'time, ms', 'CPU, ms', 'MiB']
    console.log(`${''.padEnd(60)}${columns.map(column => column.padStart(11)).join('')}`)
    await valueIn(server, MONITOR)
    const endWriter = startWriter(server)
    if (values.retain) await measure(server, 'retention', () => prune(server))
    await measureAll(server)
    endWriter()
  }
  agent.destroy()
  if (values.prepare) await server.stop()
})
