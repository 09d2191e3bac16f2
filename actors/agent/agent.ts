// The agent: services and checks of the server's own node (spec: state.md §8).
import {
  type CheckDefinition,
  type CheckInput,
  checkInput,
  type CheckState,
  CRITICAL,
  NODE_MAINTENANCE
} from '../../events/check.js'
import { maskSecrets } from '../../events/check-secrets.js'
import type { Tenancy } from '../../events/envelope.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'
import type { Aggregate, Command } from '../aggregate.js'
import { ensureCheck, removeCheck } from '../catalog/check.js'
import type { ServiceInput } from '../../events/service.js'
import { checkServiceInput, ensureService, removeService } from '../catalog/service.js'
import { type CatalogChanges, decideCatalogBy } from '../catalog/catalog-changes.js'
import { type ActorRef, inCluster } from '../ref.js'
import { invalid, Refusal } from '../refusal.js'

export interface AgentCheck {
  readonly input: CheckInput
  readonly runner: CheckDefinition
}

export interface AgentService {
  readonly service: ServiceInput
  readonly checks: readonly AgentCheck[]
}

/** Stores services with their checks: one service, or one with its sidecar. Other checks stay. */
type RegisterAgentServices = Command<
  'RegisterAgentServices',
  {
    readonly node: string
    readonly services: readonly AgentService[]
    /** Deletes the other checks of these services. */
    readonly replaceChecks: boolean
  }
>
/** Deletes a service, its checks, and the sidecar registered with it. */
export type DeregisterAgentService = Command<
  'DeregisterAgentService',
  { readonly node: string; readonly id: string }
>
type RegisterAgentCheck = Command<'RegisterAgentCheck', AgentCheck>
type DeregisterAgentCheck = Command<'DeregisterAgentCheck', { readonly node: string; readonly id: string }>
export interface CheckReport {
  readonly status: string
  readonly output: string
}

/** A status report of a client or of the check itself. */
export type UpdateAgentCheck = Command<
  'UpdateAgentCheck',
  CheckReport & { readonly node: string; readonly id: string }
>
type SetMaintenance = Command<
  'SetMaintenance',
  {
    readonly node: string
    readonly service: string | undefined
    readonly isOn: boolean
    readonly reason: string
  }
>

export type AgentCommand =
  | RegisterAgentServices
  | DeregisterAgentService
  | RegisterAgentCheck
  | DeregisterAgentCheck
  | UpdateAgentCheck
  | SetMaintenance

const SERVICE_MAINTENANCE = '_service_maintenance:'
const NODE_REASON =
  'Maintenance mode is enabled for this node, but no reason was provided. This is a default message.'
const SERVICE_REASON =
  'Maintenance mode is enabled for this service, but no reason was provided. This is a default message.'
/** Limit of a check's output, bytes. */
const MAX_OUTPUT_BYTES = 4096

/** Returns as many whole characters of a text as fit into these bytes of UTF-8. */
const truncate = (text: string, bytes: number): string =>
  text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read)

export const sidecarId = (service: string): string => `${service}-sidecar-proxy`

export const findAgentCheck = (
  catalog: CatalogReader,
  tenancy: Tenancy,
  node: string,
  id: string
): CheckState | undefined => {
  const own = catalog.check(tenancy, node, id)
  if (own) return own
  const inDefault = catalog.check({ ...tenancy, namespace: 'default' }, node, id)
  return inDefault?.check.ServiceID === '' ? inDefault : undefined
}

const register = (unit: CatalogChanges, { data, tenancy }: RegisterAgentServices): void => {
  for (const { service, checks } of data.services) {
    checkServiceInput(service)
    ensureService(unit, tenancy, data.node, service, true)
    const named = new Set(checks.map(({ input }) => input.CheckID.toLowerCase()))
    if (data.replaceChecks)
      for (const check of unit.catalog.checksOf(tenancy, data.node, service.ID))
        if (!named.has(check.check.CheckID.toLowerCase())) removeCheck(unit, check)
    for (const { input, runner } of checks) ensureCheck(unit, tenancy, input, runner)
  }
}

const unknown = (what: 'service' | 'check', id: string): Refusal =>
  new Refusal('agent.not-found', `Unknown ${what} "${id}"`)

const deregister = (unit: CatalogChanges, tenancy: Tenancy, node: string, id: string): void => {
  const service = unit.catalog.service(tenancy, node, id)
  if (!service) throw unknown('service', id)
  removeService(unit, service)
  const sidecar = unit.catalog.service(tenancy, node, sidecarId(service.service.ID))
  if (sidecar?.agent && sidecar.service.Proxy.DestinationServiceID === service.service.ID)
    removeService(unit, sidecar)
}

const found = (unit: CatalogChanges, tenancy: Tenancy, node: string, id: string): CheckState => {
  const check = findAgentCheck(unit.catalog, tenancy, node, id)
  if (!check) throw unknown('check', id)
  return check
}

const maintenanceCheck = (node: string, service: string | undefined, reason: string): CheckInput =>
  checkInput({
    Node: node,
    CheckID: service === undefined ? NODE_MAINTENANCE : SERVICE_MAINTENANCE + service,
    Name: service === undefined ? 'Node Maintenance Mode' : 'Service Maintenance Mode',
    Status: CRITICAL,
    Notes: reason || (service === undefined ? NODE_REASON : SERVICE_REASON),
    ServiceID: service ?? '',
    Type: 'maintenance'
  })

const setMaintenance = (unit: CatalogChanges, { data, tenancy }: SetMaintenance): void => {
  const { node, service, isOn, reason } = data
  const stored = service === undefined ? undefined : unit.catalog.service(tenancy, node, service)
  if (service !== undefined && !stored) throw unknown('service', service)
  const input = maintenanceCheck(node, stored?.service.ID, reason)
  const existing = unit.catalog.check(
    service === undefined ? { ...tenancy, namespace: 'default' } : tenancy,
    node,
    input.CheckID
  )
  if (isOn && !existing) ensureCheck(unit, tenancy, input, {})
  else if (!isOn && existing) removeCheck(unit, existing)
}

/** @throws Refusal `invalid`; `missing` */
const apply = (unit: CatalogChanges, command: AgentCommand): void => {
  const { tenancy } = command
  switch (command.name) {
    case 'RegisterAgentServices':
      register(unit, command)
      break
    case 'DeregisterAgentService':
      deregister(unit, tenancy, command.data.node, command.data.id)
      break
    case 'RegisterAgentCheck': {
      const { input, runner } = command.data
      if (input.ServiceID !== '' && !unit.catalog.service(tenancy, input.Node, input.ServiceID))
        throw invalid('agent.invalid', `ServiceID "${input.ServiceID}" does not exist`)
      ensureCheck(unit, tenancy, input, runner)
      break
    }
    case 'DeregisterAgentCheck':
      removeCheck(unit, found(unit, tenancy, command.data.node, command.data.id))
      break
    case 'UpdateAgentCheck': {
      const { node, id, status, output } = command.data
      const { check, namespace, partition, runner } = found(unit, tenancy, node, id)
      // Masked before it is truncated, so that no truncate of a secret remains.
      const masked = maskSecrets(output, [check.Definition, runner ?? {}])
      const Output = truncate(masked, MAX_OUTPUT_BYTES)
      ensureCheck(unit, { partition, namespace }, { ...check, Status: status, Output }, runner)
      break
    }
    case 'SetMaintenance':
      setMaintenance(unit, command)
  }
}

export const agentAggregate: Aggregate<AgentCommand> = {
  removals: ['DeregisterAgentService', 'DeregisterAgentCheck'],
  decide: decideCatalogBy(apply)
}

export const agentRef = (node: string): ActorRef<'Agent'> => inCluster('Agent', node)
