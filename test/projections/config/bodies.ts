// Bodies of every kind with as many fields as a kind has, spelled and typed as the read form has them.
import type { Json } from '../../../events/config/fields/scalars.js'

const proxied = {
  TransparentProxy: { OutboundListenerPort: 15001 },
  MeshGateway: { Mode: 'local' },
  Expose: {}
}

export const bodies: readonly Json[] = [
  {
    Kind: 'service-defaults',
    Name: 'web',
    Protocol: 'http',
    Mode: 'transparent',
    ...proxied,
    ExternalSNI: 'web.example.com',
    UpstreamConfig: {
      Overrides: [
        {
          Name: 'db',
          EnvoyListenerJSON: '{}',
          ConnectTimeoutMs: 500,
          Limits: { MaxConnections: 0 },
          PassiveHealthCheck: { Interval: 5e9, MaxFailures: 3 },
          MeshGateway: {}
        }
      ],
      Defaults: { Protocol: 'grpc', MeshGateway: { Mode: 'remote' } }
    },
    Meta: { team: 'a', Some_Key: 'kept' }
  },
  {
    Kind: 'proxy-defaults',
    Name: 'global',
    Config: { protocol: 'http', Nested_Key: [1, null, { a: true }] },
    ...proxied
  },
  {
    Kind: 'service-router',
    Name: 'web',
    Routes: [
      {
        Match: {
          HTTP: {
            PathPrefix: '/api',
            Header: [{ Name: 'x-debug', Present: true, Invert: true }],
            QueryParam: [{ Name: 'q', Regex: '.*' }],
            Methods: ['GET', 'PUT']
          }
        },
        Destination: {
          Service: 'api',
          ServiceSubset: 'v1',
          PrefixRewrite: '/',
          RequestTimeout: '1m30s',
          NumRetries: 3,
          RetryOnConnectFailure: true,
          RetryOnStatusCodes: [503, 504]
        }
      },
      { Destination: {} }
    ]
  },
  {
    Kind: 'service-splitter',
    Name: 'web',
    Splits: [
      { Weight: 33.33, ServiceSubset: 'v1' },
      { Weight: 66.67, Service: 'other' }
    ]
  },
  {
    Kind: 'service-resolver',
    Name: 'web',
    ConnectTimeout: '250ms',
    DefaultSubset: 'v1',
    Subsets: { v1: { Filter: 'Service.Meta.v == 1', OnlyPassing: true }, v2: {} },
    Failover: { '*': { Datacenters: ['dc2'] }, v2: { Service: 'other' } },
    LoadBalancer: {
      Policy: 'ring_hash',
      RingHashConfig: { MinimumRingSize: 8 },
      HashPolicies: [{ Field: 'cookie', FieldValue: 'id', CookieConfig: { TTL: 3e9, Path: '/' } }]
    }
  },
  {
    Kind: 'service-intentions',
    Name: 'web',
    Sources: [
      {
        Name: 'api',
        Permissions: [{ Action: 'allow', HTTP: { PathExact: '/', Methods: ['GET'] } }],
        Precedence: 9,
        Type: 'consul',
        Description: 'for the api'
      },
      { Name: '*', Action: 'deny', Precedence: 8, Type: 'consul' }
    ]
  },
  {
    Kind: 'ingress-gateway',
    Name: 'edge',
    TLS: { Enabled: true },
    Listeners: [
      { Port: 80, Protocol: 'http', Services: [{ Name: 'web', Hosts: ['*.example.com'], Meta: { a: 'b' } }] }
    ]
  },
  {
    Kind: 'terminating-gateway',
    Name: 'out',
    Services: [{ Name: 'legacy', CAFile: 'ca', CertFile: 'cert', KeyFile: 'key', SNI: 'legacy.example.com' }]
  },
  { Kind: 'mesh', TransparentProxy: { MeshDestinationsOnly: true } },
  {
    Kind: 'exported-services',
    Name: 'default',
    Services: [
      { Name: 'web', Namespace: 'team', Consumers: [{ Partition: 'p' }] },
      { Name: '*', Namespace: '*', Consumers: [{ Partition: 'p' }, { Partition: 'q' }] }
    ]
  }
]
