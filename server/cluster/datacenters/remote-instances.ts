// Parses instances in the answers of another datacenter (spec: queries.md §6.2).
import * as Type from 'typebox'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import type { Instance } from '../../../projections/queries/instance.js'
import type { RemoteLookupResult } from '../../dns/remote-lookups.js'

const texts = Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])
const addressAndPort = Type.Object({ Address: Type.String(), Port: Type.Integer() })

const remoteNode = Type.Object({
  Node: Type.String(),
  Address: Type.String(),
  Datacenter: Type.String(),
  TaggedAddresses: texts,
  Meta: texts
})

/** The fields that are read; an instance may have more. */
export const remoteInstance = Type.Object({
  Node: remoteNode,
  Service: Type.Object({
    Kind: Type.Optional(Type.String()),
    ID: Type.String(),
    Service: Type.String(),
    Tags: Type.Union([Type.Array(Type.String()), Type.Null()]),
    Address: Type.String(),
    TaggedAddresses: Type.Optional(Type.Union([Type.Record(Type.String(), addressAndPort), Type.Null()])),
    Meta: texts,
    Port: Type.Optional(Type.Integer({ description: 'Omitted when 0' })),
    Weights: Type.Object({ Passing: Type.Integer(), Warning: Type.Integer() })
  }),
  Checks: Type.Union([
    Type.Array(Type.Object({ CheckID: Type.String(), Status: Type.String() })),
    Type.Null()
  ])
})

const remoteInstances = Compile(Type.Array(remoteInstance))
const executedAnswer = Compile(
  Type.Object({
    Service: Type.String(),
    Namespace: Type.Optional(Type.String()),
    Nodes: Type.Array(remoteInstance),
    DNS: Type.Object({ TTL: Type.String() }),
    Datacenter: Type.String()
  })
)
const nodeAnswer = Compile(Type.Union([Type.Object({ Node: remoteNode }), Type.Null()]))

const instanceOf = (
  { Node, Service, Checks }: Static<typeof remoteInstance>,
  tenancy: Tenancy
): Instance => ({
  tenancy,
  node: Node,
  service: { ...Service, Port: Service.Port ?? 0 },
  checks: Checks ?? [],
  json: Buffer.from(JSON.stringify({ Node, Service, Checks }).slice(0, -1))
})

/** @throws Error if the answer is no list of instances */
export const instancesIn = (answered: unknown, { partition, namespace }: Tenancy): readonly Instance[] => {
  if (!remoteInstances.Check(answered)) throw new Error('another datacenter sent invalid instances')
  return answered.map(one => instanceOf(one, { partition, namespace }))
}

/** Returns the result of an executed query. @throws Error for another answer */
export const executedIn = (answered: unknown): RemoteLookupResult => {
  if (!executedAnswer.Check(answered)) throw new Error('another datacenter sent an invalid query result')
  const { Service: service, Namespace, Nodes, DNS, Datacenter: datacenter } = answered
  const tenancy = { ...DEFAULT_TENANCY, namespace: Namespace ?? DEFAULT_TENANCY.namespace }
  return { instances: Nodes.map(one => instanceOf(one, tenancy)), datacenter, service, ttl: DNS.TTL }
}

/** Returns the node in an answer of the catalog, or undefined if there is none. @throws Error for another answer */
export const nodeIn = (answered: unknown): Instance['node'] | undefined => {
  if (!nodeAnswer.Check(answered)) throw new Error('another datacenter sent an invalid node')
  return answered?.Node
}
