// The registration of a server's own node (spec: decisions.md 32).
import type { CatalogCommand } from '../../../actors/catalog/catalog.js'
import { serverCommand } from '../../../actors/aggregate.js'
import { checkInput, CRITICAL, PASSING, SERF_HEALTH } from '../../../events/check.js'
import { nodeInput } from '../../../events/node.js'
import { COMPATIBLE_VERSION } from '../../../events/version.js'
import { serviceInput } from '../catalog/inputs.js'
import type { Server } from '../operator/cluster-servers.js'
import { RPC_PORT } from '../operator/status.js'

/** The check of a responsive server. */
export const ALIVE = { Status: PASSING, Output: 'Agent alive and reachable' }

/** The check of an unresponsive server. */
export const GONE = { Status: CRITICAL, Output: 'Agent not live or unreachable' }

interface ServerNode extends Pick<Server, 'id' | 'name' | 'bind' | 'meta'> {
  readonly datacenter: string
}

interface ServerHealth {
  readonly Status: string
  readonly Output: string
}

/** @param at in epoch ms */
const registration = (
  { id, name, bind, meta, datacenter }: ServerNode,
  health: ServerHealth,
  at: number
): CatalogCommand => {
  const family = bind.includes(':') ? 'ipv6' : 'ipv4'
  const data = {
    node: nodeInput({
      ID: id,
      Node: name,
      Address: bind,
      Datacenter: datacenter,
      TaggedAddresses: { lan: bind, [`lan_${family}`]: bind, wan: bind, [`wan_${family}`]: bind },
      Meta: { 'consul-network-segment': '', ...meta }
    }),
    skipNodeUpdate: false,
    serviceNamespace: undefined,
    service: serviceInput({
      Service: 'consul',
      Tags: [],
      Meta: { version: COMPATIBLE_VERSION },
      Port: RPC_PORT
    }),
    checks: [
      {
        namespace: undefined,
        input: checkInput({ Node: name, CheckID: SERF_HEALTH, Name: 'Serf Health Status', ...health })
      }
    ]
  }
  return serverCommand('Register', data, at)
}

interface NameHolder {
  /** ID of the node with the server's name. */
  readonly holder: string | undefined
  /** True if a node of another name has the server's ID, so that the registration renames it. */
  readonly isRename: boolean
}

/**
 * Returns the commands that register a server whose name a node of another ID may have. The name of a healthy node with an ID is
 * reserved. The node therefore loses its ID first and keeps its services and sessions; before a rename its check turns critical instead.
 */
export const registrations = (
  node: ServerNode,
  health: ServerHealth,
  at: number,
  { holder, isRename }: NameHolder
): readonly CatalogCommand[] => {
  const own = registration(node, health, at)
  if (holder === undefined || holder === '' || holder === node.id) return [own]
  const first = isRename
    ? registration({ ...node, id: holder }, GONE, at)
    : registration({ ...node, id: '' }, health, at)
  return [first, own]
}
