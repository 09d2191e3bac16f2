// Dependencies of historical responses about nodes, services and checks.
import { CHECK_TOPIC } from '../../../events/check.js'
import { clusterEvents } from '../../../events/cluster.js'
import { CONFIG_ENTRY_TOPIC } from '../../../events/config-entry.js'
import { COORDINATE_TOPIC, NODE_TOPIC } from '../../../events/node.js'
import type { ResourceKey } from '../../../events/log/log.js'
import { SERVICE_TOPIC } from '../../../events/service.js'
import { historyOfList, clusterResource, type HistoryDeclaration } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'

/** All nodes of a partition with their services, checks and coordinates. */
export const catalogHistory: HistoryDeclaration = historyOfList(
  [NODE_TOPIC, SERVICE_TOPIC, CHECK_TOPIC, COORDINATE_TOPIC],
  'partition'
)

/** Also the entries that bind services to gateways. */
export const gatewayHistory: HistoryDeclaration = historyOfList(
  [NODE_TOPIC, SERVICE_TOPIC, CHECK_TOPIC, COORDINATE_TOPIC, CONFIG_ENTRY_TOPIC, clusterEvents.topic],
  'cluster',
  [NODE_TOPIC, SERVICE_TOPIC, CHECK_TOPIC]
)

/** Returns the key of a node in its events: its ID, else its name. */
export const nodeKeyOf = (request: RequestContext, name: string): ResourceKey => {
  const { partition } = request.tenancy
  const { catalog } = request.views
  const node = (catalog.host(partition, name) ?? catalog.nodes.hostByIdPrefix(partition, name))?.state.node
  return clusterResource(NODE_TOPIC, node ? node.ID || node.Node : name, partition)
}
