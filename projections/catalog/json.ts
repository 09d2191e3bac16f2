// Nodes, services and checks as catalog and health answers show them (spec: state.md §2, tenancy.md §8).
import type { CheckState, HealthCheck } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import type { CatalogNode, NodeState } from '../../events/node.js'
import type { CatalogService, ServiceState } from '../../events/service.js'
import { shownTenancy } from '../shown-tenancy.js'

const partitionField = ({ partition }: NodeState) => shownTenancy({ partition, namespace: 'default' })

/** A Node object. */
export const nodeObject = (state: NodeState): object => {
  const { CreateIndex, ModifyIndex, ...head } = state.node
  return { ...head, ...partitionField(state), CreateIndex, ModifyIndex }
}

const filled = (name: string, value: unknown, isEmpty: boolean): object => (isEmpty ? {} : { [name]: value })

/** A NodeService object. `tags` is what to show for a service without any. */
export const serviceObject = (state: ServiceState, noTags: readonly string[] | null = []): object => {
  const { service } = state
  return {
    ...filled('Kind', service.Kind, service.Kind === ''),
    ID: service.ID,
    Service: service.Service,
    ...shownTenancy(state),
    Tags: service.Tags ?? noTags,
    Address: service.Address,
    ...filled('TaggedAddresses', service.TaggedAddresses, isEmptyMap(service.TaggedAddresses)),
    Meta: service.Meta,
    ...filled('Port', service.Port, service.Port === 0),
    ...filled('SocketPath', service.SocketPath, service.SocketPath === ''),
    Weights: service.Weights,
    EnableTagOverride: service.EnableTagOverride,
    Proxy: service.Proxy,
    Connect: service.Connect,
    CreateIndex: service.CreateIndex,
    ModifyIndex: service.ModifyIndex
  }
}

const isEmptyMap = (map: object | null): boolean => map === null || Object.keys(map).length === 0

/** A ServiceNode object: an instance and its node in one. */
export const serviceNodeObject = (node: CatalogNode, state: ServiceState): object => {
  const { service } = state
  return {
    ID: node.ID,
    Node: node.Node,
    Address: node.Address,
    Datacenter: node.Datacenter,
    TaggedAddresses: node.TaggedAddresses,
    NodeMeta: node.Meta,
    ...serviceFields(service),
    ...shownTenancy(state),
    CreateIndex: service.CreateIndex,
    ModifyIndex: service.ModifyIndex
  }
}

const serviceFields = (service: CatalogService): object => ({
  ServiceKind: service.Kind,
  ServiceID: service.ID,
  ServiceName: service.Service,
  ServiceTags: service.Tags ?? [],
  ServiceAddress: service.Address,
  ...filled('ServiceTaggedAddresses', service.TaggedAddresses, isEmptyMap(service.TaggedAddresses)),
  ServiceWeights: service.Weights,
  ServiceMeta: service.Meta ?? {},
  ServicePort: service.Port,
  ServiceSocketPath: service.SocketPath,
  ServiceEnableTagOverride: service.EnableTagOverride,
  ServiceProxy: service.Proxy,
  ServiceConnect: service.Connect
})

/** A HealthCheck object. `noTags` is what to show for a check of a service without tags. */
export const checkObject = (
  state: CheckState,
  noTags: readonly string[] | null = []
): HealthCheck & Partial<Tenancy> => {
  const { CreateIndex, ModifyIndex, ...head } = state.check
  // A check of a node has no namespace of its own.
  const { partition, namespace } = state
  const tenancy = shownTenancy({ partition, namespace: head.ServiceID === '' ? 'default' : namespace })
  return { ...head, ServiceTags: head.ServiceTags ?? noTags, ...tenancy, CreateIndex, ModifyIndex }
}
