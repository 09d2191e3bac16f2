// The catalog: its commands change nodes, services and checks together (spec: state.md §6.2, §6.3).
import type { Tenancy } from '../../events/envelope.js'
import type { CheckInput } from '../../events/check.js'
import { NODE_TOPIC, type NodeInput } from '../../events/node.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Command } from '../aggregate.js'
import { type ActorRef, inPartition } from '../ref.js'
import { invalid } from '../refusal.js'
import { explainNotWritable } from '../tenancy.js'
import { ensureCheck, removeCheck } from './check.js'
import { checkNodeInput, ensureNode, nodeLifecycle, removeNode } from './node.js'
import type { ServiceInput } from '../../events/service.js'
import { checkServiceInput, ensureService, removeService } from './service.js'
import { type CatalogChanges, decideCatalogBy } from './catalog-changes.js'

interface RegisteredCheck {
  readonly input: CheckInput
  /** Namespace of its service; undefined for that of the command. */
  readonly namespace: string | undefined
}

/** Stores a node, and optionally a service and checks, in one commit. Other services and checks stay. */
export type Register = Command<
  'Register',
  {
    readonly node: NodeInput
    /** Leaves an existing node unchanged. */
    readonly skipNodeUpdate: boolean
    readonly service: ServiceInput | undefined
    /** Namespace of the service; undefined for that of the command. */
    readonly serviceNamespace: string | undefined
    readonly checks: readonly RegisteredCheck[]
  }
>

/** Deletes an instance, a check, or with neither the node; a missing one is no error. */
export type Deregister = Command<
  'Deregister',
  { readonly node: string; readonly serviceId: string; readonly checkId: string }
>

export type CatalogCommand = Register | Deregister

/** Returns the tenancy of a part of a command, by default that of the command. */
export const tenancyWith = (tenancy: Tenancy, namespace: string | undefined): Tenancy =>
  namespace ? { partition: tenancy.partition, namespace: namespace.toLowerCase() } : tenancy

const checkWritable = (views: Views, tenancy: Tenancy): void => {
  const refusal = explainNotWritable(tenancy, 'namespace', 'change', views)
  if (refusal) throw refusal
}

const checkRegistration = ({ data, tenancy }: Register, views: Views): void => {
  const { node, service, checks } = data
  checkNodeInput(node)
  if (node.Address === '' && !data.skipNodeUpdate)
    throw invalid(
      'catalog.invalid',
      'Must provide address: field "Address" is empty and SkipNodeUpdate is not set'
    )
  if (node.Datacenter !== '' && node.Datacenter !== views.settings.datacenter)
    throw invalid('datacenter.unknown', `No path to datacenter: field "Datacenter" is "${node.Datacenter}"`)
  if (service) {
    checkServiceInput(service)
    checkWritable(views, tenancyWith(tenancy, data.serviceNamespace))
  }
  for (const { input, namespace } of checks) {
    if (input.Node.toLowerCase() !== node.Node.toLowerCase())
      throw invalid(
        'catalog.invalid',
        `Node name "${input.Node}" of check "${input.CheckID}" is not "${node.Node}"`
      )
    if (input.CheckID === '') throw invalid('catalog.invalid', 'Must provide CheckID or Name of a check')
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
  if (node === '') throw invalid('catalog.invalid', 'Must provide node: field "Node" is empty')
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

export const catalogAggregate: Aggregate<CatalogCommand> = {
  lifecycle: nodeLifecycle,
  removals: ['Deregister'],
  decide: decideCatalogBy<CatalogCommand>((unit, command, views) => {
    if (command.name === 'Register') register(unit, command, views)
    else deregister(unit, command)
  })
}

/** Returns the actor of a node, which belongs to a partition and to no namespace. */
export const nodeRef = (partition: string, name: string): ActorRef<typeof NODE_TOPIC> =>
  inPartition(NODE_TOPIC, partition, name.toLowerCase())
