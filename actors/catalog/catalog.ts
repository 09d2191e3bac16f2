// The catalog as a whole: its commands change nodes, services and checks at once (spec: state.md §6.2, §6.3).
import type { Event, Tenancy } from '../../events/envelope.js'
import type { CheckInput } from '../../events/check.js'
import { NODE_TOPIC, type NodeInput } from '../../events/node.js'
import { ModelsOverlay } from '../../projections/models.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Effects } from '../aggregate.js'
import type { Command } from '../command.js'
import { type ActorRef, inPartition } from '../ref.js'
import { invalid } from '../refusal.js'
import { explainNotWritable } from '../tenancy.js'
import { ensureCheck, removeCheck } from './check.js'
import { checkNodeInput, ensureNode, nodeLifecycle, removeNode } from './node.js'
import type { ServiceInput } from '../../events/service.js'
import { checkServiceInput, ensureService, removeService } from './service.js'
import { CatalogChanges } from './catalog-changes.js'

// Commands

/** What comes with a check besides itself. */
interface RegisteredCheck {
  readonly input: CheckInput
  /** Namespace of its service; undefined for that of the command. */
  readonly namespace: string | undefined
}

/** Stores a node, and what else is given, in one commit. Services and checks that are not named stay. */
export type Register = Command<
  'Register',
  {
    readonly node: NodeInput
    /** An existing node is left as it is. */
    readonly skipNodeUpdate: boolean
    readonly service: ServiceInput | undefined
    /** Of the service, undefined for that of the command. */
    readonly serviceNamespace: string | undefined
    readonly checks: readonly RegisteredCheck[]
  }
>

/** Removes an instance, a check, or with neither the node; what is not there is no error. */
export type Deregister = Command<
  'Deregister',
  { readonly node: string; readonly serviceId: string; readonly checkId: string }
>

export type CatalogCommand = Register | Deregister

const effects: Effects<CatalogCommand> = {
  Register: 'change',
  Deregister: 'removal'
}

/** The namespace that a part of a command names, or that of the command. */
export const tenancyWith = (tenancy: Tenancy, namespace: string | undefined): Tenancy =>
  namespace ? { partition: tenancy.partition, namespace: namespace.toLowerCase() } : tenancy

// Decisions

const checkWritable = (views: Views, tenancy: Tenancy): void => {
  const why = explainNotWritable(tenancy, 'namespace', 'change', views)
  if (why) throw why
}

const checkRegistration = ({ data, tenancy }: Register, views: Views): void => {
  const { node, service, checks } = data
  checkNodeInput(node)
  if (node.Address === '' && !data.skipNodeUpdate)
    throw invalid('Must provide address: field "Address" is empty and SkipNodeUpdate is not set')
  if (node.Datacenter !== '' && node.Datacenter !== views.settings.datacenter)
    throw invalid(`No path to datacenter: field "Datacenter" is "${node.Datacenter}"`)
  if (service) {
    checkServiceInput(service)
    checkWritable(views, tenancyWith(tenancy, data.serviceNamespace))
  }
  for (const { input, namespace } of checks) {
    if (input.Node.toLowerCase() !== node.Node.toLowerCase())
      throw invalid(`Node name "${input.Node}" of check "${input.CheckID}" is not "${node.Node}"`)
    if (input.CheckID === '') throw invalid('Must provide CheckID or Name of a check')
    if (input.ServiceID !== '') checkWritable(views, tenancyWith(tenancy, namespace))
  }
}

const register = (unit: CatalogChanges, command: Register, views: Views): void => {
  checkRegistration(command, views)
  const { data, tenancy } = command
  const { partition } = tenancy
  const existing = unit.catalog.node(partition, data.node.Node)
  if (!existing || !data.skipNodeUpdate) ensureNode(unit, partition, data.node)
  const name = data.node.Node
  if (data.service) ensureService(unit, tenancyWith(tenancy, data.serviceNamespace), name, data.service)
  for (const { input, namespace } of data.checks)
    ensureCheck(unit, tenancyWith(tenancy, namespace ?? data.serviceNamespace), input)
}

const deregister = (unit: CatalogChanges, { data, tenancy }: Deregister): void => {
  const { node, serviceId, checkId } = data
  if (node === '') throw invalid('Must provide node: field "Node" is empty')
  if (serviceId !== '') {
    const service = unit.catalog.service(tenancy, node, serviceId)
    if (service) removeService(unit, service)
  } else if (checkId !== '') {
    const check =
      unit.catalog.check(tenancy, node, checkId) ??
      unit.catalog.check({ ...tenancy, namespace: 'default' }, node, checkId)
    if (check) removeCheck(unit, check)
  } else {
    const state = unit.catalog.node(tenancy.partition, node)
    if (state) removeNode(unit, state)
  }
}

/** @throws Refusal `invalid` */
const decideCatalog = (command: CatalogCommand, views: Views, index: number): readonly Event[] => {
  const { datacenter } = views.settings
  const unit = new CatalogChanges(new ModelsOverlay(views), { index, at: command.at, datacenter })
  if (command.name === 'Register') register(unit, command, views)
  else deregister(unit, command)
  return unit.events
}

export const catalogAggregate: Aggregate<CatalogCommand> = {
  lifecycle: nodeLifecycle,
  effects,
  decide: decideCatalog
}

/** A node as an actor. It is in a partition and in no namespace, whatever that of its services. */
export const nodeRef = (partition: string, name: string): ActorRef<typeof NODE_TOPIC> =>
  inPartition(NODE_TOPIC, partition, name.toLowerCase())
