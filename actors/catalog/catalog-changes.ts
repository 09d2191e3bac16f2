import type { Event, Tenancy } from '../../events/envelope.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'
import { ModelsOverlay } from '../../projections/models.js'
import type { Views } from '../../projections/read-models.js'
import { type Command, NO_REMOVALS } from '../aggregate.js'
import { coordinateEvent } from '../coordinate.js'
import type { deleteTree } from '../kv-tree.js'
import { endSessionsOfCheck, endSessionsOfNode } from '../session.js'
import { type CheckEvent, checkEvents, checkPayload, type CheckState } from '../../events/check.js'
import { type NodeEvent, nodeEvents, nodePayload, type NodeState } from '../../events/node.js'
import { type ServiceEvent, serviceEvents, servicePayload, type ServiceState } from '../../events/service.js'

/** The unit of work of one catalog command: collects the events and reads the catalog with these applied. */
export class CatalogChanges {
  readonly models: ModelsOverlay
  /** The datacenter of nodes that name none. */
  readonly datacenter: string
  readonly events: Event[] = []
  removals = NO_REMOVALS

  /** @param index that the commit will have @param at epoch milliseconds */
  constructor(
    views: Views,
    readonly index: number,
    readonly at: number
  ) {
    this.models = new ModelsOverlay(views, index)
    this.datacenter = views.settings.datacenter
  }

  get catalog(): CatalogReader {
    return this.models.catalog
  }

  emit(event: Event): void {
    this.events.push(event)
    this.models.apply(event)
  }

  /** Emits the deletions of all entries below a prefix. */
  emitTree(tenancy: Tenancy, prefix: string, { events, removals }: ReturnType<typeof deleteTree>): void {
    const from = this.events.length
    if (removals.length > 0) this.removals = [...this.removals, ...removals.map(one => ({ ...one, from }))]
    for (const event of events) this.events.push(event)
    this.models.kv.removeUnder(tenancy, prefix)
  }

  /** Emits the deletions of all services and checks on a node. */
  emitRemovals(partition: string, node: string, events: readonly Event[]): void {
    for (const event of events) this.events.push(event)
    this.models.catalog.removeAllOn(partition, node)
  }

  endSessionsOfNode(partition: string, node: string): void {
    for (const event of endSessionsOfNode(partition, node, this.models, this.index)) this.emit(event)
  }

  /** Ends the sessions that depend on a critical or deleted check. */
  endSessionsOfCheck(state: CheckState): void {
    for (const event of endSessionsOfCheck(state, this.models, this.index)) this.emit(event)
  }

  endCoordinates(partition: string, node: string): void {
    for (const coordinate of this.models.coordinates.of(partition, node)?.values() ?? [])
      this.emit(coordinateEvent('CoordinateDeleted', partition, coordinate))
  }
}

/** Returns the decision of commands that change the catalog. */
export const decideCatalogBy =
  <C extends Command>(change: (unit: CatalogChanges, command: C, views: Views) => void) =>
  (command: C, views: Views, index: number): readonly Event[] => {
    const unit = new CatalogChanges(views, index, command.at)
    change(unit, command, views)
    return unit.events
  }

export const nodeEvent = (type: NodeEvent['Type'], state: NodeState): NodeEvent =>
  nodeEvents.create(type, { partition: state.partition, namespace: '' }, nodePayload(state))

export const serviceEvent = (
  type: ServiceEvent['Type'],
  state: ServiceState,
  { node }: NodeState
): ServiceEvent => serviceEvents.create(type, state, servicePayload(state, node))

/** Checks of nodes have no namespace. Authorization headers are secrets, not part of the payload. */
export const checkEvent = (type: CheckEvent['Type'], state: CheckState): CheckEvent => {
  const { partition, check } = state
  const { payload, secrets } = checkPayload(state)
  const namespace = check.ServiceID === '' ? '' : state.namespace
  return checkEvents.create(type, { partition, namespace }, payload, secrets)
}
