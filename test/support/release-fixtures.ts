// The content of the data folders of releases, and the requests that read it.
import { generateKeyPairSync } from 'node:crypto'
import type { TestServer } from './server.js'

/** The test key that encrypts the secrets in the data folders of releases. */
export const RELEASE_KEY = Buffer.alloc(32, 7).toString('base64')

/** The secret of a token in them. */
export const RELEASE_SECRET = '3f0b5a64-50ce-4f0b-a9a3-2f5d8f1e7c11'

const { publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
})

const service = {
  Node: 'node-1',
  Address: '192.0.2.1',
  Service: { Service: 'web', Port: 80, Tags: ['a'], Meta: { version: '1' } },
  Checks: [{ Name: 'alive', Status: 'passing', ServiceID: 'web' }]
}

/** A write of every resource kind, in an order in which all of them succeed. */
const WRITES: readonly (readonly [path: string, body: unknown])[] = [
  ['/v1/namespace', { Name: 'team', Description: 'of a release' }],
  ['/v1/acl/policy', { Name: 'keys', Rules: 'key_prefix "app/" { policy = "write" }' }],
  ['/v1/acl/role', { Name: 'writers', Policies: [{ Name: 'keys' }] }],
  [
    '/v1/acl/token',
    { SecretID: RELEASE_SECRET, Description: 'of a release', Roles: [{ Name: 'writers' }], Local: true }
  ],
  [
    '/v1/acl/auth-method',
    {
      Name: 'jwt',
      Type: 'jwt',
      Config: { BoundIssuer: 'https://issuer.example', JWTValidationPubKeys: [publicKey] }
    }
  ],
  [
    '/v1/acl/binding-rule',
    { AuthMethod: 'jwt', BindType: 'role', BindName: 'writers', Selector: 'value.team == "web"' }
  ],
  ['/v1/kv/app/one?flags=42', '1'],
  ['/v1/kv/app/two?ns=team', 'two'],
  ['/v1/kv/app/one', 'another one'],
  ['/v1/catalog/register', service],
  ['/v1/session/create', { Name: 'lock', Node: 'node-1', NodeChecks: [] }],
  ['/v1/query', { Name: 'nearest', Service: { Service: 'web' } }],
  ['/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' }],
  ['/v1/config', { Kind: 'service-resolver', Name: 'web', ConnectTimeout: '3s' }],
  ['/v1/config', { Kind: 'service-intentions', Name: 'web', Sources: [{ Name: 'client', Action: 'allow' }] }],
  ['/v1/txn', [{ KV: { Verb: 'set', Key: 'app/three', Value: 'MQ==' } }]],
  ['/v1/event/fire/deploy', 'payload']
]

/** Paths whose responses depend only on the data folder. */
const READS = [
  '/v1/namespaces',
  '/v1/acl/tokens',
  '/v1/acl/policies',
  '/v1/acl/roles',
  '/v1/acl/auth-methods',
  '/v1/acl/binding-rules',
  '/v1/kv/?recurse',
  '/v1/kv/?recurse&ns=team',
  '/v1/catalog/node/node-1',
  '/v1/health/service/web',
  '/v1/session/list',
  '/v1/query',
  '/v1/config/service-defaults',
  '/v1/config/service-resolver',
  '/v1/connect/intentions',
  '/v1/discovery-chain/web'
]

/** Writes a resource of every kind. @throws Error when one is refused */
export const writeFixtures = async (server: TestServer): Promise<void> => {
  for (const [path, body] of WRITES) {
    const method = path === '/v1/query' ? 'POST' : 'PUT'
    const { status, text } = await server.send(method, path, { body })
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
  }
}

/** Omits the last use of tokens, which the requests change. */
const withoutUses = (name: string, value: unknown): unknown => (name === 'LastUsed' ? undefined : value)

/** Returns the responses by path. */
export const readFixtures = async (server: TestServer): Promise<Record<string, unknown>> => {
  const responses: Record<string, unknown> = {}
  for (const path of READS) responses[path] = JSON.parse((await server.send('GET', path)).text, withoutUses)
  return responses
}
