// Service instances and their registration rules (spec: state.md §3.7, §6.2).
import type { Tenancy } from '../../events/envelope.js'
import type { ServiceProxy, Upstream } from '../../events/proxy.js'
import {
  isServiceEvent,
  serviceEvents,
  type ServiceInput,
  serviceDefinition,
  type ServiceState
} from '../../events/service.js'
import { contentsOf, sameContentOf } from '../content.js'
import { twoStateLifecycle } from '../lifecycle.js'
import { keyOnNode, splitKeyOnNode } from '../ref.js'
import { Refusal } from '../refusal.js'
import { removeCheck } from './check.js'
import { serviceEvent, type CatalogChanges } from './catalog-changes.js'

/** An ID is unique only on its node. */
export const serviceLifecycle = twoStateLifecycle(
  serviceEvents,
  ({ catalog }, ref) => {
    const [node, id] = splitKeyOnNode(ref.key)
    return catalog.service(ref, node, id)
  },
  {
    keyOf: event =>
      isServiceEvent(event)
        ? keyOnNode(event.Payload.Service.Node.toLowerCase(), event.Payload.Service.ID.toLowerCase())
        : event.Key
  }
)

const sameContent = sameContentOf(serviceDefinition)

/**
 * Replaces an instance; its checks stay.
 * @param agent true for a registration through the agent endpoints, which stays the agent's
 * @returns the instance as stored
 * @throws Refusal `invalid` when the node does not exist or the metadata breaks a rule
 */
export const ensureService = (
  unit: CatalogChanges,
  tenancy: Tenancy,
  node: string,
  input: ServiceInput,
  agent = false
): ServiceState => {
  const { catalog, index } = unit
  const host = catalog.node(tenancy.partition, node)
  if (!host) throw new Refusal('catalog.node-unknown', `Missing node registration: node "${node}"`, 'missing')
  checkServiceMeta(input, node)
  const before = catalog.service(tenancy, node, input.ID)
  const isAgents = agent || before?.agent === true
  if (before && before.agent === isAgents && sameContent(before.service, input)) return before
  const state: ServiceState = {
    partition: tenancy.partition,
    namespace: tenancy.namespace,
    node: host.node.Node,
    service: { ...inOrder(input), CreateIndex: before?.service.CreateIndex ?? index, ModifyIndex: index },
    agent: isAgents
  }
  unit.emit(serviceEvent('ServiceRegistration', state, host))
  return state
}

/** Keeps the fields in the order of the log. */
const inOrder = contentsOf(serviceDefinition)

export const removeService = (unit: CatalogChanges, state: ServiceState): void => {
  const { catalog } = unit
  const { partition, node, service } = state
  const host = catalog.node(partition, node)
  if (!host) return
  for (const check of catalog.checksOf(state, node, service.ID)) removeCheck(unit, check)
  unit.emit(serviceEvent('ServiceDeregistration', state, host))
}

// Registration rules (spec: state.md §6.2).

const MOST_PAIRS = 64
const LONGEST_KEY = 128
const LONGEST_VALUE = 512
const RESERVED = 'consul-'
const WAN_FEDERATION = 'consul-wan-federation'
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]'])
const MOST_WEIGHT = 65535

const invalidService = (text: string): Refusal => new Refusal('catalog.invalid', text, 'invalid')

const metaFault = (input: ServiceInput): string | undefined => {
  const pairs = Object.entries(input.Meta ?? {})
  if (pairs.length > MOST_PAIRS)
    return `Node metadata cannot contain more than ${MOST_PAIRS} key/value pairs: there are ${pairs.length}`
  for (const [key, value] of pairs) {
    const pair = `Couldn't load metadata pair ('${key}', '${value}')`
    if (key === '') return `${pair}: Key cannot be blank`
    if (!/^[A-Za-z0-9_-]+$/.test(key)) return `${pair}: Key contains invalid characters`
    if (key.length > LONGEST_KEY) return `${pair}: Key is too long (limit: ${LONGEST_KEY} characters)`
    const mayReserve = input.Kind === 'mesh-gateway' && key === WAN_FEDERATION
    if (key.startsWith(RESERVED) && !mayReserve) return `${pair}: Key prefix '${RESERVED}' is reserved`
    if (value.length > LONGEST_VALUE) return `${pair}: Value is too long (limit: ${LONGEST_VALUE} characters)`
  }
  return undefined
}

/** @throws Refusal `invalid` */
const checkServiceMeta = (input: ServiceInput, node: string): void => {
  const fault = metaFault(input)
  if (fault !== undefined)
    throw invalidService(`Invalid Service Meta for node ${node} and serviceID ${input.ID}: ${fault}`)
}

export const areWeights = ({ Passing, Warning }: { Passing: number; Warning: number }): boolean =>
  Passing >= 1 && Warning >= 0 && Passing <= MOST_WEIGHT && Warning <= MOST_WEIGHT

const UPSTREAM_TYPES: ReadonlySet<string> = new Set(['', 'service', 'prepared_query'])

const upstreamFaults = (upstreams: readonly Upstream[]): string[] => {
  const faults: string[] = []
  const names = new Set<string>()
  const binds = new Set<string>()
  for (const upstream of upstreams) {
    const { LocalBindPort = 0, LocalBindSocketPath = '' } = upstream
    if (!UPSTREAM_TYPES.has(upstream.DestinationType))
      faults.push(`unknown upstream destination type: "${upstream.DestinationType}"`)
    if (upstream.DestinationName === '') faults.push('upstream destination name cannot be empty')
    if (upstream.DestinationName === '*') faults.push('upstream destination name cannot be a wildcard')
    if (LocalBindPort === 0 && LocalBindSocketPath === '')
      faults.push('upstream local bind port or local socket path must be defined and nonzero')
    if (LocalBindPort !== 0 && LocalBindSocketPath !== '')
      faults.push('only one of upstream local bind port or local socket path can be defined and nonzero')
    const name = JSON.stringify([
      upstream.DestinationType,
      upstream.DestinationNamespace ?? '',
      upstream.DestinationName,
      upstream.Datacenter
    ])
    if (names.has(name)) faults.push(`upstreams cannot contain duplicates of ${upstream.DestinationName}`)
    names.add(name)
    const bind = LocalBindSocketPath || `${upstream.LocalBindAddress || '127.0.0.1'}:${LocalBindPort}`
    if (binds.has(bind)) faults.push(`upstreams cannot contain duplicates by local bind: ${bind}`)
    binds.add(bind)
  }
  return faults
}

const faultsAmong = (...faults: readonly (readonly [isFault: boolean, text: string])[]): string[] =>
  faults.flatMap(([isFault, text]) => (isFault ? [text] : []))

const EXPOSED_PROTOCOLS: ReadonlySet<string> = new Set(['', 'http', 'http2'])
const MOST_PORT = 65_535

const exposedFaults = ({ Expose }: ServiceProxy): string[] => {
  const paths = new Set<string>()
  const ports = new Set<number>()
  return (Expose.Paths ?? []).flatMap(({ Path = '', ListenerPort = 0, Protocol = '' }) => {
    const faults = faultsAmong(
      [Path === '', 'expose.paths: empty path exposed'],
      [paths.has(Path), `expose.paths: duplicate paths exposed: "${Path}"`],
      [ports.has(ListenerPort), `expose.paths: duplicate listener ports exposed: ${ListenerPort}`],
      [ListenerPort < 1 || ListenerPort > MOST_PORT, `expose.paths: invalid listener port: ${ListenerPort}`],
      [
        !EXPOSED_PROTOCOLS.has(Protocol.toLowerCase()),
        `protocol '${Protocol}' not supported for path: ${Path}, must be http or http2`
      ]
    )
    paths.add(Path)
    ports.add(ListenerPort)
    return faults
  })
}

const proxyFaults = ({ Proxy, Port, SocketPath, Connect }: ServiceInput): string[] => {
  const destination = Proxy.DestinationServiceName ?? ''
  return faultsAmong(
    [destination.trim() === '', 'Proxy.DestinationServiceName must be non-empty for Connect proxy services'],
    [destination === '*', 'Proxy.DestinationServiceName must not be a wildcard for Connect proxy services'],
    [Port === 0 && SocketPath === '', 'Port or SocketPath must be set for a Connect proxy'],
    [Connect.Native === true, 'A Proxy cannot also be Connect Native, only typical services']
  ).concat(upstreamFaults(Proxy.Upstreams ?? []), exposedFaults(Proxy))
}

const NOT_FOR_GATEWAYS: readonly (keyof ServiceProxy)[] = [
  'DestinationServiceName',
  'DestinationServiceID',
  'LocalServiceAddress',
  'LocalServicePort',
  'LocalServiceSocketPath'
]

const gatewayFaults = ({ Kind, Proxy, Port }: ServiceInput): string[] =>
  faultsAmong(
    [Port === 0 && Kind !== 'ingress-gateway', `Port must be non-zero for a ${Kind}`],
    ...NOT_FOR_GATEWAYS.map(
      field => [Boolean(Proxy[field]), `The Proxy.${field} configuration is invalid for a ${Kind}`] as const
    ),
    [(Proxy.Upstreams ?? []).length > 0, `The Proxy.Upstreams configuration is invalid for a ${Kind}`]
  )

const GATEWAYS: ReadonlySet<string> = new Set(['mesh-gateway', 'terminating-gateway', 'ingress-gateway'])

export const isGateway = ({ Kind }: ServiceInput): boolean => GATEWAYS.has(Kind)

const kindFaults = (input: ServiceInput): string[] => {
  if (input.Kind === 'connect-proxy') return proxyFaults(input)
  return isGateway(input) ? gatewayFaults(input) : []
}

/** Checks names, address and kind. The ID is already set from the name. @throws Refusal `invalid` that lists all faults of a proxy or gateway */
export const checkServiceInput = (input: ServiceInput): void => {
  if (input.Service === '')
    throw invalidService(
      input.ID === ''
        ? 'Must provide service name: field "Service" is empty'
        : 'Must provide service name with ID: field "Service" is empty'
    )
  if (ANY_ADDRESS.has(input.Address))
    throw invalidService(`Invalid service address: field "Address" is "${input.Address}"`)
  const faults = kindFaults(input)
  if (faults.length > 0)
    throw invalidService(
      `${faults.length} error${faults.length > 1 ? 's' : ''} occurred:\n${faults.map(fault => `\t* ${fault}\n`).join('')}`
    )
}
