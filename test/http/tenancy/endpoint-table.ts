// The table of tenancy.md §7: which endpoints accept a namespace, from where, and whether `*`.
import { METHOD } from './tenants.js'

/** IDs of the resources in a namespace; all others have the same name in every namespace. */
export interface EndpointResources {
  readonly token: string
  readonly policy: string
  readonly role: string
  readonly rule: string
  readonly session: string
}

/** A route's use of a namespace: none, one, or also `*`. */
type EndpointInputs = 'none' | 'one' | 'many'

export interface Row {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: string | ((resources: EndpointResources) => string)
  readonly takes: EndpointInputs
  readonly body?: unknown
  /** Returns the body with this namespace, if the endpoint uses it; in a list of operations, inside of one. */
  readonly bodyIn?: (namespace: string) => unknown
}

export const RULE = { AuthMethod: 'm', BindType: 'service', BindName: 'web' }
const NODE = { Node: 'server-1', Address: '127.0.0.1', SkipNodeUpdate: true }
const DEFAULTS = { Kind: 'service-defaults', Name: 'web', Protocol: 'tcp' }
const SERVICE = { Service: 'web' }
const PARTIES = 'source=api&destination=web'

const read = (path: Row['path'], takes: EndpointInputs = 'one'): Row => ({ method: 'GET', path, takes })
const remove = (path: Row['path']): Row => ({ method: 'DELETE', path, takes: 'one' })
const put = (path: Row['path'], body?: unknown): Row => ({ method: 'PUT', path, takes: 'one', body })
/** A write whose body has an effective Namespace. */
const write = (path: Row['path'], body: object, method: 'PUT' | 'POST' = 'PUT'): Row => ({
  method,
  path,
  takes: 'one',
  body,
  bodyIn: Namespace => ({ ...body, Namespace })
})
const ignoring = (method: Row['method'], path: string, body?: unknown): Row => ({
  method,
  path,
  takes: 'none',
  body
})

/** Reads, which return the content of their namespace. */
export const READS: readonly Row[] = [
  read(({ token }) => `/v1/acl/token/${token}`, 'many'),
  read(({ token }) => `/v1/acl/token/${token}/rights`, 'many'),
  read('/v1/acl/tokens', 'many'),
  read(({ policy }) => `/v1/acl/policy/${policy}`, 'many'),
  read('/v1/acl/policy/name/p'),
  read('/v1/acl/policies', 'many'),
  read(({ role }) => `/v1/acl/role/${role}`, 'many'),
  read('/v1/acl/role/name/r'),
  read('/v1/acl/roles', 'many'),
  read(({ rule }) => `/v1/acl/binding-rule/${rule}`, 'many'),
  read('/v1/acl/binding-rules', 'many'),
  read('/v1/acl/auth-method/m'),
  read('/v1/acl/auth-methods', 'many'),
  read('/v1/kv/k'),
  read('/v1/kv/?recurse', 'many'),
  read('/v1/kv/?keys', 'many'),
  read(({ session }) => `/v1/session/info/${session}`),
  read('/v1/session/list', 'many'),
  read('/v1/session/node/server-1', 'many'),
  read('/v1/catalog/services'),
  read('/v1/catalog/service/web'),
  read('/v1/catalog/connect/web'),
  read('/v1/catalog/node/server-1'),
  read('/v1/catalog/gateway-services/gw'),
  read('/v1/catalog/node-services/server-1', 'many'),
  read('/v1/health/state/any', 'many'),
  read('/v1/health/node/server-1', 'many'),
  read('/v1/health/service/web'),
  read('/v1/health/connect/web'),
  read('/v1/health/ingress/web'),
  read('/v1/health/checks/web'),
  read('/v1/agent/services'),
  read('/v1/agent/service/web'),
  read('/v1/agent/checks'),
  read('/v1/agent/health/service/id/web'),
  read('/v1/agent/health/service/name/web'),
  read('/v1/config/service-defaults/web'),
  read('/v1/config/service-defaults', 'many'),
  read('/v1/config/service-intentions', 'many'),
  read('/v1/discovery-chain/web'),
  { method: 'POST', path: '/v1/discovery-chain/web', takes: 'one', body: {} },
  read('/v1/connect/intentions', 'many'),
  read(`/v1/connect/intentions/exact?${PARTIES}`),
  read('/v1/connect/intentions/match?by=destination&name=web')
]

/** Writes, and reads without a distinct response: without a permission they name it with its namespace. */
export const DENIABLE: readonly Row[] = [
  write('/v1/acl/token', {}),
  write(({ token }) => `/v1/acl/token/${token}`, {}),
  write(({ token }) => `/v1/acl/token/${token}/clone`, {}),
  remove(({ token }) => `/v1/acl/token/${token}`),
  write('/v1/acl/policy', { Name: 'new' }),
  write(({ policy }) => `/v1/acl/policy/${policy}`, { Name: 'p' }),
  remove(({ policy }) => `/v1/acl/policy/${policy}`),
  write('/v1/acl/role', { Name: 'new' }),
  write(({ role }) => `/v1/acl/role/${role}`, { Name: 'r' }),
  remove(({ role }) => `/v1/acl/role/${role}`),
  write('/v1/acl/binding-rule', RULE),
  write(({ rule }) => `/v1/acl/binding-rule/${rule}`, RULE),
  remove(({ rule }) => `/v1/acl/binding-rule/${rule}`),
  write('/v1/acl/binding-rules/test', { AuthMethod: 'm' }, 'POST'),
  write('/v1/acl/auth-method', { ...METHOD, Name: 'new' }),
  write('/v1/acl/auth-method/m', METHOD),
  remove('/v1/acl/auth-method/m'),
  put('/v1/kv/k', '{"Namespace":"of-body"}'),
  remove('/v1/kv/k'),
  remove('/v1/kv/?recurse'),
  {
    ...put('/v1/txn', [{ KV: { Verb: 'set', Key: 'k', Value: 'dg==' } }]),
    bodyIn: Namespace => [{ KV: { Verb: 'set', Key: 'k', Value: 'dg==', Namespace } }]
  },
  {
    ...put('/v1/txn', [
      { Service: { Verb: 'set', Node: 'server-1', Service: { ID: 'web', Service: 'web' } } }
    ]),
    bodyIn: Namespace => [
      { Service: { Verb: 'set', Node: 'server-1', Service: { ID: 'web', Service: 'web', Namespace } } }
    ]
  },
  write('/v1/session/create', { Node: 'server-1', Checks: [] }),
  put(({ session }) => `/v1/session/destroy/${session}`),
  put(({ session }) => `/v1/session/renew/${session}`),
  put('/v1/catalog/register', { ...NODE, Service: SERVICE }),
  write('/v1/catalog/deregister', { Node: 'server-1', ServiceID: 'web' }),
  write('/v1/agent/service/register', { Name: 'web' }),
  put('/v1/agent/service/deregister/web'),
  put('/v1/agent/service/maintenance/web?enable=true'),
  write('/v1/agent/check/register', { Name: 'c', ServiceID: 'web', TTL: '1h' }),
  put('/v1/agent/check/deregister/c'),
  put('/v1/agent/check/pass/c'),
  put('/v1/agent/check/warn/c'),
  put('/v1/agent/check/fail/c'),
  put('/v1/agent/check/update/c', { Status: 'passing' }),
  write('/v1/config', DEFAULTS),
  remove('/v1/config/service-defaults/web'),
  put(`/v1/connect/intentions/exact?${PARTIES}`, { Action: 'allow' }),
  remove(`/v1/connect/intentions/exact?${PARTIES}`),
  read(`/v1/connect/intentions/check?${PARTIES}`)
]

const QUERY = { Service: { Service: 'web' } }

/** Endpoints without a namespace: parameter and header are ignored, never rejected. */
export const IGNORING: readonly Row[] = [
  ignoring('GET', '/v1/acl/token/self'),
  ignoring('GET', '/v1/acl/token/self/rights'),
  ignoring('GET', '/v1/acl/replication'),
  ignoring('POST', '/v1/acl/logout'),
  ignoring('PUT', '/v1/acl/bootstrap'),
  ignoring('POST', '/v1/internal/acl/authorize', [{ Resource: 'key', Segment: 'k', Access: 'write' }]),
  ignoring('GET', '/v1/catalog/nodes'),
  ignoring('GET', '/v1/catalog/datacenters'),
  ignoring('GET', '/v1/coordinate/nodes'),
  ignoring('GET', '/v1/coordinate/node/server-1'),
  ignoring('GET', '/v1/coordinate/datacenters'),
  ignoring('GET', '/v1/status/leader'),
  ignoring('GET', '/v1/status/peers'),
  ignoring('GET', '/v1/event/list'),
  ignoring('GET', '/v1/agent/self'),
  ignoring('GET', '/v1/agent/members'),
  ignoring('GET', '/v1/agent/host'),
  ignoring('GET', '/v1/query'),
  ignoring('POST', '/v1/query', { ...QUERY, Name: 'q', Namespace: undefined }),
  ignoring('GET', '/v1/query/q/explain'),
  ignoring('GET', '/v1/namespaces'),
  ignoring('GET', '/v1/namespace/of-query'),
  ignoring('GET', '/v1/partitions'),
  ignoring('GET', '/v1/partition/default')
]
