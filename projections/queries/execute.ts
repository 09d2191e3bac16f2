// Executes a rendered query: instances here, else in other datacenters (spec: queries.md §6).
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { QueryService } from '../../events/prepared-query.js'
import type { Authorizer } from '../acl/authorizer.js'
import { failOver, failoverOrder, type Datacenters } from './failover.js'
import type { Instance, Instances } from './instance.js'
import { limited, nearFirst, shuffle, type Near } from './order.js'
import { selectInstances, tenancyOf } from './select.js'

/** What an execution found. */
export interface Executed {
  readonly instances: readonly Instance[]
  /** The datacenter that answered last. */
  readonly datacenter: string
  /** Number of other datacenters asked. */
  readonly failovers: number
}

/** What an execution needs besides the query. */
export interface Execution {
  readonly source: Instances
  readonly datacenter: string
  readonly datacenters: Datacenters
  readonly authorizer: Authorizer
  /** Secret to use in other datacenters. */
  readonly secret: string | undefined
  /** Numbers from 0 to below 1. */
  readonly random: () => number
  /** Node to sort by the distance from; undefined for none. */
  readonly near: Near | undefined
  readonly limit: number
  readonly connect: boolean
}

/** Where the rules for nodes of a partition stand. */
export const nodeTenancy = ({ partition }: Tenancy): Tenancy => ({
  partition,
  namespace: DEFAULT_TENANCY.namespace
})

/** An instance may be seen with read on its service and on its node. */
export const maySee =
  (authorizer: Authorizer) =>
  ({ tenancy, node, service }: Instance): boolean =>
    authorizer.may('service', 'read', service.Service, tenancy) &&
    authorizer.may('node', 'read', node.Node, nodeTenancy(tenancy))

const inOrder = (instances: Instance[], { random, near, limit }: Execution): readonly Instance[] => {
  const shuffled = shuffle(instances, random)
  return limited(near ? nearFirst(shuffled, near) : shuffled, limit)
}

/** Answers at once, unless other datacenters are to be asked. */
export const execute = (service: QueryService, execution: Execution): Executed | Promise<Executed> => {
  const { source, datacenter, datacenters, authorizer, connect, limit, secret } = execution
  const here = selectInstances(source, service, connect).filter(maySee(authorizer))
  if (here.length > 0) return { instances: inOrder(here, execution), datacenter, failovers: 0 }
  const order = failoverOrder(service, datacenters.nearest())
  if (order.length === 0) return { instances: [], datacenter, failovers: 0 }
  return failOver(order, datacenters, { service, connect, limit, secret }).then(found => ({
    instances: found.instances,
    datacenter: found.datacenter ?? datacenter,
    failovers: found.failovers
  }))
}

/** The answer of an execution (spec: queries.md §6.2, decisions.md 7). */
export const executedJson = (service: QueryService, ttl: string, executed: Executed): string => {
  const { instances, datacenter, failovers } = executed
  const tail = `,"DNS":{"TTL":${JSON.stringify(ttl)}},"Datacenter":${JSON.stringify(datacenter)},"Failovers":${failovers}}`
  const { namespace } = tenancyOf(service)
  const shown = namespace === 'default' ? '' : `,"Namespace":${JSON.stringify(namespace)}`
  let nodes = ''
  for (const instance of instances) nodes += (nodes === '' ? '' : ',') + instance.json + tail
  return `{"Service":${JSON.stringify(service.Service)}${shown},"Nodes":[${nodes}]${tail}`
}
