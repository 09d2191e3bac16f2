// The catalog with the uncommitted changes of a decision.
import { checkState, isCheckEvent, type CheckState } from '../../events/check.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isNodeEvent, nodeState, type NodeState } from '../../events/node.js'
import { isServiceEvent, serviceState, type ServiceState } from '../../events/service.js'
import { Overlay, Overlays } from '../overlay.js'
import { byText } from '../row-table.js'
import {
  checkKey,
  countsAfter,
  localKey,
  NO_OWN_CHECKS,
  nodeKey,
  type OwnCheckCounts,
  serviceKey,
  type CatalogReader
} from './reader.js'

const nodeKeyOf = ({ partition, node }: NodeState): string => nodeKey(partition, node.Node)
const idOf = ({ node }: NodeState): string => node.ID.toLowerCase()
const byCheckKey = (a: CheckState, b: CheckState): number => byText(checkKey(a), checkKey(b))
const all = (): boolean => true

export class CatalogOverlay implements CatalogReader {
  readonly #nodes = new Overlay<NodeState>(nodeKeyOf)
  readonly #nodesById = new Overlay<NodeState>(idOf)
  /** By node. */
  readonly #services = new Overlays<ServiceState>(serviceKey)
  readonly #checks = new Overlays<CheckState>(checkKey)
  readonly #ownCounts = new Map<string, OwnCheckCounts>()

  constructor(private readonly below: CatalogReader) {}

  node(partition: string, name: string): NodeState | undefined {
    return this.#nodes.get(nodeKey(partition, name), () => this.below.node(partition, name))
  }

  nodeById(id: string): NodeState | undefined {
    return this.#nodesById.get(id.toLowerCase(), () => this.below.nodeById(id))
  }

  service(tenancy: Tenancy, node: string, id: string): ServiceState | undefined {
    const services = this.#services.in(nodeKey(tenancy.partition, node))
    return services.get(localKey(tenancy.namespace, id), () => this.below.service(tenancy, node, id))
  }

  check(tenancy: Tenancy, node: string, id: string): CheckState | undefined {
    const checks = this.#checks.in(nodeKey(tenancy.partition, node))
    return checks.get(localKey(tenancy.namespace, id), () => this.below.check(tenancy, node, id))
  }

  servicesOn(partition: string, node: string): readonly ServiceState[] {
    const services = this.#services.in(nodeKey(partition, node))
    const byKey = (a: ServiceState, b: ServiceState): number => byText(serviceKey(a), serviceKey(b))
    return services.list(this.below.servicesOn(partition, node), all, byKey)
  }

  checksOn(partition: string, node: string): readonly CheckState[] {
    const checks = this.#checks.in(nodeKey(partition, node))
    return checks.list(this.below.checksOn(partition, node), all, byCheckKey)
  }

  checksOf(tenancy: Tenancy, node: string, service: string): readonly CheckState[] {
    const checks = this.#checks.in(nodeKey(tenancy.partition, node))
    const isOfService = ({ namespace, check }: CheckState): boolean =>
      namespace === tenancy.namespace && check.ServiceID.toLowerCase() === service.toLowerCase()
    return checks.list(this.below.checksOf(tenancy, node, service), isOfService, byCheckKey)
  }

  ownChecks(partition: string, node: string): OwnCheckCounts {
    return this.#ownCounts.get(nodeKey(partition, node)) ?? this.below.ownChecks(partition, node)
  }

  /** Removes all services and checks on a node. Cost: their uncommitted changes. */
  removeAllOn(partition: string, node: string): void {
    const key = nodeKey(partition, node)
    this.#services.in(key).removeUnder('')
    this.#checks.in(key).removeUnder('')
    this.#ownCounts.set(key, NO_OWN_CHECKS)
  }

  apply(event: Event): void {
    if (isNodeEvent(event)) {
      const state = nodeState(event)
      const before = this.node(state.partition, state.node.Node)
      if (before) this.#nodesById.remove(idOf(before))
      if (event.Type === 'NodeDeregistration') this.#nodes.remove(nodeKeyOf(state))
      else {
        this.#nodes.put(state)
        if (state.node.ID !== '') this.#nodesById.put(state)
      }
    } else if (isServiceEvent(event)) {
      const state = serviceState(event)
      const services = this.#services.in(nodeKey(state.partition, state.node))
      if (event.Type === 'ServiceDeregistration') services.remove(serviceKey(state))
      else services.put(state)
    } else if (isCheckEvent(event)) {
      const state = checkState(event)
      const { partition, check } = state
      const node = nodeKey(partition, check.Node)
      const isGone = event.Type === 'CheckDeregistration'
      const before = this.check(state, check.Node, check.CheckID)
      const counts = this.ownChecks(partition, check.Node)
      this.#ownCounts.set(node, countsAfter(counts, before, isGone ? undefined : state))
      if (isGone) this.#checks.in(node).remove(checkKey(state))
      else this.#checks.in(node).put(state)
    }
  }
}
