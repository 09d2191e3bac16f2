// The response objects of nodes, services and checks (spec: state.md §2, tenancy.md §8).
import { checkResource, withoutSecrets, type CheckState } from '../../events/check.js'
import { nodeDefinition, type CatalogNode, type NodeState } from '../../events/node.js'
import { serviceDefinition, type ServiceState } from '../../events/service.js'
import { resourceViewsOf, type ResourceView } from '../definition/resource-views.js'
import { object, objects, type Fields as FilterFields } from '../language/filter-syntax.js'
import { filterFieldsOf } from '../../events/definition/forms/forms.js'
import { computedField, generated, nonNullable, textType } from '../../events/definition/fields.js'
import type { Fields } from '../../events/definition/types.js'

// ServiceNode and agent forms: new fields of the definition of services are in both.

const {
  Kind,
  ID,
  Service,
  Namespace,
  Partition,
  Tags,
  Address,
  TaggedAddresses,
  Meta,
  Port,
  SocketPath,
  Weights,
  Proxy,
  Connect,
  CreateIndex,
  ModifyIndex,
  Datacenter: _ignored,
  ContentHash: _sent,
  ...others
} = serviceDefinition.fields

export const nameOnNode = (name: string): string => (name === 'Service' ? 'ServiceName' : `Service${name}`)

const contentFields: Fields = {
  Kind,
  ID,
  Service,
  Tags: nonNullable(Tags),
  Address,
  TaggedAddresses,
  Weights,
  Meta: nonNullable(Meta),
  Port,
  SocketPath,
  ...others,
  Proxy,
  Connect
}

const {
  Meta: NodeMeta,
  Partition: _shown,
  CreateIndex: _made,
  ModifyIndex: _changed,
  ...ofNode
} = nodeDefinition.fields

export const hostFields = { ...ofNode, NodeMeta }

/** The fields of a ServiceNode object. Empty tagged addresses of the service are omitted. */
export const onNodeFields: Fields = {
  ...hostFields,
  ...Object.fromEntries(
    Object.entries(contentFields).map(([name, field]) => [
      nameOnNode(name),
      name === 'TaggedAddresses' ? field : { ...field, shown: 'always' }
    ])
  ),
  Namespace,
  Partition,
  CreateIndex,
  ModifyIndex
}

/** The fields of a service in agent responses: without indexes, with empty maps instead of null. */
export const agentServiceFields: Fields = {
  Kind,
  ID,
  Service,
  Namespace,
  Partition,
  Tags: nonNullable(Tags),
  Meta: nonNullable(Meta),
  Port: { ...Port, shown: 'always' },
  Address,
  SocketPath,
  TaggedAddresses: { ...nonNullable(TaggedAddresses), shown: 'as stored' },
  Weights,
  ...others,
  Proxy: { ...Proxy, shown: 'as stored' },
  Connect: { ...Connect, shown: 'filled' },
  Datacenter: generated(textType, 'Datacenter of the node'),
  ContentHash: computedField(textType, 'Of one service alone: changes with its content')
}

const node = resourceViewsOf(nodeDefinition)

export const nodeObject = ({ node: stored, partition }: NodeState): object =>
  node(stored, { partition, namespace: 'default' })

const service = resourceViewsOf(serviceDefinition)

/** A NodeService object. `noTags` replaces missing tags. */
export const serviceObject = (state: ServiceState, noTags: readonly string[] | null = []): object =>
  service({ ...state.service, Tags: state.service.Tags ?? noTags }, state)

const serviceNode = resourceViewsOf({ fields: onNodeFields })

/** A ServiceNode object: an instance and its node in one. */
export const serviceNodeObject = ({ Meta: nodeMeta, ...host }: CatalogNode, state: ServiceState): object => {
  const { CreateIndex: created, ModifyIndex: modified, Tags: tags, Meta: own, ...rest } = state.service
  const named = Object.entries({ ...rest, Tags: tags ?? [], Meta: own ?? {} }).map(([name, value]) => [
    nameOnNode(name),
    value
  ])
  const shared = { NodeMeta: nodeMeta, CreateIndex: created, ModifyIndex: modified }
  return serviceNode({ ...host, ...Object.fromEntries(named), ...shared }, state)
}

const healthCheck = resourceViewsOf(checkResource)

interface ShownCheck {
  /** Replaces the missing tags of the service. */
  readonly noTags?: readonly string[] | null
  readonly showsSecrets?: boolean
}

export const checkObject = (
  state: CheckState,
  { noTags = [], showsSecrets = false }: ShownCheck = {}
): ResourceView => {
  const { check, partition, namespace } = showsSecrets ? state : withoutSecrets(state)
  return healthCheck(
    { ...check, ServiceTags: check.ServiceTags ?? noTags },
    // A check of a node has no namespace of its own.
    { partition, namespace: check.ServiceID === '' ? 'default' : namespace }
  )
}

/** The fields for filter expressions (spec: state.md §13). */
export const nodeFields = filterFieldsOf(nodeDefinition.fields)

export const serviceFields = filterFieldsOf(serviceDefinition.fields)

export const serviceNodeFields = filterFieldsOf(onNodeFields)

export const checkFields = filterFieldsOf(checkResource.fields)

export const serviceHealthFields: FilterFields = {
  Node: object(nodeFields),
  Service: object(serviceFields),
  Checks: objects(checkFields)
}
