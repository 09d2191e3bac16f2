// The compiler of discovery chains, rule by rule (config.md §7).
import test from 'ava'
import { CompileError } from '../../../projections/chain/chain.js'
import { compileChain } from '../../../projections/chain/compile.js'
import { customizationHash, NO_OVERRIDES } from '../../../projections/chain/compilation.js'
import { protocolOf } from '../../../projections/chain/protocols.js'
import {
  chainOf,
  CLUSTER,
  entriesOf,
  proxyDefaults,
  question,
  resolver,
  router,
  serviceDefaults,
  splitter
} from './chain-entries.js'

const http = (...names: readonly string[]) => names.map(name => serviceDefaults(name, 'http'))
const weights = (chain: ReturnType<typeof chainOf>) => {
  const node = chain.Nodes[chain.StartNode]
  return node?.Type === 'splitter' ? node.Splits.map(({ Weight }) => Weight) : []
}

test('a service that nothing is known of is resolved to itself over TCP', t => {
  t.deepEqual(chainOf('web', []), {
    ServiceName: 'web',
    Namespace: 'default',
    Datacenter: 'dc1',
    Protocol: 'tcp',
    StartNode: 'resolver:web.default.dc1',
    Nodes: {
      'resolver:web.default.dc1': {
        Type: 'resolver',
        Name: 'web.default.dc1',
        Resolver: { ConnectTimeout: '5s', Default: true, Target: 'web.default.dc1' }
      }
    },
    Targets: {
      'web.default.dc1': {
        ID: 'web.default.dc1',
        Service: 'web',
        Namespace: 'default',
        Datacenter: 'dc1',
        ConnectTimeout: '5s',
        MeshGateway: {},
        Subset: {},
        SNI: `web.default.dc1.internal.${CLUSTER}.consul`,
        Name: `web.default.dc1.internal.${CLUSTER}.consul`
      }
    }
  })
})

test('the names of nodes and targets outside the default namespace and partition tell them', t => {
  const tenancy = { partition: 'p1', namespace: 'n1' }
  const entries = entriesOf([serviceDefaults('web', 'http'), splitter('web', { Weight: 100 })], tenancy)
  const { chain } = compileChain(question('web', { tenancy }), entries)
  t.is(chain.StartNode, 'splitter:web.n1')
  t.is(chain.Partition, 'p1')
  const target = chain.Targets['web.n1.p1.dc1']
  t.is(target?.Partition, 'p1')
  t.is(target?.SNI, `web.n1.p1.dc1.internal-v1.${CLUSTER}.consul`)
  t.is(compileChain(question('web'), entries).chain.Protocol, 'tcp')
})

test('a reference that names a namespace leads there, and one that names none stays where it is', t => {
  const n1 = { partition: 'default', namespace: 'n1' }
  const entries = entriesOf([
    ...http('web', 'api'),
    router('web', { Destination: { Service: 'api', Namespace: 'n1' } }, { Destination: { Service: 'api' } })
  ])
  entriesOf([...http('api'), splitter('api', { Weight: 100 })], n1, entries)
  const { chain } = compileChain(question('web'), entries)
  const node = chain.Nodes['router:web.default']
  t.deepEqual(node?.Type === 'router' ? node.Routes.map(({ NextNode }) => NextNode) : [], [
    'splitter:api.n1',
    'resolver:api.default.dc1',
    'resolver:web.default.dc1'
  ])
})

test('the default protocol is read from proxy-defaults as text, whatever the letter case of its key', t => {
  t.is(protocolOf({ Config: { Protocol: 'HTTP' } }), 'http')
  t.is(protocolOf({ Config: { protocol: 5 } }), '5')
  t.is(protocolOf({ Config: { protocol: true } }), '1')
  t.is(protocolOf({ Config: { protocol: {} } }), '')
  t.is(protocolOf({ Config: null }), '')
  t.is(chainOf('web', [proxyDefaults({ protocol: 'http' })]).Protocol, 'http')
  const withOwn = [proxyDefaults({ protocol: 'http' }), serviceDefaults('web', '')]
  t.is(chainOf('web', withOwn).Protocol, 'tcp')
})

test('redirects are followed one after another, and only the last resolver counts', t => {
  const chain = chainOf('a', [
    resolver('a', { Redirect: { Service: 'b' }, ConnectTimeout: '1s' }),
    resolver('b', { Redirect: { Datacenter: 'dc2' }, ConnectTimeout: '2s' })
  ])
  t.is(chain.StartNode, 'resolver:b.default.dc2')
  t.is(chain.Targets['b.default.dc2']?.ConnectTimeout, '2s')
  t.deepEqual(Object.keys(chain.Targets), ['b.default.dc2'])
})

test('failover leaves out the target itself, and takes the redirect and default subset of others', t => {
  const chain = chainOf('a', [
    resolver('a', { Failover: { '*': { Datacenters: ['dc1', 'dc2', 'dc2'] } } }),
    resolver('b', { Failover: { '*': { Service: 'c' } } }),
    resolver('c', { DefaultSubset: 'v1', Subsets: { v1: { Filter: 'x' } } })
  ])
  const failoverOf = (entry: typeof chain, key: string) => {
    const node = entry.Nodes[key]
    return node?.Type === 'resolver' ? node.Resolver.Failover?.Targets : undefined
  }
  t.deepEqual(failoverOf(chain, 'resolver:a.default.dc1'), ['a.default.dc2', 'a.default.dc2'])
  const other = chainOf('b', [
    resolver('b', { Failover: { '*': { Service: 'c' } } }),
    resolver('c', { DefaultSubset: 'v1', Subsets: { v1: { Filter: 'x' } } })
  ])
  t.deepEqual(failoverOf(other, 'resolver:b.default.dc1'), ['v1.c.default.dc1'])
  t.deepEqual(other.Targets['v1.c.default.dc1']?.Subset, { Filter: 'x' })
})

test('weights behind weights are multiplied in 32-bit floats and rounded to hundredths', t => {
  const combined = (outer: number, inner: number) => {
    const [weight] = weights(
      chainOf('a', [
        proxyDefaults({ protocol: 'http' }),
        splitter('a', { Weight: outer, Service: 'b' }, { Weight: 100 - outer }),
        splitter('b', { Weight: inner }, { Weight: 100 - inner, Service: 'c' })
      ])
    )
    return weight
  }
  const measured = [
    [50, 33.33, 16.67],
    [50, 33.35, 16.67],
    [50, 66.65, 33.33],
    [50, 0.01, 0.01],
    [25, 0.02, 0.01],
    [12.5, 0.04, 0.01],
    [35, 10.1, 3.54],
    [70, 33.35, 23.35],
    [3, 0.5, 0.02],
    [3, 99.5, 2.99],
    [0.01, 33.33, undefined]
  ] as const
  for (const [outer, inner, weight] of measured) t.is(combined(outer, inner), weight, `${outer} x ${inner}`)
})

test('the hash of overrides is that of the reference', t => {
  const hash = (parts: Partial<typeof NO_OVERRIDES>) => customizationHash({ ...NO_OVERRIDES, ...parts })
  t.is(hash({ connectTimeout: 7e9 }), '8b1bc506')
  t.is(hash({ connectTimeout: 8e9 }), 'e50f66eb')
  t.is(hash({ protocol: 'http' }), '1a47f6e1')
  t.is(hash({ protocol: 'tcp' }), '96f2c150')
  t.is(hash({ protocol: 'grpc' }), 'ef15b5b5')
  t.is(hash({ meshGatewayMode: 'local' }), 'c225dc1c')
  t.is(hash({ meshGatewayMode: 'remote', protocol: 'grpc', connectTimeout: 7e9 }), 'b94f529a')
})

test('an override equal to what holds already leaves no hash', t => {
  const overrides = { protocol: 'tcp', connectTimeout: 5e9, meshGatewayMode: 'local' }
  t.is(chainOf('web', [], { overrides }).CustomizationHash, undefined)
  const elsewhere = chainOf('web', [], { overrides, datacenter: 'dc2' })
  t.is(elsewhere.CustomizationHash, 'c225dc1c')
  t.deepEqual(elsewhere.Targets['web.default.dc2']?.MeshGateway, { Mode: 'local' })
})

test('a protocol override that is not L7 leaves out routers and splitters; one that is keeps them', t => {
  const entries = [...http('a'), router('a'), splitter('a', { Weight: 100 })]
  const overridden = (protocol: string) => chainOf('a', entries, { overrides: { ...NO_OVERRIDES, protocol } })
  t.is(overridden('tcp').StartNode, 'resolver:a.default.dc1')
  t.is(overridden('HTTP').Protocol, 'HTTP')
  t.is(overridden('grpc').StartNode, 'router:a.default')
  t.is(overridden('grpc').Protocol, 'grpc')
})

const refusals: readonly (readonly [string, Parameters<typeof chainOf>[1], RegExp])[] = [
  [
    'mixed protocols',
    [...http('a'), router('a', { Destination: { Service: 'b' } })],
    /chain "a" uses inconsistent protocols; service "b" has "tcp" which is not "http" \(service-defaults "a"\)/
  ],
  [
    'a router over TCP',
    [serviceDefaults('a', 'tcp'), router('a')],
    /protocol "tcp" that does not permit advanced .* \(service-router "a", service-defaults "a"\)/
  ],
  [
    'a subset that is missing',
    [proxyDefaults({ protocol: 'http' }), splitter('a', { Weight: 100, ServiceSubset: 'v1' })],
    /service "a" does not have a subset named "v1" \(service-resolver "a"\)/
  ],
  [
    'a subset with the name of what every object has',
    [proxyDefaults({ protocol: 'http' }), splitter('a', { Weight: 100, ServiceSubset: 'constructor' })],
    /does not have a subset named "constructor"/
  ],
  [
    'circular redirects',
    [resolver('a', { Redirect: { Service: 'b' } }), resolver('b', { Redirect: { Service: 'a' } })],
    /circular resolver redirect: \[a.* -> b.* -> a.*\] \(service-resolver "a", service-resolver "b"\)/
  ],
  [
    'circular splitters',
    [
      proxyDefaults({ protocol: 'http' }),
      splitter('a', { Weight: 100, Service: 'b' }),
      splitter('b', { Weight: 100, Service: 'c' }),
      splitter('c', { Weight: 100, Service: 'b' })
    ],
    /circular reference: \[splitter:b.* -> splitter:c.* -> splitter:b.*\] \(service-splitter "c", service-splitter "b"\)/
  ],
  [
    'an external SNI with subsets',
    [serviceDefaults('a', 'http', { ExternalSNI: 'x' }), resolver('a', { Subsets: { v1: {} } })],
    /external SNI .* \(service-defaults "a", service-resolver "a"\)/
  ]
]

for (const [what, entries, text] of refusals)
  test(`${what} cannot be compiled, and the error names the entries`, t => {
    t.throws(() => chainOf('a', entries), { instanceOf: CompileError, message: text })
  })

test('splitters behind splitters that would multiply without bound are refused', t => {
  const level = (n: number) =>
    ['x', 'y'].map(side =>
      splitter(`${side}${n}`, { Weight: 50, Service: `x${n + 1}` }, { Weight: 50, Service: `y${n + 1}` })
    )
  const wide = [proxyDefaults({ protocol: 'http' }), ...Array.from({ length: 40 }, (_, n) => level(n)).flat()]
  t.throws(() => chainOf('x0', wide), { instanceOf: CompileError, message: /more than 10000 splits/ })
  const deep = Array.from({ length: 5000 }, (_, n) =>
    splitter(`s${n}`, { Weight: 100, Service: `s${n + 1}` })
  )
  t.throws(() => chainOf('s0', [proxyDefaults({ protocol: 'http' }), ...deep]), {
    instanceOf: CompileError,
    message: /more than 128 splitters/
  })
})

test('each entry read is reported once, whether it exists or not', t => {
  const { reads } = compileChain(question('Web'), entriesOf([...http('web')]))
  t.deepEqual(
    reads.map(({ kind, name }) => `${kind} ${name}`),
    ['service-router Web', 'service-splitter Web', 'service-defaults Web', 'service-resolver Web']
  )
})
