// Reading the discovery chain of a service with a router, a splitter, subsets and failover.
const entries = [
  { Kind: 'service-defaults', Name: 'web', Protocol: 'http' },
  { Kind: 'service-defaults', Name: 'api', Protocol: 'http' },
  {
    Kind: 'service-resolver',
    Name: 'web',
    DefaultSubset: 'v1',
    Subsets: { v1: { Filter: 'Service.Meta.version == v1' }, v2: { Filter: 'Service.Meta.version == v2' } },
    Failover: { '*': { Datacenters: ['dc2', 'dc3'] } }
  },
  {
    Kind: 'service-splitter',
    Name: 'web',
    Splits: [
      { Weight: 90, ServiceSubset: 'v1' },
      { Weight: 10, ServiceSubset: 'v2' }
    ]
  },
  {
    Kind: 'service-router',
    Name: 'web',
    Routes: [{ Match: { HTTP: { PathPrefix: '/api' } }, Destination: { Service: 'api' } }]
  }
]

export const scenario = {
  name: 'discovery-chain',
  targets: { 64: 0.75 },
  distinct: 1,
  prepare: async ({ root, call }) => {
    for (const entry of entries) await call('PUT', '/v1/config', entry)
    return { root }
  },
  request: (_i, { root }) => ({ method: 'GET', path: '/v1/discovery-chain/web', token: root })
}
