import {
  checkState,
  isCheckEvent,
  CHECK_TOPIC,
  type CheckEvent,
  type CheckState
} from '../../events/check.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { isNodeEvent, NODE_TOPIC, type NodeEvent, type NodeState } from '../../events/node.js'
import {
  isServiceEvent,
  serviceState,
  SERVICE_TOPIC,
  type HostingNode,
  type ServiceEvent,
  type ServiceState
} from '../../events/service.js'
import { getOrCreate } from '../maps.js'
import type { Projection, Fact } from '../projection.js'
import { Table } from '../table.js'
import { byKey, namespacesIn, spaceOf } from '../row-table.js'
import { namespacedTenancyOf, tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'
import { ServicesByNamespace, type NamedBy, type NamespaceServices } from './services-by-namespace.js'
import { countsAfter, localKey, NO_OWN_CHECKS, type OwnCheckCounts, type CatalogReader } from './reader.js'
import { CatalogWatch } from './catalog-watch.js'
import { checkFact, factsOf, nodeFact, serviceFact } from './facts.js'
import { HostChanges } from './host-changes.js'
import { Nodes, CheckRow, Host, ServiceRow } from './rows.js'
import { CatalogOverlay } from './overlay.js'

/** The node of a service event; the current node object if nothing differs. */
const hostingNode = ({ Payload: { Service } }: ServiceEvent, { state: { node } }: Host): HostingNode => {
  const { NodeID: ID, Datacenter, Address, ServiceAddress, Node } = Service
  const isCurrent =
    ID === node.ID &&
    Datacenter === node.Datacenter &&
    Node === node.Node &&
    (ServiceAddress !== '' || Address === node.Address)
  return isCurrent ? node : { ID, Datacenter, Address, Node }
}

/**
 * Nodes by name and ID, the services and checks on each, instances by service name, checks by status and service name. Costs: look-ups O(1); a change
 * of a service or its check O(1); a commit with changes of a node or of its own checks O(services on the node); lists O(what is listed). About 2 kB an
 * instance, of which half are its texts once read. Watch keys: `catalogKeys`.
 */
export class Catalog implements Projection, CatalogReader {
  readonly topics = [NODE_TOPIC, SERVICE_TOPIC, CHECK_TOPIC]
  readonly nodes = new Nodes()
  /** Those of the present commit, until `renewInstances`. */
  readonly changes = new Map<Host, HostChanges>()
  readonly #checks = new Table<CheckRow, never, 'status' | 'service'>({
    key: row => row.tableKey,
    tenancy: row => row.tenancy,
    order: row => row.order,
    unique: {},
    multi: {
      status: row => [`${spaceOf(row.tenancy)}/${row.state.check.Status.toLowerCase()}`],
      service: row => [`${spaceOf(row.tenancy)}/${row.state.check.ServiceName.toLowerCase()}`]
    }
  })
  readonly #spaces = new ServicesByNamespace()
  readonly memory = { nodes: this.nodes.indexes, ...this.#spaces.memory }
  readonly #watch: CatalogWatch

  constructor(watch: Watch) {
    this.#watch = new CatalogWatch(watch)
  }

  host(partition: string, name: string): Host | undefined {
    return this.nodes.host(partition, name)
  }

  node(partition: string, name: string): NodeState | undefined {
    return this.host(partition, name)?.state
  }

  nodeById(id: string): NodeState | undefined {
    return this.nodes.byId(id)
  }

  service({ partition, namespace }: Tenancy, node: string, id: string): ServiceState | undefined {
    return this.host(partition, node)?.services.get(localKey(namespace, id))?.state
  }

  check({ partition, namespace }: Tenancy, node: string, id: string): CheckState | undefined {
    return this.host(partition, node)?.checks.get(localKey(namespace, id))?.state
  }

  servicesOn(partition: string, node: string): readonly ServiceState[] {
    const host = this.host(partition, node)
    return host ? byKey(host.services).map(row => row.state) : []
  }

  checksOn(partition: string, node: string): readonly CheckState[] {
    const host = this.host(partition, node)
    return host ? byKey(host.checks).map(row => row.state) : []
  }

  checksOf({ partition, namespace }: Tenancy, node: string, service: string): readonly CheckState[] {
    const row = this.host(partition, node)?.services.get(localKey(namespace, service))
    return row ? row.checks.map(({ state }) => state) : []
  }

  ownChecks(partition: string, node: string): OwnCheckCounts {
    return this.host(partition, node)?.ownCounts ?? NO_OWN_CHECKS
  }

  /** The services of a namespace; empty if it never had any. */
  space(tenancy: Tenancy): NamespaceServices {
    return this.#spaces.of(spaceOf(tenancy))
  }

  /** The namespaces of a partition in which there are or were services or checks, sorted. */
  namespaces(partition: string): readonly string[] {
    return namespacesIn(partition, this.#spaces.names())
  }

  /** The checks of a namespace after one (`CheckRow.order`), or all, by node and ID; those of nodes are in `default`. See `Table.behind`. */
  checksBehind(tenancy: Tenancy, after?: string): Iterable<CheckRow> {
    return this.#checks.behind(tenancy, after)
  }

  checksInState(tenancy: Tenancy, status: string): ReadonlySet<CheckRow> {
    return this.#checks.sharing('status', `${spaceOf(tenancy)}/${status.toLowerCase()}`)
  }

  checksOfService(tenancy: Tenancy, name: string): ReadonlySet<CheckRow> {
    return this.#checks.sharing('service', `${spaceOf(tenancy)}/${name.toLowerCase()}`)
  }

  /** Index of a service name, or of its Connect destination (state.md §10). */
  serviceIndex(tenancy: Tenancy, by: NamedBy, name: string): number {
    const space = this.space(tenancy)
    const groups = space.groups(by)
    const group = groups.get(name)
    if (group) return group.index
    return (
      groups.extinction ||
      Math.max(this.nodes.indexOf(tenancy.partition), space.servicesIndex, space.checksIndex)
    )
  }

  overlay(): CatalogOverlay {
    return new CatalogOverlay(this)
  }

  apply(event: Event, { Index }: Commit): void {
    if (isNodeEvent(event)) this.#applyNode(event, Index)
    else if (isServiceEvent(event)) this.#applyService(event, Index)
    else if (isCheckEvent(event)) this.#applyCheck(event, Index)
  }

  reset(): void {
    this.nodes.clear()
    this.changes.clear()
    this.#checks.clear()
    this.#spaces.clear()
  }

  *facts(): Iterable<Fact> {
    for (const { host } of this.nodes.ordered()) yield* factsOf(host)
  }

  /** The facts of one topic, in no order. An unchanged row comes once, a row that changes meanwhile at most once. */
  *current(topic: typeof NODE_TOPIC | typeof SERVICE_TOPIC | typeof CHECK_TOPIC): Iterable<Fact> {
    for (const { host } of this.nodes.all())
      if (topic === NODE_TOPIC) yield nodeFact(host)
      else if (topic === SERVICE_TOPIC) for (const row of host.services.values()) yield serviceFact(row)
      else for (const row of host.checks.values()) yield checkFact(row)
  }

  #applyNode(event: NodeEvent, index: number): void {
    const host = this.nodes.apply(event, index)
    if (!host) return
    if (event.Type === 'NodeDeregistration') this.changes.delete(host)
    else this.#changesOf(host, index).affectsAll = true
    this.#watch.node(event)
  }

  #applyService(event: ServiceEvent, index: number): void {
    const { Node, ID } = event.Payload.Service
    const tenancy = tenancyOf(event)
    const host = this.host(tenancy.partition, Node)
    if (!host) return
    const key = localKey(tenancy.namespace, ID)
    const space = this.space(tenancy)
    const before = host.services.get(key)
    if (before) {
      space.delete(before, index)
      this.#watch.instance(before)
    }
    space.servicesIndex = index
    if (event.Type === 'ServiceDeregistration') {
      host.services.delete(key)
      space.checksIndex = index
    } else {
      const [state, registeredOn] = [serviceState(event), hostingNode(event, host)]
      const row = new ServiceRow({ host, state, registeredOn, checks: before?.checks ?? [] }, before)
      host.services.set(key, row)
      space.add(row, index)
      this.#watch.instance(row)
    }
    this.#watch.service(event)
  }

  #applyCheck(event: CheckEvent, index: number): void {
    const { Node, CheckID, ServiceID } = event.Payload.Check
    const tenancy = namespacedTenancyOf(event)
    const host = this.host(tenancy.partition, Node)
    if (!host) return
    const key = localKey(tenancy.namespace, CheckID)
    const before = host.checks.get(key)
    const row =
      event.Type === 'CheckDeregistration'
        ? undefined
        : new CheckRow(host, key, checkState(event), event.Type)
    if (row) {
      host.checks.set(key, row)
      this.#checks.put(row, index)
    } else {
      host.checks.delete(key)
      if (before) this.#checks.delete(before.tableKey, index)
    }
    host.ownCounts = countsAfter(host.ownCounts, before?.state, row?.state)
    const space = this.space(tenancy)
    space.checksIndex = index
    if (!row && ServiceID === '') space.servicesIndex = index
    const changes = this.#changesOf(host, index)
    // A check applies to one service, or without a service ID to all on its node.
    const serviceOf = (id: string): string => (id === '' ? '' : localKey(tenancy.namespace, id))
    const left = before?.state.check.ServiceID ?? ServiceID
    if (left !== ServiceID) changes.setCheck(serviceOf(left), key, undefined)
    changes.setCheck(serviceOf(ServiceID), key, row)
    this.#watch.check(event, before)
  }

  #changesOf(host: Host, index: number): HostChanges {
    const changes = getOrCreate(this.changes, host, () => new HostChanges())
    changes.index = index
    return changes
  }

  /** Replaces the instances whose nodes or checks have changed, once after all events of a commit. */
  renewInstances(): void {
    for (const [host, changes] of this.changes) {
      host.ownChecks = changes.checksOf('', host.ownChecks)
      if (changes.affectsAll) for (const [key, row] of host.services) this.#renew(key, row, changes)
      else
        for (const key of changes.services()) {
          const row = host.services.get(key)
          if (row) this.#renew(key, row, changes)
        }
    }
    this.changes.clear()
  }

  /** Replaces an instance after a change of its node or its checks. */
  #renew(key: string, before: ServiceRow, changes: HostChanges): void {
    const { host, state, registeredOn } = before
    const checks = changes.checksOf(key, before.checks)
    const row = new ServiceRow({ host, state, registeredOn, checks }, before)
    host.services.set(key, row)
    this.space(state).replace(before, row, changes.index)
    this.#watch.instance(row)
  }
}
