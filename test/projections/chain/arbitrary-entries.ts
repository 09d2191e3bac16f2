// Random sets of entries over few services, so that they refer to each other, in circles too.
import fc from 'fast-check'
import type { ConfigEntry } from '../../../events/config-entry.js'
import { proxyDefaults, resolver, router, serviceDefaults, splitter } from './chain-entries.js'

const SERVICES = ['a', 'b', 'c', 'd']
const SUBSETS = ['v1', 'v2']

export const service = fc.constantFrom(...SERVICES)
const destination = fc.record(
  { Service: service, ServiceSubset: fc.constantFrom(...SUBSETS) },
  { requiredKeys: [] }
)
const datacenter = fc.constantFrom('dc1', 'dc2', 'dc3')

/** Weights in hundredths of a percent that sum to 100 %. */
const weights = fc
  .array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 3 })
  .map(cuts => [...cuts, 0, 10_000].toSorted((x, y) => x - y))
  .map(cuts => cuts.slice(1).map((cut, i) => (cut - (cuts[i] ?? 0)) / 100))

const protocol = fc.constantFrom('http', 'http', 'http', 'grpc', 'tcp')

const someSplitter = fc
  .tuple(service, weights, fc.array(destination, { minLength: 4, maxLength: 4 }))
  .map(([name, parts, to]) => splitter(name, ...parts.map((Weight, i) => ({ Weight, ...to[i] }))))

const someResolver = fc
  .tuple(
    service,
    fc.record(
      {
        ConnectTimeout: fc.constantFrom('1s', '250ms'),
        DefaultSubset: fc.constant('v1'),
        Redirect: fc.record({ Service: service, Datacenter: datacenter }, { requiredKeys: [] }),
        Failover: fc.dictionary(
          fc.constantFrom('*', ...SUBSETS),
          fc.record({ Service: service, Datacenters: fc.array(datacenter) }, { requiredKeys: [] })
        ),
        LoadBalancer: fc.record({ Policy: fc.constantFrom('ring_hash', 'maglev', 'random') })
      },
      { requiredKeys: [] }
    )
  )
  .map(([name, parts]) => resolver(name, { Subsets: { v1: {}, v2: { OnlyPassing: true } }, ...parts }))

/** Most sets that it gives compile for some service. */
export const entry: fc.Arbitrary<ConfigEntry> = fc.oneof(
  fc
    .tuple(service, fc.array(destination, { maxLength: 3 }))
    .map(([name, to]) => router(name, ...to.map(Destination => ({ Destination })))),
  someSplitter,
  someResolver,
  fc.tuple(service, protocol).map(([name, speaks]) => serviceDefaults(name, speaks)),
  protocol.map(speaks => proxyDefaults({ protocol: speaks }, { MeshGateway: { Mode: 'local' } }))
)

export const identityOf = (one: ConfigEntry): string => `${one.Kind}/${one.Kind === 'mesh' ? '' : one.Name}`

/** Entries of different identity, over a default protocol that lets most chains be. */
export const entries = fc
  .uniqueArray(entry, { selector: identityOf, maxLength: 12 })
  .map(some =>
    some.some(({ Kind }) => Kind === 'proxy-defaults') ? some : [proxyDefaults({ protocol: 'http' }), ...some]
  )

export const overrides = fc.record({
  protocol: fc.constantFrom('', '', 'http', 'tcp', 'grpc'),
  connectTimeout: fc.constantFrom(0, 1e9, 5e9),
  meshGatewayMode: fc.constantFrom('', 'none', 'remote')
})
