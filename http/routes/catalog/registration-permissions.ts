// The permissions to read and write the catalog (spec: state.md §15, acl.md §11.6).
import { type Deregister, type Register, tenancyWith } from '../../../actors/catalog/catalog.js'
import { changesNode } from '../../../actors/catalog/node.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { CheckState } from '../../../events/check.js'
import type { CheckRow, ServiceRow } from '../../../projections/catalog/rows.js'
import { ANY_NAMESPACE, judgedNames, type Access } from '../../../projections/acl/authorizer.js'
import { nodeTenancy } from '../../../projections/tenancy-view.js'
import type { RequestContext } from '../../wire/request-context.js'

/**
 * The read permissions of one request on the catalog. A node alone requires the permission in any namespace of the partition, the node
 * of an instance in the instance's namespace (spec: tenancy.md §9.2).
 */
export class CatalogScope {
  readonly #nodes: Tenancy
  readonly #allNodes: boolean
  readonly #services = new Map<string, boolean>()

  constructor(
    private readonly request: RequestContext,
    partition: string
  ) {
    this.#nodes = { partition, namespace: ANY_NAMESPACE }
    const inDefault = { partition, namespace: 'default' }
    this.#allNodes = request.usage.credited.mayAll('node', 'read', inDefault)
  }

  node(name: string): boolean {
    return this.#allNodes || this.request.may('node', 'read', name, this.#nodes)
  }

  service(tenancy: Tenancy, name: string): boolean {
    const key = `${tenancy.namespace}/${name}`
    let sees = this.#services.get(key)
    if (sees === undefined) {
      sees = this.request.may('service', 'read', name, tenancy)
      this.#services.set(key, sees)
    }
    return sees
  }

  /** An instance also requires its node. */
  instance = ({ host, state, name }: ServiceRow): boolean =>
    this.service(state, name) && this.#nodeIn(state, host.name)

  check = ({ host, state }: CheckRow): boolean =>
    state.check.ServiceName === ''
      ? this.node(host.name)
      : this.service(state, state.check.ServiceName) && this.#nodeIn(state, host.name)

  /** Returns true if the caller may write a check, and so read the secrets of its definition. */
  writes = ({ state }: CheckRow): boolean => mayWriteCheck(this.request, state)

  #nodeIn(tenancy: Tenancy, name: string): boolean {
    return tenancy.namespace === 'default' && this.#allNodes
      ? true
      : this.request.may('node', 'read', name, tenancy)
  }
}

const nodeNames = ({ views }: RequestContext, partition: string, name: string): ReadonlySet<string> =>
  judgedNames(name, views.catalog.node(partition, name)?.node.Node)

/** @throws Refusal `denied` without the permission on the requested and on the stored name of a node */
export const requireOnNode = (
  request: RequestContext,
  resource: 'node' | 'session',
  access: Access,
  name: string,
  tenancy: Tenancy
): void => {
  for (const one of nodeNames(request, tenancy.partition, name))
    request.require(resource, access, one, tenancy)
}

/** @throws Refusal `denied` */
export const requireRegister = (request: RequestContext, { data, tenancy }: Register): void => {
  const { catalog, settings } = request.views
  const { partition } = tenancy
  const { node, service } = data
  const nodes = nodeTenancy(tenancy)
  const existing = catalog.node(partition, node.Node)
  const input = { ...node, Datacenter: node.Datacenter || settings.datacenter }
  if (!existing || (!data.skipNodeUpdate && changesNode(existing, input)))
    requireOnNode(request, 'node', 'write', node.Node, nodes)
  const renamed = node.ID === '' ? undefined : catalog.nodeById(node.ID)
  if (renamed && renamed !== existing) request.require('node', 'write', renamed.node.Node, nodes)
  if (service) {
    const own = tenancyWith(tenancy, data.serviceNamespace)
    request.require('service', 'write', service.Service, own)
    const before = catalog.service(own, node.Node, service.ID)
    if (before) request.require('service', 'write', before.service.Service, own)
  }
  for (const { input: check, namespace } of data.checks) {
    const own = tenancyWith(tenancy, namespace ?? data.serviceNamespace)
    const before = catalog.check(check.ServiceID === '' ? nodes : own, node.Node, check.CheckID)
    if (before) requireCheck(request, before)
    if (check.ServiceID === '') requireOnNode(request, 'node', 'write', node.Node, nodes)
    else if (service?.ID.toLowerCase() !== check.ServiceID.toLowerCase()) {
      const other = catalog.service(own, node.Node, check.ServiceID)
      if (!other)
        throw new Refusal(
          'catalog.invalid',
          `Unknown service '${check.ServiceID}' for check '${check.CheckID}'`
        )
      request.require('service', 'write', other.service.Service, own)
    }
  }
}

/** Returns the permission to write a stored check. */
const checkPermission = (state: CheckState): readonly ['node' | 'service', 'write', string, Tenancy] =>
  state.check.ServiceID === ''
    ? ['node', 'write', state.check.Node, nodeTenancy(state)]
    : ['service', 'write', state.check.ServiceName, state]

const mayWriteCheck = (request: RequestContext, state: CheckState): boolean =>
  request.may(...checkPermission(state))

/** @throws Refusal `denied` */
export const requireCheck = (request: RequestContext, state: CheckState): void => {
  const [resource, access, name, tenancy] = checkPermission(state)
  if (resource === 'node') requireOnNode(request, resource, access, name, tenancy)
  else request.require(resource, access, name, tenancy)
}

/** @throws Refusal `denied`, or `missing` for an unknown service or check without write permission on the node */
export const requireDeregister = (
  request: RequestContext,
  { node, serviceId, checkId }: Deregister['data']
): void => {
  const { catalog } = request.views
  const { tenancy } = request
  const nodes = nodeTenancy(tenancy)
  const mayWriteNode = (name: string): boolean => request.may('node', 'write', name, nodes)
  if ([...nodeNames(request, tenancy.partition, node)].every(mayWriteNode)) return
  if (serviceId !== '') {
    const service = catalog.service(tenancy, node, serviceId)
    if (!service) throw new Refusal('catalog.not-found', `Unknown service '${serviceId}'`)
    request.require('service', 'write', service.service.Service)
  } else if (checkId !== '') {
    const check = catalog.check(tenancy, node, checkId) ?? catalog.check(nodes, node, checkId)
    if (!check) throw new Refusal('catalog.not-found', `Unknown check '${checkId}'`)
    requireCheck(request, check)
  } else requireOnNode(request, 'node', 'write', node, nodes)
}
