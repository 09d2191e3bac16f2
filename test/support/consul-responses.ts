// A server with fixed responses in the format of Consul 1.20.
import { consulServer } from './consul-server.js'
import type { Scope } from './process.js'

const UUID = '-0000-4000-8000-'
const id = (kind: number, count: number): string =>
  `${String(kind).padStart(8, '0')}${UUID}${String(count).padStart(12, '0')}`
const indexes = { CreateIndex: 12, ModifyIndex: 14 }

interface ConsulResponses {
  /** Number of keys, excluding one that is a lock. */
  readonly keys?: number
  /** Number of tokens, excluding those that cannot be imported. */
  readonly tokens?: number
  /** A secret that every request needs. */
  readonly secret?: string
}

const policies = [
  {
    ID: '00000000-0000-0000-0000-000000000001',
    Name: 'global-management',
    Description: 'Builtin Policy that grants unlimited access',
    Hash: 'W1bQ',
    ...indexes
  },
  { ID: id(1, 1), Name: 'web', Description: 'of web', Datacenters: null, Hash: 'swIQ', ...indexes }
]

const token = (count: number, more: object = {}): object => ({
  CreateIndex: 20,
  ModifyIndex: 20,
  AccessorID: id(2, count),
  SecretID: id(3, count),
  Description: `token ${count}`,
  Policies: [{ ID: id(1, 1), Name: 'web' }],
  Local: false,
  CreateTime: '2026-01-02T03:04:05.678901Z',
  Hash: 'oJmb',
  ...more
})

const SPECIAL_TOKENS = [
  token(900_001, { AuthMethod: 'minikube', Local: true, ExpirationTime: '2026-01-02T04:04:05Z' }),
  token(900_002, {
    TemplatedPolicies: [{ TemplateName: 'builtin/service', TemplateVariables: { Name: 'web' } }]
  }),
  token(900_003, { SecretID: '<hidden>' }),
  token(900_004, { ExpirationTime: '2020-01-01T00:00:00Z' }),
  {
    ...token(0),
    AccessorID: '00000000-0000-0000-0000-000000000002',
    SecretID: 'anonymous',
    Description: 'Anonymous Token'
  }
]

const entry = (Key: string, more: object = {}): object => ({
  LockIndex: 0,
  Key,
  Flags: 0,
  Value: 'ODA4MA==',
  CreateIndex: 30,
  ModifyIndex: 30,
  ...more
})

const role = {
  ID: id(4, 1),
  Name: 'web',
  Description: '',
  Policies: [{ ID: id(1, 1), Name: 'web' }],
  ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }],
  NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc1' }],
  Hash: 'mBWM',
  ...indexes
}

export const authMethod = {
  Name: 'ci',
  Type: 'jwt',
  DisplayName: '',
  Description: 'jobs',
  MaxTokenTTL: '1h0m0s',
  TokenLocality: 'local',
  Config: {
    JWTValidationPubKeys: [
      `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaF9gkkVZRsyecPi0Q8lUWwgfAn+q
5TCKFBPaFTRasq7kH+YgbRj+raKhSPsDl2wIndMnCpGRhXo/Nwi+nbw/Nw==
-----END PUBLIC KEY-----
`
    ],
    BoundIssuer: 'https://ci.example',
    ClaimMappings: { team: 'team' }
  },
  ...indexes
}

const bindingRule = {
  ID: id(5, 1),
  Description: '',
  AuthMethod: 'ci',
  Selector: 'value.team != ""',
  BindType: 'role',
  BindName: 'web',
  ...indexes
}

const query = {
  ID: id(6, 1),
  Name: 'web',
  Session: '',
  Token: '',
  Template: { Type: '', Regexp: '', RemoveEmptyTags: false },
  Service: {
    Service: 'web',
    SamenessGroup: '',
    Failover: { NearestN: 0, Datacenters: ['dc2'], Targets: null },
    OnlyPassing: true,
    Near: '',
    Tags: [],
    NodeMeta: {},
    ServiceMeta: {},
    Connect: false,
    Peer: ''
  },
  DNS: { TTL: '10s' },
  ...indexes
}

const configEntries: Readonly<Record<string, readonly object[]>> = {
  'proxy-defaults': [
    {
      Kind: 'proxy-defaults',
      Name: 'global',
      Config: { protocol: 'http' },
      TransparentProxy: {},
      MeshGateway: {},
      Expose: {},
      ...indexes
    }
  ],
  'service-defaults': [
    {
      Kind: 'service-defaults',
      Name: 'web',
      Protocol: 'http',
      TransparentProxy: {},
      MeshGateway: {},
      Expose: {},
      ...indexes
    }
  ],
  'service-resolver': [
    // It refers to an entry that is listed later.
    { Kind: 'service-resolver', Name: 'a', Redirect: { Service: 'web', ServiceSubset: 'v1' }, ...indexes },
    {
      Kind: 'service-resolver',
      Name: 'web',
      DefaultSubset: 'v1',
      Subsets: { v1: { Filter: 'Service.Meta.version == v1' } },
      ...indexes
    }
  ],
  'service-intentions': [
    {
      Kind: 'service-intentions',
      Name: 'web',
      Sources: [{ Name: 'api', Action: 'allow', Precedence: 9, Type: 'consul' }],
      ...indexes
    }
  ],
  'sameness-group': [{ Kind: 'sameness-group', Name: 'all', Members: [{ Partition: 'default' }], ...indexes }]
}

/** Responses by path. */
const answersOf = ({ keys = 3, tokens = 2 }: ConsulResponses): ReadonlyMap<string, unknown> => {
  const named = Array.from({ length: keys }, (_, count) =>
    entry(`app/${count}`, count === 0 ? { Flags: '@18446744073709551615' } : {})
  )
  return new Map<string, unknown>([
    ['/v1/acl/policies', policies],
    ...policies.map(
      policy =>
        [
          `/v1/acl/policy/${policy.ID}`,
          { ...policy, Rules: 'key_prefix "web/" { policy = "write" }' }
        ] as const
    ),
    [
      '/v1/acl/roles',
      [
        role,
        { ...role, ID: id(4, 2), Name: 'templated', TemplatedPolicies: [{ TemplateName: 'builtin/dns' }] }
      ]
    ],
    ['/v1/acl/auth-methods', [{ ...authMethod, Config: undefined }]],
    ['/v1/acl/auth-method/ci', authMethod],
    ['/v1/acl/binding-rules', [bindingRule]],
    ['/v1/acl/tokens', [...Array.from({ length: tokens }, (_, count) => token(count)), ...SPECIAL_TOKENS]],
    ['/v1/query', [query, { ...query, ID: id(6, 2), Name: '' }]],
    ['/v1/kv/', [entry('leader', { LockIndex: 1, Session: id(7, 1) }), ...named]],
    ['/v1/catalog/nodes', [{ ID: id(8, 1), Node: 'db', Address: '192.0.2.7' }]],
    [
      '/v1/catalog/node/db',
      {
        Node: {
          ID: id(8, 1),
          Node: 'db',
          Address: '192.0.2.7',
          Datacenter: 'dc1',
          TaggedAddresses: null,
          Meta: { external: 'yes' },
          ...indexes
        },
        Services: {
          'db-1': {
            ID: 'db-1',
            Service: 'db',
            Tags: ['primary'],
            Meta: {},
            Port: 5432,
            Address: '',
            Weights: { Passing: 1, Warning: 1 },
            EnableTagOverride: false,
            Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
            Connect: {},
            PeerName: '',
            ...indexes
          }
        }
      }
    ],
    [
      '/v1/health/node/db',
      [
        {
          Node: 'db',
          CheckID: 'db-alive',
          Name: 'alive',
          Status: 'passing',
          Notes: '',
          Output: 'ok',
          ServiceID: 'db-1',
          ServiceName: 'db',
          ServiceTags: ['primary'],
          Type: 'tcp',
          Interval: '10s',
          Timeout: '1s',
          ExposedPort: 0,
          Definition: {},
          ...indexes
        }
      ]
    ],
    ...Object.entries(configEntries).map(([kind, entries]) => [`/v1/config/${kind}`, entries] as const)
  ])
}

/** Starts it; it ends with the scope. @returns its address */
export const consulResponses = (scope: Scope, options: ConsulResponses = {}): Promise<string> =>
  consulServer(scope, {
    answers: answersOf(options),
    ...(options.secret === undefined ? {} : { secret: options.secret })
  })
