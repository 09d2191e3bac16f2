// Instances of another datacenter, as its answers show them: those of queries and of health endpoints (spec: queries.md §6.2).
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

/** An instance with what is looked at here; it may have more. */
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
    Port: Type.Integer(),
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
  service: Service,
  checks: Checks ?? [],
  json: Buffer.from(JSON.stringify({ Node, Service, Checks }).slice(0, -1))
})

/** @throws Error for what is no list of instances */
export const instancesIn = (answered: unknown, { partition, namespace }: Tenancy): readonly Instance[] => {
  if (!remoteInstances.Check(answered))
    throw new Error('another datacenter answers with what are no instances')
  return answered.map(one => instanceOf(one, { partition, namespace }))
}

/** What the execution of a query found. @throws Error for another answer */
export const executedIn = (answered: unknown): RemoteLookupResult => {
  if (!executedAnswer.Check(answered)) throw new Error('another datacenter answers with what no query finds')
  const { Service: service, Namespace, Nodes, DNS, Datacenter: datacenter } = answered
  const tenancy = { ...DEFAULT_TENANCY, namespace: Namespace ?? DEFAULT_TENANCY.namespace }
  return { instances: Nodes.map(one => instanceOf(one, tenancy)), datacenter, service, ttl: DNS.TTL }
}

/** The node in an answer of the catalog; undefined where there is none. @throws Error for another answer */
export const nodeIn = (answered: unknown): Instance['node'] | undefined => {
  if (!nodeAnswer.Check(answered)) throw new Error('another datacenter answers with what is no node')
  return answered?.Node
}
