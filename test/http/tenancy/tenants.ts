// Two tenants of one server with equal names: their actions, and everything that each can observe.
import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { SignJWT } from 'jose'
import type { Tenancy } from '../../../events/envelope.js'
import { NAMESPACE_MANAGEMENT_RULES } from '../../../projections/acl/rules/builtin.js'
import { ask } from '../../support/dns.js'
import type { Scope } from '../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { call } from './support.js'

/** A tenant with every permission in one namespace. */
interface Tenant extends Tenancy {
  readonly secret: string
}

/** The common part of two tenants' tenancies: nothing, the partition, or the name of the namespace. */
export const PAIRS = ['two namespaces', 'two partitions', 'namespaces of one name in two partitions'] as const
type PairKind = (typeof PAIRS)[number]

/** One action of a tenant; returns the statuses. */
export interface Move {
  readonly title: string
  readonly make: (server: TestServer, tenant: Tenant) => Promise<readonly number[]>
}

const NODE = { Node: 'n', Address: '10.0.0.1' }

/** Who looks something up by DNS or without a token has all rights, so that rights keep nothing apart there. */
export const tenantServer = async (t: Scope): Promise<TestServer & { readonly dnsPort: number }> => {
  const acl = {
    enabled: true,
    default_policy: 'deny',
    tokens: { initial_management: ROOT, default: ROOT }
  }
  const server = await serverInProcess(t, { config: { ports: { http: 0, dns: 0 }, acl } })
  await call(server, 'PUT', '/v1/catalog/register', NODE)
  const { dnsPort } = server
  if (dnsPort === undefined) throw new Error('the server has no DNS')
  return { ...server, dnsPort }
}

const settle = async (server: TestServer, partition: string, namespace: string): Promise<Tenant> => {
  if (partition !== 'default') {
    await call(server, 'PUT', '/v1/partition', { Name: partition })
    await call(server, 'PUT', `/v1/catalog/register?partition=${partition}`, NODE)
  }
  if (namespace !== 'default')
    await call(server, 'PUT', `/v1/namespace?partition=${partition}`, { Name: namespace })
  const at = `?partition=${partition}&ns=${namespace}`
  const manager = { Name: 'namespace-management', Rules: NAMESPACE_MANAGEMENT_RULES }
  if (namespace === 'default') await call(server, 'PUT', `/v1/acl/policy${at}`, manager)
  const { SecretID } = await call(server, 'PUT', `/v1/acl/token${at}`, { Policies: [{ Name: manager.Name }] })
  return { partition, namespace, secret: SecretID }
}

let pairs = 0
/** Creates two tenants. */
export const twoTenants = async (server: TestServer, kind: PairKind): Promise<readonly [Tenant, Tenant]> => {
  const [a, b] = [`a-${++pairs}`, `b-${pairs}`]
  switch (kind) {
    case 'two namespaces':
      return [await settle(server, 'default', a), await settle(server, 'default', b)]
    case 'two partitions':
      return [await settle(server, a, 'default'), await settle(server, b, 'default')]
    case 'namespaces of one name in two partitions':
      return [await settle(server, a, 'team'), await settle(server, b, 'team')]
  }
}

export const asTenant = (
  server: TestServer,
  { secret }: Tenant,
  method: string,
  path: string,
  body?: unknown
) => server.send(method, path, { token: secret, body })

/** Names a namespace in the query, for a request whose token is in another. */
export const within = (path: string, { partition, namespace }: Tenancy): string =>
  `${path}${path.includes('?') ? '&' : '?'}partition=${partition}&ns=${namespace}`

const plain = (method: string, path: string, body?: unknown): Move => ({
  title: `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`,
  make: async (server, tenant) => [(await asTenant(server, tenant, method, path, body)).status]
})
const put = (path: string, body?: unknown): Move => plain('PUT', path, body)
const remove = (path: string): Move => plain('DELETE', path)

/** Acquires a key's lock with a new session, which then ends or stays. */
const lock = (key: string, end: 'release' | 'destroy' | 'hold', Behavior: string): Move => ({
  title: `lock ${key}, ${Behavior}, ${end}`,
  make: async (server, tenant) => {
    const body = { Node: 'n', Checks: [], TTL: '1h', LockDelay: '0s', Behavior }
    const created = await asTenant(server, tenant, 'PUT', '/v1/session/create', body)
    if (created.status !== 200) return [created.status]
    const { ID }: { readonly ID: string } = JSON.parse(created.text)
    const taken = await asTenant(server, tenant, 'PUT', `/v1/kv/${key}?acquire=${ID}`, 'held')
    const statuses = [taken.status, taken.text === 'true' ? 1 : 0]
    if (end === 'release')
      statuses.push((await asTenant(server, tenant, 'PUT', `/v1/kv/${key}?release=${ID}`, 'free')).status)
    if (end === 'destroy')
      statuses.push((await asTenant(server, tenant, 'PUT', `/v1/session/destroy/${ID}`)).status)
    return statuses
  }
})

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PUBLIC_KEY = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString()
/** Creates a credential of `METHOD`. */
export const credential = (): Promise<string> =>
  new SignJWT({ sub: 'somebody' })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(keys.privateKey)
/** An auth method whose credentials are JWTs. */
export const METHOD = {
  Name: 'm',
  Type: 'jwt',
  Config: { JWTValidationPubKeys: [PUBLIC_KEY], JWTSupportedAlgs: ['ES256'] }
}

const login: Move = {
  title: 'log in',
  make: async (server, { partition, namespace }) => {
    const body = { AuthMethod: 'm', BearerToken: await credential() }
    const path = within('/v1/acl/login', { partition, namespace })
    const made = await server.send('POST', path, { token: undefined, body })
    if (made.status !== 200) return [made.status]
    const { SecretID: token }: { readonly SecretID: string } = JSON.parse(made.text)
    return [made.status, (await server.send('GET', '/v1/acl/token/self', { token })).status]
  }
}

const service = { ID: 'web', Service: 'web', Port: 80 }
const check = { CheckID: 'c', Name: 'c', ServiceID: 'web' }
const GATEWAY = {
  Kind: 'ingress-gateway',
  Name: 'gw',
  Listeners: [{ Port: 80, Protocol: 'tcp', Services: [{ Name: 'web' }] }]
}
const ENDS = ['release', 'destroy', 'hold'] as const

/** Executes all actions of a tenant. */
export const moves: fc.Arbitrary<Move> = fc.oneof(
  fc.nat(2).map(i => put(`/v1/kv/k${i}`, { at: i })),
  fc.nat(2).map(i => remove(`/v1/kv/k${i}`)),
  fc.constant(remove('/v1/kv/?recurse')),
  fc.nat(2).map(i => put('/v1/txn', [{ KV: { Verb: 'set', Key: `k${i}`, Value: 'dg==' } }])),
  fc
    .tuple(fc.nat(2), fc.constantFrom(...ENDS), fc.constantFrom('release', 'delete'))
    .map(([i, end, behavior]) => lock(`k${i}`, end, behavior)),
  fc.nat(1).map(i => put('/v1/acl/policy', { Name: `p${i}`, Rules: 'key_prefix "" { policy = "read" }' })),
  fc.nat(1).map(i => put('/v1/acl/role', { Name: `r${i}`, Policies: [{ Name: 'p0' }] })),
  fc.constant(put('/v1/acl/token', { Policies: [{ Name: 'p0' }] })),
  fc.constantFrom(put('/v1/acl/auth-method', METHOD), remove('/v1/acl/auth-method/m')),
  fc.constant(put('/v1/acl/binding-rule', { AuthMethod: 'm', BindType: 'service', BindName: 'web' })),
  fc.constant(login),
  fc
    .constantFrom('passing', 'critical')
    .map(Status => put('/v1/catalog/register', { ...NODE, Service: service, Check: { ...check, Status } })),
  fc.constant(put('/v1/catalog/deregister', { Node: 'n', ServiceID: 'web' })),
  fc
    .constantFrom('http', 'tcp')
    .map(Protocol => put('/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol })),
  fc.constantFrom(put('/v1/config', GATEWAY), remove('/v1/config/ingress-gateway/gw')),
  fc.constantFrom(
    put('/v1/connect/intentions/exact?source=web&destination=api', { Action: 'allow' }),
    put('/v1/connect/intentions/exact?source=*&destination=web', { Action: 'deny' }),
    remove('/v1/connect/intentions/exact?source=web&destination=api')
  ),
  fc.constant(remove('/v1/config/service-defaults/web'))
)

/** Reads whose index is that of the tenant's own namespace. */
export const READS = [
  '/v1/kv/?recurse',
  '/v1/kv/?keys',
  '/v1/kv/k0',
  '/v1/session/list',
  '/v1/session/node/n',
  '/v1/acl/policies',
  '/v1/acl/policy/name/p0',
  '/v1/acl/roles',
  '/v1/acl/role/name/r0',
  '/v1/acl/tokens',
  '/v1/acl/tokens?authmethod=m',
  '/v1/acl/token/self',
  '/v1/acl/auth-methods',
  '/v1/acl/auth-method/m',
  '/v1/acl/binding-rules',
  '/v1/acl/binding-rules?authmethod=m',
  '/v1/catalog/nodes',
  '/v1/catalog/node/n',
  '/v1/catalog/node-services/n',
  '/v1/catalog/services',
  '/v1/catalog/service/web',
  '/v1/catalog/connect/web',
  '/v1/catalog/gateway-services/gw',
  '/v1/health/node/n',
  '/v1/health/service/web',
  '/v1/health/connect/web',
  '/v1/health/ingress/web',
  '/v1/health/checks/web',
  '/v1/health/state/any',
  '/v1/coordinate/nodes',
  '/v1/config/',
  '/v1/config/service-defaults',
  '/v1/config/service-defaults/web',
  '/v1/config/ingress-gateway',
  '/v1/config/service-intentions',
  '/v1/discovery-chain/web',
  '/v1/connect/intentions',
  '/v1/connect/intentions/exact?source=web&destination=api',
  '/v1/connect/intentions/match?by=destination&name=web',
  '/v1/connect/intentions/match?by=source&name=web'
] as const

/** Reads that do not wait, and lists over all namespaces, whose index covers all (tenancy.md §13.5). */
const OTHER_READS = [
  '/v1/agent/services',
  '/v1/agent/checks',
  '/v1/connect/intentions/check?source=web&destination=api',
  '/v1/kv/?recurse&ns=*',
  '/v1/kv/?keys&ns=*',
  '/v1/session/list?ns=*',
  '/v1/session/node/n?ns=*',
  '/v1/acl/policies?ns=*',
  '/v1/acl/roles?ns=*',
  '/v1/acl/tokens?ns=*',
  '/v1/acl/auth-methods?ns=*',
  '/v1/acl/binding-rules?ns=*',
  '/v1/catalog/node-services/n?ns=*',
  '/v1/health/node/n?ns=*',
  '/v1/health/state/any?ns=*',
  '/v1/config/service-defaults?ns=*',
  '/v1/connect/intentions?ns=*',
  '/v1/namespaces'
] as const

const dnsNames = ({ partition, namespace }: Tenancy): readonly string[] => [
  `web.service.${namespace}.ns.${partition}.ap.dc1.dc.consul`,
  `web.connect.${namespace}.ns.${partition}.ap.consul`,
  `web.ingress.${namespace}.ns.${partition}.ap.consul`,
  `n.node.${partition}.ap.dc1.dc.consul`
]

/** Removes the last use of tokens, which these reads change. */
const withoutUse = (text: string): string => text.replaceAll(/"LastUsed":"[^"]*"/g, '')

/** Returns everything that a tenant can observe: statuses, bodies and indexes of its reads, and DNS answers for its names. */
export const viewOf = async (
  server: TestServer & { readonly dnsPort: number },
  tenant: Tenant
): Promise<readonly string[]> => {
  const reads = READS.map(async path => {
    const { status, text, headers } = await asTenant(server, tenant, 'GET', path)
    return `${path} ${status} ${String(headers['x-service-index'])} ${withoutUse(text)}`
  })
  const others = OTHER_READS.map(async path => {
    const { status, text } = await asTenant(server, tenant, 'GET', path)
    return `${path} ${status} ${withoutUse(text)}`
  })
  const names = dnsNames(tenant).map(async name => {
    const { rcode, answers } = await ask(server.dnsPort, name, 'SRV')
    return `${name} ${rcode} ${JSON.stringify(answers)}`
  })
  return Promise.all([...reads, ...others, ...names])
}
