// The server's own node in the catalog: what clients expect to find there from the start (spec: decisions.md 32).
import { type CatalogCommand, nodeRef } from '../../actors/catalog/catalog.js'
import { SERVER } from '../../actors/command.js'
import type { Deadlines } from '../../actors/deadlines.js'
import { PASSING, SERF_HEALTH } from '../../events/check.js'
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { isNodeEvent } from '../../events/node.js'
import type { App } from './app.js'
import { NO_PROXY, textsOf } from '../routes/catalog/inputs.js'
import { COMPATIBLE_VERSION } from './version.js'

const RPC_PORT = 8300

const registration = ({ settings, clock }: App): CatalogCommand => {
  const { node_name, bind } = settings
  const family = bind.includes(':') ? 'ipv6' : 'ipv4'
  return {
    name: 'Register',
    tenancy: DEFAULT_TENANCY,
    caller: SERVER,
    at: clock.now(),
    data: {
      node: {
        ID: settings.node_id,
        Node: node_name,
        Address: bind,
        Datacenter: settings.datacenter,
        TaggedAddresses: { lan: bind, [`lan_${family}`]: bind, wan: bind, [`wan_${family}`]: bind },
        Meta: textsOf({ 'consul-network-segment': '', ...settings.node_meta })
      },
      skipNodeUpdate: false,
      serviceNamespace: undefined,
      service: {
        Kind: '',
        ID: 'consul',
        Service: 'consul',
        Tags: [],
        Address: '',
        TaggedAddresses: null,
        Meta: { version: COMPATIBLE_VERSION },
        Port: RPC_PORT,
        SocketPath: '',
        Weights: { Passing: 1, Warning: 1 },
        EnableTagOverride: false,
        Proxy: NO_PROXY,
        Connect: {}
      },
      checks: [
        {
          namespace: undefined,
          input: {
            Node: node_name,
            CheckID: SERF_HEALTH,
            Name: 'Serf Health Status',
            Status: PASSING,
            Notes: '',
            Output: 'Agent alive and reachable',
            ServiceID: '',
            ServiceName: '',
            ServiceTags: null,
            Type: '',
            Interval: '',
            Timeout: '',
            ExposedPort: 0,
            Definition: {}
          }
        }
      ]
    }
  }
}

/** Registers the node, or what of it has changed since the last start: nothing, most of the time. */
export const registerOwnNode = async (app: App): Promise<void> => {
  const command = registration(app)
  await app.system.ask(nodeRef(command.tenancy.partition, app.settings.node_name), command)
}

const KIND = 'own-node'

const isOwn = (event: Event, name: string): boolean =>
  isNodeEvent(event) &&
  event.Type === 'NodeDeregistration' &&
  event.Partition === DEFAULT_TENANCY.partition &&
  event.Payload.Node.Name.toLowerCase() === name

/**
 * Registers the node anew whenever it was removed, by a deregistration or by the snapshot of another server. Without it no
 * session and no service of the agent could be made until the next start.
 */
export const keepOwnNode = (app: App, deadlines: Deadlines): void => {
  const name = app.settings.node_name.toLowerCase()
  deadlines.on(KIND, () => {
    registerOwnNode(app).catch(error =>
      app.logger.warn({ err: error }, 'the own node was removed and could not be registered again')
    )
  })
  app.committer.signals.on('applied', ({ Events }) => {
    if (Events.some(event => isOwn(event, name))) deadlines.after(0, KIND, name)
  })
}
