// Bodies and answers of prepared queries (spec: queries.md §2, §3, §6.2; api.md, Prepared query).
import * as Type from 'typebox'
import { flag, integer, strict, text, texts } from './strict.js'

const textMap = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.String(), { description }))

/** Fields of newer servers: what they say must be what is done anyway (decisions.md 6). */
const emptyText = Type.Optional(Type.Literal('', { description: 'Accepted when empty' }))

const notSet = Type.Optional(Type.Literal(false, { description: 'Accepted when false' }))

const failover = strict({
  NearestN: integer('How many other datacenters to try, nearest first'),
  Datacenters: texts('Datacenters to try after those, in this order'),
  Targets: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0, description: 'Accepted when empty' })),
  SkipLocalDatacenter: notSet
})

const service = strict({
  Service: text('Name of the service'),
  Namespace: text('Namespace of the service'),
  Partition: emptyText,
  Peer: emptyText,
  SamenessGroup: emptyText,
  SkipLocalDatacenter: notSet,
  Failover: Type.Optional(failover),
  OnlyPassing: flag('Leave out instances whose checks are at warning'),
  IgnoreCheckIDs: texts('Checks that do not count'),
  Near: text('Node to sort by distance from: a name, _agent or _ip'),
  Tags: texts('Tags that an instance must have, or with ! in front must not have'),
  NodeMeta: textMap('Metadata that the node must have'),
  ServiceMeta: textMap('Metadata that the instance must have'),
  Connect: flag('Only instances that Connect reaches')
})

const raftIndex = strict({
  CreateIndex: integer('Set by the service'),
  ModifyIndex: integer('Set by the service')
})

export const queryBody = strict({
  ID: text('Set by the service'),
  Name: text('Name to execute the query by, or prefix of a template'),
  Session: text('Session with which the query goes'),
  Token: text('Secret of the token to execute the query with'),
  Template: Type.Optional(
    strict({
      Type: text('name_prefix_match makes a template'),
      Regexp: text('RE2 expression over the name asked for'),
      RemoveEmptyTags: flag('Leave out tags that are empty once filled in')
    })
  ),
  Service: Type.Optional(service),
  DNS: Type.Optional(strict({ TTL: text('Time to live of DNS answers, a duration') })),
  CreateIndex: integer('Set by the service'),
  ModifyIndex: integer('Set by the service'),
  RaftIndex: Type.Optional(raftIndex)
})

const open = Type.Object({}, { additionalProperties: true })

export const createdQuery = Type.Object({ ID: Type.String() })
export const shownQuery = Type.Object(
  {
    ID: Type.String(),
    Name: Type.String(),
    Session: Type.String(),
    Token: Type.String({ description: '<hidden> without acl:write' }),
    Template: open,
    Service: open,
    DNS: open,
    CreateIndex: Type.Integer(),
    ModifyIndex: Type.Integer(),
    RaftIndex: open
  },
  { additionalProperties: true }
)
export const explained = Type.Object({ Query: shownQuery })
export const executed = Type.Object(
  {
    Service: Type.String(),
    Nodes: Type.Array(open),
    DNS: open,
    Datacenter: Type.String(),
    Failovers: Type.Integer()
  },
  { additionalProperties: true }
)
