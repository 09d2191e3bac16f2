// A fixed scene for pictures and layout tests of the UI: 200 services, 300 tokens, 3 namespaces and a week of history.
import { SetClock } from '../../library/testing/set-clock.js'
import type { Scope } from './process.js'
import { serverInProcess, type TestServer } from './server.js'

const DAY_MS = 86_400_000
const DAYS = 7
const TEAMS = ['shop', 'pay', 'search', 'mail', 'auth', 'stock', 'edge', 'batch', 'report', 'media']
const ROLES = [
  'web',
  'api',
  'worker',
  'cache',
  'db',
  'queue',
  'admin',
  'mobile',
  'import',
  'export',
  'index',
  'proxy',
  'sync',
  'audit',
  'jobs',
  'feed',
  'gate',
  'rates',
  'alerts',
  'store'
]
const TOKENS = 300
const HOSTS = 40
const REASONS = ['SHOP-411: no errors for an hour', 'OPS-118', 'PAY-77: timeouts at noon', undefined]

/** What pictures and tests show of the scene. */
export interface Scene {
  readonly server: TestServer
  /** AccessorID of the token that deploys the shop. */
  readonly deployer: string
  /** Index of a commit in the middle of the week. */
  readonly middle: number
}

type Put = (path: string, body: string | object, reason?: string) => Promise<Readonly<Record<string, string>>>

const writerOf =
  (server: TestServer, token?: string): Put =>
  async (path, body, reason) => {
    const headers = reason === undefined ? {} : { 'X-Service-Reason': reason }
    const sending = { body, headers, ...(token === undefined ? {} : { token }) }
    const { status, text } = await server.send('PUT', `/v1/${path}`, sending)
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
    return Object(JSON.parse(text || '{}'))
  }

const statusOf = (service: number): string => {
  if (service === 21) return 'critical'
  return service === 47 ? 'warning' : 'passing'
}

const registerServices = async (put: Put): Promise<void> => {
  for (const [team, name] of TEAMS.entries())
    for (const [role, kind] of ROLES.entries()) {
      const service = team * ROLES.length + role
      const Status = statusOf(service)
      for (let instance = 1; instance <= (role < 3 ? 3 : 1); instance++) {
        const host = (service * 3 + instance) % HOSTS
        const ID = `${name}-${kind}-${instance}`
        const version = instance === 3 ? 'v2' : 'v1'
        await put('catalog/register', {
          Node: `host-${String(host).padStart(2, '0')}`,
          Address: `10.20.0.${host + 1}`,
          Service: {
            ID,
            Service: `${name}-${kind}`,
            Port: 8000 + role,
            Tags: [version],
            Meta: { version, team: name }
          },
          Check: {
            Name: 'HTTP GET /health',
            CheckID: `health-${ID}`,
            ServiceID: ID,
            Status: instance === 1 ? Status : 'passing',
            Output: Status === 'passing' ? 'HTTP GET: 200 OK' : 'connection refused'
          }
        })
      }
    }
}

const createAccess = async (put: Put): Promise<void> => {
  for (const team of TEAMS) {
    const Rules = `service_prefix "${team}-" {\n  policy = "write"\n}\nkey_prefix "${team}/" {\n  policy = "write"\n}\n`
    await put('acl/policy', { Name: `${team}-deploy`, Description: `Deploys of ${team}`, Rules })
    await put('acl/role', { Name: `${team}-team`, Policies: [{ Name: `${team}-deploy` }] })
  }
  await put('acl/policy', { Name: 'config-write', Rules: 'operator = "write"\nmesh = "write"' })
  for (let at = 0; at < TOKENS - 6; at++) {
    const team = TEAMS[at % TEAMS.length] ?? ''
    await put('acl/token', {
      Description: `${team} ${ROLES[Math.floor(at / TEAMS.length) % ROLES.length]} ${1 + Math.floor(at / 200)}`,
      Roles: [{ Name: `${team}-team` }]
    })
  }
}

const splitter = (weight: number) => ({
  Kind: 'service-splitter',
  Name: 'shop-web',
  Splits: [
    { Weight: 100 - weight, ServiceSubset: 'v1' },
    { Weight: weight, ServiceSubset: 'v2' }
  ]
})

const configureMesh = async (put: Put): Promise<void> => {
  for (const Name of ['shop-web', 'shop-api', 'pay-api'])
    await put('config', { Kind: 'service-defaults', Name, Protocol: 'http' })
  await put('config', {
    Kind: 'service-resolver',
    Name: 'shop-web',
    DefaultSubset: 'v1',
    Subsets: {
      v1: { Filter: 'Service.Meta.version == v1' },
      v2: { Filter: 'Service.Meta.version == v2' }
    },
    Failover: { v2: { Service: 'shop-api' } }
  })
  for (const team of TEAMS)
    for (const [from, to] of [
      ['web', 'api'],
      ['mobile', 'api'],
      ['api', 'db'],
      ['api', 'cache'],
      ['worker', 'queue']
    ])
      await put(`connect/intentions/exact?source=${team}-${from}&destination=${team}-${to}`, {
        Action: 'allow'
      })
  await put('connect/intentions/exact?source=shop-api&destination=pay-api', { Action: 'allow' })
  await put('connect/intentions/exact?source=*&destination=pay-db', { Action: 'deny' })
}

/** One day of changes by two people and a machine. */
const playDay = async (server: TestServer, writers: readonly Put[], day: number): Promise<void> => {
  for (const [at, put] of writers.entries()) {
    const reason = REASONS[(day + at) % REASONS.length]
    await put('kv/shop/web/max-connections', String(300 + day * 50 + at * 10), reason)
    server.advance(DAY_MS / 12)
    await put(`kv/shop/web/banner`, `Free shipping until day ${day + at}`, reason)
    await put(`kv/shop/limits/${ROLES[day + at]}`, JSON.stringify({ rps: 100 * day + at, burst: 20 }))
    server.advance(DAY_MS / 6)
  }
}

/** Starts a server whose log begins a week ago, and fills it. */
export const startScene = async (scope: Scope): Promise<Scene> => {
  const clock = new SetClock()
  clock.setBy(-DAYS * DAY_MS)
  const server = await serverInProcess(scope, { log: 'disk', clock, config: { audit: { denials: true } } })
  const root = writerOf(server)
  for (const Name of ['payments', 'search']) await root('namespace', { Name, Description: `Team ${Name}` })
  await createAccess(root)
  await registerServices(root)
  await configureMesh(root)
  const deployer = await root('acl/token', { Description: 'Alice Meyer', Roles: [{ Name: 'shop-team' }] })
  const machine = await root('acl/token', { Description: 'CI of the shop', Roles: [{ Name: 'shop-team' }] })
  const operator = await root('acl/token', {
    Description: 'Bob Okafor',
    Policies: [{ Name: 'config-write' }, { Name: 'shop-deploy' }]
  })
  const writers = [deployer, machine].map(({ SecretID = '' }) => writerOf(server, SecretID))
  const configure = writerOf(server, operator['SecretID'])
  let middle = 0
  for (let day = 0; day < DAYS; day++) {
    await playDay(server, writers, day)
    await configure('config', splitter(Math.min(50, 1 + day * 5)), `SHOP-411: step ${day + 1}`)
    await root(`kv/refunds/limit?ns=payments`, String(1000 + day * 100), 'PAY-12')
    if (day === 3) middle = server.app.views.index
    server.advance(DAY_MS / 2)
  }
  for (const Description of ['On call, payments', 'On call, search'])
    await root('acl/token', { Description, ExpirationTTL: '20h' })
  await server.send('GET', '/v1/kv/pay/keys', { token: deployer['SecretID'] ?? '' })
  await server.send('DELETE', '/v1/kv/shop/limits/web', {
    token: machine['SecretID'] ?? '',
    headers: { 'X-Service-Reason': 'SHOP-415: not used any more' }
  })
  return { server, deployer: deployer['AccessorID'] ?? '', middle }
}

interface ScenePage {
  readonly name: string
  readonly path: string
  /** A text that is there once all is shown. */
  readonly ready: RegExp | string
}

/** The pages of the scene that pictures and layout tests look at. */
export const scenePages = ({ deployer, middle }: Scene): readonly ScenePage[] => {
  const place = 'ns=default&partition=default'
  const key = `/ui/keys/one?key=shop%2Fweb%2Fmax-connections&${place}`
  const service = `/ui/service/one?name=shop-web&${place}`
  return [
    { name: 'overview', path: '/ui/', ready: /^signed at commit/ },
    { name: 'events', path: '/ui/events?from=24h', ready: 'shop/limits/web' },
    { name: 'audit', path: '/ui/audit', ready: 'SHOP-415: not used any more' },
    { name: 'tokens', path: '/ui/tokens', ready: 'Alice Meyer' },
    { name: 'token', path: `/ui/tokens/one?key=${deployer}&${place}`, ready: 'Rotate token' },
    {
      name: 'token-permissions',
      path: `/ui/tokens/one?key=${deployer}&${place}&tab=permissions`,
      ready: 'Test a permission'
    },
    { name: 'services', path: '/ui/services', ready: 'auth-admin' },
    { name: 'service', path: service, ready: 'shop-web-3' },
    { name: 'chain', path: `${service}&view=chain`, ready: 'failover' },
    { name: 'topology', path: `${service.replace('-web', '-api')}&view=topology`, ready: 'pay-db' },
    { name: 'intentions', path: '/ui/intentions', ready: 'auth-db' },
    { name: 'matrix', path: '/ui/intentions?view=matrix', ready: 'auth-api' },
    {
      name: 'entry',
      path: `/ui/config/one?key=service-splitter%2Fshop-web&${place}`,
      ready: 'subset v2'
    },
    { name: 'keys', path: '/ui/keys?under=shop%2Fweb%2F', ready: 'max-connections' },
    { name: 'key', path: key, ready: 'Last changed' },
    { name: 'key-history', path: `${key}&tab=history`, ready: 'Compare versions' },
    { name: 'checks', path: '/ui/checks', ready: 'HTTP GET /health' },
    { name: 'server', path: '/ui/server', ready: 'server-1' },
    { name: 'time-travel', path: `/ui/config?at=${middle}`, ready: 'auth-api' }
  ]
}
