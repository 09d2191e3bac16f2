// Changes of the catalog: the unit of work of one command, and the events of nodes, services and checks.
import type { Event, Tenancy } from '../../events/envelope.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'
import type { ModelsOverlay } from '../../projections/models.js'
import { coordinateEvent } from '../coordinate.js'
import { endSessionsOfCheck, endSessionsOfNode } from '../session.js'
import { CHECK_TOPIC, type CheckEvent, checkPayload, type CheckState } from '../../events/check.js'
import { NODE_TOPIC, type NodeEvent, nodePayload, type NodeState } from '../../events/node.js'
import { SERVICE_TOPIC, type ServiceEvent, servicePayload, type ServiceState } from '../../events/service.js'
import { createEvent } from '../create-event.js'

/** The deletion of a node, or the deletion or critical status of a check. */
type SessionCause =
  | { readonly kind: 'node'; readonly partition: string; readonly node: string }
  | { readonly kind: 'check'; readonly tenancy: Tenancy; readonly node: string; readonly check: string }

/** The unit of work of one catalog command: collects the events and reads the catalog with these applied. */
export class CatalogChanges {
  readonly index: number
  /** Epoch milliseconds. */
  readonly at: number
  /** The datacenter of nodes that name none. */
  readonly datacenter: string
  readonly events: Event[] = []

  constructor(
    private readonly models: ModelsOverlay,
    { index, at, datacenter }: Pick<CatalogChanges, 'index' | 'at' | 'datacenter'>
  ) {
    this.index = index
    this.at = at
    this.datacenter = datacenter
  }

  get catalog(): CatalogReader {
    return this.models.catalog
  }

  emit(event: Event): void {
    this.events.push(event)
    this.models.apply(event)
  }

  endSessions(cause: SessionCause): void {
    const sessionEvents =
      cause.kind === 'node'
        ? endSessionsOfNode(cause.partition, cause.node, this.models, this.index)
        : endSessionsOfCheck({ ...cause, ...cause.tenancy, id: cause.check }, this.models, this.index)
    for (const event of sessionEvents) this.emit(event)
  }

  endCoordinates(partition: string, node: string): void {
    for (const coordinate of this.models.coordinates.of(partition, node)?.values() ?? [])
      this.emit(coordinateEvent('CoordinateDeleted', partition, coordinate))
  }
}

/** The key of a node is its ID, or without one its name. */
export const nodeEvent = (type: NodeEvent['Type'], state: NodeState): NodeEvent => ({
  ...createEvent({
    Topic: NODE_TOPIC,
    Type: type,
    Key: state.node.ID || state.node.Node,
    FilterKeys: [state.node.Node],
    Payload: { Node: nodePayload(state) }
  }),
  Partition: state.partition
})

const distinct = (keys: readonly string[]): readonly string[] => [...new Set(keys.filter(key => key !== ''))]

export const serviceEvent = (
  type: ServiceEvent['Type'],
  state: ServiceState,
  { node }: NodeState
): ServiceEvent =>
  createEvent({
    Topic: SERVICE_TOPIC,
    Type: type,
    Key: state.service.ID,
    tenancy: state,
    FilterKeys: distinct([state.service.Service, node.Node, node.ID]),
    Payload: { Service: servicePayload(state, node) }
  })

/** Checks of nodes have no namespace. Authorization headers are secrets, not part of the payload. */
export const checkEvent = (type: CheckEvent['Type'], state: CheckState): CheckEvent => {
  const { Node, CheckID, ServiceID, ServiceName } = state.check
  const { payload, secrets } = checkPayload(state)
  return {
    ...createEvent({
      Topic: CHECK_TOPIC,
      Type: type,
      Key: CheckID,
      tenancy: state,
      FilterKeys: [...new Set([Node, ServiceID, ServiceName].filter(key => key !== ''))],
      Payload: { Check: payload },
      ...(Object.keys(secrets).length > 0 ? { Secrets: secrets } : {})
    }),
    Namespace: ServiceID === '' ? '' : state.namespace
  }
}
