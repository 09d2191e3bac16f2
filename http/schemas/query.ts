// Bodies and answers of prepared queries (spec: queries.md §2, §3, §6.2; api.md, Prepared query).
import * as Type from 'typebox'
import { healthCheck, node, NODE, nodeService } from './catalog-answers.js'
import { readFacts, shownIndexes, shownMap, shownTenancy, shownTexts } from './shown.js'
import { flag, integer, strict, text, texts } from './strict.js'

const textMap = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.String(), { description }))

/** Fields of newer servers: what they say must be what is done anyway (decisions.md 6). */
const emptyText = Type.Optional(Type.Literal('', { description: 'Accepted when empty' }))

const notSet = Type.Optional(Type.Literal(false, { description: 'Accepted when false' }))

const failover = strict(
  {
    NearestN: integer('How many other datacenters to try, nearest first'),
    Datacenters: texts('Datacenters to try after those, in this order'),
    Targets: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0, description: 'Accepted when empty' })),
    SkipLocalDatacenter: notSet
  },
  { $id: 'QueryFailoverInput' }
)

const service = strict(
  {
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
  },
  { $id: 'QueryServiceInput' }
)

const raftIndex = strict({
  CreateIndex: integer('Set by the service'),
  ModifyIndex: integer('Set by the service')
})

export const queryBody = strict(
  {
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
  },
  {
    $id: 'QueryInput',
    examples: [
      { Name: 'web', Service: { Service: 'web', OnlyPassing: true, Tags: ['v1'] }, DNS: { TTL: '10s' } }
    ]
  }
)

const QUERY_ID = '059a3f7a-3499-4b74-bd3f-0d2ff1b0e0a4'
const shownDns = Type.Object({
  TTL: Type.String({ description: 'Duration; empty for none', examples: ['10s'] })
})

export const createdQuery = Type.Object(
  { ID: Type.String() },
  { $id: 'QueryID', examples: [{ ID: QUERY_ID }] }
)

const shownService = Type.Object(
  {
    Service: Type.String(),
    Namespace: shownTenancy.Namespace,
    Failover: Type.Object({ NearestN: Type.Integer(), Datacenters: shownTexts }),
    OnlyPassing: Type.Boolean(),
    IgnoreCheckIDs: shownTexts,
    Near: Type.String(),
    Tags: shownTexts,
    NodeMeta: shownMap,
    ServiceMeta: shownMap,
    Connect: Type.Boolean()
  },
  { $id: 'QueryService' }
)

/** A prepared query in answers. */
export const shownQuery = Type.Object(
  {
    ID: Type.String(),
    Name: Type.String(),
    Session: Type.String(),
    Token: Type.String({ description: '<hidden> without acl:write' }),
    Template: Type.Object({
      Type: Type.String(),
      Regexp: Type.String(),
      RemoveEmptyTags: Type.Boolean()
    }),
    Service: shownService,
    DNS: shownDns,
    ...shownIndexes,
    RaftIndex: Type.Object(shownIndexes)
  },
  {
    $id: 'Query',
    examples: [
      {
        ID: QUERY_ID,
        Name: 'web',
        Session: '',
        Token: '',
        Template: { Type: '', Regexp: '', RemoveEmptyTags: false },
        Service: {
          Service: 'web',
          Failover: { NearestN: 0, Datacenters: null },
          OnlyPassing: true,
          IgnoreCheckIDs: null,
          Near: '',
          Tags: ['v1'],
          NodeMeta: null,
          ServiceMeta: null,
          Connect: false
        },
        DNS: { TTL: '10s' },
        CreateIndex: 43,
        ModifyIndex: 43,
        RaftIndex: { CreateIndex: 43, ModifyIndex: 43 }
      }
    ]
  }
)

export const explained = Type.Object({ Query: shownQuery, ...readFacts }, { $id: 'ExplainedQuery' })

const found = Type.Object(
  {
    Node: Type.Object(
      { ...node.properties, NodeMeta: shownMap },
      {
        $id: 'QueryNode',
        examples: [{ ...NODE, Meta: null, NodeMeta: null, CreateIndex: 14, ModifyIndex: 14 }]
      }
    ),
    Service: nodeService,
    Checks: Type.Union([Type.Array(healthCheck), Type.Null()]),
    DNS: shownDns,
    Datacenter: Type.String({ examples: ['dc1'] }),
    Failovers: Type.Integer()
  },
  { $id: 'QueryInstance' }
)

export const executed = Type.Object(
  {
    Service: Type.String({ examples: ['web'] }),
    Namespace: shownTenancy.Namespace,
    Nodes: Type.Array(found),
    DNS: shownDns,
    Datacenter: Type.String({ examples: ['dc1'] }),
    Failovers: Type.Integer({ description: 'How many other datacenters were asked' })
  },
  { $id: 'QueryResult' }
)
