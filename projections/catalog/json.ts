// Nodes, services and checks as catalog and health answers show them (spec: state.md §2, tenancy.md §8).
import { checkResource, withoutSecrets } from '../../events/check.js'
import type { CheckState } from '../../events/check.js'
import type { CatalogNode, NodeState } from '../../events/node.js'
import { nodeDefinition } from '../../events/node.js'
import { serviceDefinition } from '../../events/service.js'
import type { ServiceState } from '../../events/service.js'
import type { ResourceView } from '../definition/resource-views.js'
import { resourceViewsOf } from '../definition/resource-views.js'
import { nameOnNode, onNodeFields } from './service-views.js'
import { object, objects } from '../language/filter-syntax.js'
import type { Fields } from '../language/filter-syntax.js'
import { filterFieldsOf } from '../definition/filter-fields.js'

const node = resourceViewsOf(nodeDefinition)

/** A Node object. */
export const nodeObject = ({ node: stored, partition }: NodeState): object =>
  node(stored, { partition, namespace: 'default' })

const service = resourceViewsOf(serviceDefinition)

/** A NodeService object. `noTags` is what to show for a service without any. */
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
  /** What to show for a check of a service without tags. */
  readonly noTags?: readonly string[] | null
  /** Whether the reader may see the secrets of its definition. */
  readonly showsSecrets?: boolean
}

/** A HealthCheck object. */
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

/** What filter expressions may select of nodes, services and checks (spec: state.md §13). */
export const nodeFields = filterFieldsOf(nodeDefinition.fields)

/** Of a service without its node. */
export const serviceFields = filterFieldsOf(serviceDefinition.fields)

/** Of a service and its node in one object. */
export const serviceNodeFields = filterFieldsOf(onNodeFields)

export const checkFields = filterFieldsOf(checkResource.fields)

/** Of the health of a service. */
export const serviceHealthFields: Fields = {
  Node: object(nodeFields),
  Service: object(serviceFields),
  Checks: objects(checkFields)
}
