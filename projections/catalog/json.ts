// The response objects of nodes, services and checks (spec: state.md §2, tenancy.md §8).
import { checkResource, withoutSecrets, type CheckState } from '../../events/check.js'
import { nodeDefinition, type CatalogNode, type NodeState } from '../../events/node.js'
import { serviceDefinition, type ServiceState } from '../../events/service.js'
import { resourceViewsOf, type ResourceView } from '../definition/resource-views.js'
import { nameOnNode, onNodeFields } from './service-views.js'
import { object, objects, type Fields } from '../language/filter-syntax.js'
import { filterFieldsOf } from '../../events/definition/forms/forms.js'

const node = resourceViewsOf(nodeDefinition)

export const nodeObject = ({ node: stored, partition }: NodeState): object =>
  node(stored, { partition, namespace: 'default' })

const service = resourceViewsOf(serviceDefinition)

/** A NodeService object. `noTags` replaces missing tags. */
export const serviceObject = (state: ServiceState, noTags: readonly string[] | null = []): object =>
  service({ ...state.service, Tags: state.service.Tags ?? noTags }, state)

const serviceNode = resourceViewsOf({ fields: onNodeFields })

/** A ServiceNode object: an instance and its node in one. */
export const serviceNodeObject = ({ Meta: NodeMeta, ...host }: CatalogNode, state: ServiceState): object => {
  const { CreateIndex, ModifyIndex, Tags, Meta, ...rest } = state.service
  const content = { ...rest, Tags: Tags ?? [], Meta: Meta ?? {} }
  const named = Object.entries(content).map(([name, value]) => [nameOnNode(name), value])
  return serviceNode({ ...host, NodeMeta, ...Object.fromEntries(named), CreateIndex, ModifyIndex }, state)
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

export const serviceHealthFields: Fields = {
  Node: object(nodeFields),
  Service: object(serviceFields),
  Checks: objects(checkFields)
}
