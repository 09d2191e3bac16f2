// The catalog as decisions read it: the read model or an overlay on it.
import { type CheckState, CRITICAL } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import type { NodeState } from '../../events/node.js'
import type { ServiceState } from '../../events/service.js'
import { spaceOf } from '../row-table.js'
import type { WatchName } from '../watch.js'

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
  /** The checks of an instance, by ID. Cost: those, and all uncommitted changes of checks on the node. */
  checksOf(tenancy: Tenancy, node: string, service: string): readonly CheckState[]
  /** The numbers of a node's own checks; zeros for an unknown node. */
  ownChecks(partition: string, node: string): OwnCheckCounts
}

export interface OwnCheckCounts {
  readonly all: number
  readonly critical: number
}

export const NO_OWN_CHECKS: OwnCheckCounts = { all: 0, critical: 0 }

/** Returns the numbers after a change of a check. @param before undefined for a new one @param after undefined for a deleted one */
export const countsAfter = (
  { all, critical }: OwnCheckCounts,
  before: CheckState | undefined,
  after: CheckState | undefined
): OwnCheckCounts => {
  const isOwn = (state: CheckState | undefined): boolean => state?.check.ServiceID === ''
  const isCritical = (state: CheckState | undefined): boolean =>
    isOwn(state) && state?.check.Status === CRITICAL
  return {
    all: all + Number(isOwn(after)) - Number(isOwn(before)),
    critical: critical + Number(isCritical(after)) - Number(isCritical(before))
  }
}

/** Names of partitions and namespaces contain no slash. */
export const nodeKey = (partition: string, name: string): string => `${partition}/${name.toLowerCase()}`

export const localKey = (namespace: string, id: string): string => `${namespace}/${id.toLowerCase()}`
export const serviceKey = ({ namespace, service }: ServiceState): string => localKey(namespace, service.ID)
export const checkKey = ({ namespace, check }: CheckState): string => localKey(namespace, check.CheckID)

/** `check` is the `checkKey`. Names of nodes and IDs of checks may contain slashes. */
export const checkRowKey = (partition: string, node: string, check: string): string =>
  `${nodeKey(partition, node)}\0${check}`

/** The watch keys of blocking queries on the catalog (spec: state.md §10). */
const key = (kind: string, within: string, name: string): WatchName =>
  `${kind}/${within}/${name.toLowerCase()}`

export const catalogKeys = {
  nodes: (partition: string): WatchName => `nodes/${partition}`,
  node: (partition: string, name: string): WatchName => key('node', partition, name),
  services: (tenancy: Tenancy): WatchName => `services/${spaceOf(tenancy)}`,
  /** An instance of this name, its node, or one of its checks. */
  service: (tenancy: Tenancy, name: string): WatchName => key('service', spaceOf(tenancy), name),
  /** The same for a Connect destination. */
  connect: (tenancy: Tenancy, name: string): WatchName => key('connect', spaceOf(tenancy), name),
  checks: (tenancy: Tenancy): WatchName => `checks/${spaceOf(tenancy)}`,
  checksOfNode: (partition: string, name: string): WatchName => key('checks-of-node', partition, name),
  checksOfService: (tenancy: Tenancy, name: string): WatchName =>
    key('checks-of-service', spaceOf(tenancy), name)
} as const
