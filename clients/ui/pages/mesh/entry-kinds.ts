// The kinds of configuration entries, and what a new one of each begins with.

export interface EntryKind {
  readonly kind: string
  /** What an entry of the kind says. */
  readonly says: string
  /** The name that all of the kind have; people choose it where this is absent. */
  readonly only?: string
  /** What a new one says besides its kind and name. */
  readonly begins: object
}

export const ENTRY_KINDS: readonly EntryKind[] = [
  {
    kind: 'service-defaults',
    says: 'protocol and mode of a service',
    begins: { Protocol: 'http' }
  },
  {
    kind: 'service-resolver',
    says: 'which instances of a service are meant, and what takes their place',
    begins: { DefaultSubset: 'v1', Subsets: { v1: { Filter: '"v1" in Service.Tags' } } }
  },
  {
    kind: 'service-splitter',
    says: 'which share of requests goes where',
    begins: { Splits: [{ Weight: 90 }, { Weight: 10, Service: 'other' }] }
  },
  {
    kind: 'service-router',
    says: 'where requests go by path, headers, query and method',
    begins: { Routes: [{ Match: { HTTP: { PathPrefix: '/' } }, Destination: { Service: 'other' } }] }
  },
  {
    kind: 'service-intentions',
    says: 'who may connect to a service',
    begins: { Sources: [{ Name: '*', Action: 'deny' }] }
  },
  {
    kind: 'proxy-defaults',
    says: 'what counts for all services and proxies',
    only: 'global',
    begins: { Config: { protocol: 'http' } }
  },
  {
    kind: 'mesh',
    says: 'settings of the whole mesh',
    only: 'mesh',
    begins: { TransparentProxy: { MeshDestinationsOnly: false } }
  },
  {
    kind: 'ingress-gateway',
    says: 'which services are reached from outside',
    begins: { Listeners: [{ Port: 8443, Protocol: 'http', Services: [{ Name: 'web' }] }] }
  },
  {
    kind: 'terminating-gateway',
    says: 'which services outside are reached through a gateway',
    begins: { Services: [{ Name: 'billing' }] }
  },
  {
    kind: 'exported-services',
    says: 'which services other partitions may use',
    only: 'default',
    begins: { Services: [{ Name: 'web', Consumers: [{ Partition: 'other' }] }] }
  }
]

/** The text that a new entry begins with. */
export const skeletonOf = ({ kind, begins }: EntryKind, name: string): string =>
  JSON.stringify({ Kind: kind, Name: name, ...begins }, undefined, 2)
