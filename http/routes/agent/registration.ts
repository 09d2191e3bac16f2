// What a server's own node is registered as (spec: decisions.md 32).
import type { CatalogCommand } from '../../../actors/catalog/catalog.js'
import { SERVER } from '../../../actors/aggregate.js'
import { checkInput, CRITICAL, PASSING, SERF_HEALTH } from '../../../events/check.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { nodeInput } from '../../../events/node.js'
import { COMPATIBLE_VERSION } from '../../../events/version.js'
import { serviceInput } from '../catalog/inputs.js'
import { RPC_PORT } from '../operator/status.js'

/** Of the check of a server that is heard of. */
export const ALIVE = { Status: PASSING, Output: 'Agent alive and reachable' }

/** Of the check of a server that is not heard of. */
export const GONE = { Status: CRITICAL, Output: 'Agent not live or unreachable' }

/** A server, as its node shows it. */
interface ServerNode {
  readonly id: string
  readonly name: string
  /** Where it listens. */
  readonly bind: string
  readonly meta: Readonly<Record<string, string>>
  readonly datacenter: string
}

/** Whether the server is heard of. */
interface ServerHealth {
  readonly Status: string
  readonly Output: string
}

/** Registers the node, or what of it has changed: nothing, most of the time. `at` is in epoch ms. */
const registration = (
  { id, name, bind, meta, datacenter }: ServerNode,
  health: ServerHealth,
  at: number
): CatalogCommand => {
  const family = bind.includes(':') ? 'ipv6' : 'ipv4'
  return {
    name: 'Register',
    tenancy: DEFAULT_TENANCY,
    caller: SERVER,
    at,
    data: {
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
  }
}

/** The node that has the server's name, and whether another node has the server's ID. */
interface NameHolder {
  /** ID of the node that has the name; undefined where there is none. */
  readonly holder: string | undefined
  /** Whether a node of another name has the server's ID, so that the registration renames it. */
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
