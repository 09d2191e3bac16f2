// Removes nodes with everything on them.
import type { NodeState } from '../../events/node.js'
import type { CatalogStage } from '../catalog/stage.js'
import { checkEvent } from '../check/events.js'
import { serviceEvent } from '../service/events.js'
import { nodeEvent } from './events.js'

/** Its checks, its services, its sessions, and then the node (spec: stream.md §15, compound operations). */
export const removeNode = (stage: CatalogStage, state: NodeState): void => {
  const { partition } = state
  const name = state.node.Node
  for (const check of stage.catalog.checksOn(partition, name))
    stage.emit(checkEvent('CheckDeregistration', check))
  for (const service of stage.catalog.servicesOn(partition, name))
    stage.emit(serviceEvent('ServiceDeregistration', service, state))
  stage.endSessions({ kind: 'node', partition, node: name })
  stage.endCoordinates(partition, name)
  stage.emit(nodeEvent('NodeDeregistration', state))
}
