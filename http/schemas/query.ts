// Bodies and responses of prepared queries (spec: queries.md §2, §3, §6.2; api.md, Prepared query).
import * as Type from 'typebox'
import { queryDefinition } from '../../events/prepared-query.js'
import { hostFields } from '../../projections/catalog/json.js'
import { healthCheck, node, NODE, nodeService } from './catalog-responses.js'
import { viewFields } from '../../events/definition/forms/forms.js'
import { responseSchema, bodySchema } from './definition-schemas.js'
import { readFacts, tenancyView, flag, integer, strict, sample, view } from './view.js'

const shownDns = Type.Object({
  TTL: Type.String({ description: 'Duration; empty for none', examples: ['10s'] })
})

export const createdQuery = view('QueryID', {
  ID: sample.of(queryDefinition.example.made['ID'], Type.String())
})

export const queryView = responseSchema(queryDefinition)

export const explained = view('ExplainedQuery', { Query: queryView, ...readFacts })

const instance = {
  Node: Type.Object(
    { ...node.properties, ...viewFields({ NodeMeta: hostFields.NodeMeta }, 'shown') },
    {
      $id: 'QueryNode',
      examples: [{ ...NODE, Meta: null, NodeMeta: null, CreateIndex: 14, ModifyIndex: 14 }]
    }
  ),
  Service: nodeService,
  Checks: Type.Union([Type.Array(healthCheck), Type.Null()])
}

const found = view('QueryInstance', {
  ...instance,
  DNS: shownDns,
  Datacenter: Type.String({ examples: ['dc1'] }),
  Failovers: Type.Integer()
})

export const executed = view('QueryResult', {
  Service: Type.String({ examples: ['web'] }),
  Namespace: tenancyView.Namespace,
  Nodes: Type.Array(found),
  DNS: shownDns,
  Datacenter: Type.String({ examples: ['dc1'] }),
  Failovers: Type.Integer({ description: 'How many other datacenters were asked' })
})

/** A query from another datacenter: rendered, and without a name. */
export const remoteQueryBody = strict(
  {
    Query: bodySchema(queryDefinition),
    Connect: flag('Only instances that Connect reaches'),
    Limit: integer('Most instances in the answer; 0 for all')
  },
  {
    $id: 'RemoteQueryInput',
    examples: [{ Query: { Service: { Service: 'web' } }, Connect: false, Limit: 0 }]
  }
)

/** An instance in the response of another datacenter. */
export const remoteInstance = view('RemoteInstance', instance)
