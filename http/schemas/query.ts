// Bodies and answers of prepared queries (spec: queries.md §2, §3, §6.2; api.md, Prepared query).
import * as Type from 'typebox'
import { queryShape } from '../../events/prepared-query.js'
import { hostFields } from '../../projections/catalog/service-forms.js'
import { healthCheck, node, NODE, nodeService } from './catalog-answers.js'
import { answerSchema, bodySchema, shownFields } from './shapes.js'
import { readFacts, shownTenancy } from './shown.js'
import { flag, integer, strict } from './strict.js'

const shownDns = Type.Object({
  TTL: Type.String({ description: 'Duration; empty for none', examples: ['10s'] })
})

export const createdQuery = Type.Object(
  { ID: Type.String() },
  { $id: 'QueryID', examples: [{ ID: queryShape.example.made['ID'] }] }
)

/** A prepared query in answers. */
export const shownQuery = answerSchema(queryShape)

export const explained = Type.Object({ Query: shownQuery, ...readFacts }, { $id: 'ExplainedQuery' })

const instance = {
  Node: Type.Object(
    { ...node.properties, ...shownFields({ NodeMeta: hostFields.NodeMeta }, 'shown') },
    {
      $id: 'QueryNode',
      examples: [{ ...NODE, Meta: null, NodeMeta: null, CreateIndex: 14, ModifyIndex: 14 }]
    }
  ),
  Service: nodeService,
  Checks: Type.Union([Type.Array(healthCheck), Type.Null()])
}

const found = Type.Object(
  {
    ...instance,
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

/** A query as one datacenter asks another one to run it: rendered, and without a name. */
export const remoteQueryBody = strict(
  {
    Query: bodySchema(queryShape),
    Connect: flag('Only instances that Connect reaches'),
    Limit: integer('Most instances in the answer; 0 for all')
  },
  {
    $id: 'RemoteQueryInput',
    examples: [{ Query: { Service: { Service: 'web' } }, Connect: false, Limit: 0 }]
  }
)

/** An instance that another datacenter finds. */
export const remoteInstance = Type.Object(instance, { $id: 'RemoteInstance' })
