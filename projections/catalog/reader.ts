// What decisions on nodes, services and checks read, from the read model or from an overlay on it.
import type { CheckState } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import type { NodeState } from '../../events/node.js'
import type { ServiceState } from '../../events/service.js'
import { spaceOf } from '../table.js'
import type { WatchName } from '../watch.js'

/** Names and IDs are found in any letter case. */
export interface CatalogReader {
  node(partition: string, name: string): NodeState | undefined
  /** By UUID, which is unique over all partitions. */
  nodeById(id: string): NodeState | undefined
  service(tenancy: Tenancy, node: string, id: string): ServiceState | undefined
  check(tenancy: Tenancy, node: string, id: string): CheckState | undefined
  /** The instances on a node, of all namespaces, by namespace and ID. */
  servicesOn(partition: string, node: string): readonly ServiceState[]
  /** The checks on a node, of all namespaces, by namespace and ID. */
  checksOn(partition: string, node: string): readonly CheckState[]
}

/** Identifies a node. Names of partitions and namespaces hold no slash. */
export const nodeKey = (partition: string, name: string): string => `${partition}/${name.toLowerCase()}`

/** Identifies a service or check among those of its node. */
export const localKey = (namespace: string, id: string): string => `${namespace}/${id.toLowerCase()}`
export const serviceKey = ({ namespace, service }: ServiceState): string => localKey(namespace, service.ID)
export const checkKey = ({ namespace, check }: CheckState): string => localKey(namespace, check.CheckID)

/** Identifies a check among all, by the `checkKey` of its node. Names of nodes and IDs of checks may have slashes. */
export const checkRowKey = (partition: string, node: string, check: string): string =>
  `${nodeKey(partition, node)}\0${check}`

/** What a blocking query on the catalog waits for (spec: state.md §10). */
const key = (kind: string, within: string, name: string): WatchName =>
  `${kind}/${within}/${name.toLowerCase()}`

export const catalogKeys = {
  /** Any node of a partition. */
  nodes: (partition: string): WatchName => `nodes/${partition}`,
  /** One node, or a service on it. */
  node: (partition: string, name: string): WatchName => key('node', partition, name),
  /** Any service of a namespace. */
  services: (tenancy: Tenancy): WatchName => `services/${spaceOf(tenancy)}`,
  /** An instance of this name, its node, or a check that counts for it. */
  service: (tenancy: Tenancy, name: string): WatchName => key('service', spaceOf(tenancy), name),
  /** The same for what Connect reaches by this name. */
  connect: (tenancy: Tenancy, name: string): WatchName => key('connect', spaceOf(tenancy), name),
  /** Any check of a namespace. */
  checks: (tenancy: Tenancy): WatchName => `checks/${spaceOf(tenancy)}`,
  checksOfNode: (partition: string, name: string): WatchName => key('checks-of-node', partition, name),
  checksOfService: (tenancy: Tenancy, name: string): WatchName =>
    key('checks-of-service', spaceOf(tenancy), name)
} as const
