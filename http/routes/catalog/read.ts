// Reads of the catalog (spec: state.md §6.1).
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import { nodeFields, serviceFields, serviceNodeFields } from '../../../projections/catalog/fields.js'
import { tagsByName } from '../../../projections/catalog/groups.js'
import { serviceObject } from '../../../projections/catalog/json.js'
import { catalogKeys } from '../../../projections/catalog/keys.js'
import { byKey, type Host, type ServiceRow } from '../../../projections/catalog/rows.js'
import { json } from '../../wire/answer.js'
import { answerRead, type Reading } from '../../wire/reads/blocking.js'
import type { WideArea } from '../../program/wide-area.js'
import type { ReadCache } from '../../wire/reads/cache.js'
import {
  arrayOf,
  cacheParts,
  catalogReading,
  hasMeta,
  hasTags,
  listParameters,
  namespacesOf,
  nodeMetaOf,
  select,
  tagsOf
} from './reading.js'
import { CatalogScope } from './rights.js'
import { byDistance } from '../../wire/reads/near.js'
import type { ApiRequest } from '../../wire/request.js'
import { anyToken, noToken, route, type Route } from '../../wire/route.js'
import {
  node,
  nodeServiceList,
  nodeServices,
  serviceNames,
  serviceNode
} from '../../schemas/catalog-answers.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'
import { catalogPast, nodeThing } from './past.js'

const facts = { tag: 'Catalog', method: 'GET', blocking: true, consistency: 'all', caching: 'none' } as const
const refreshed = { ...facts, caching: 'background refresh', isConfined: true } as const
const seesNodes = anyToken('what lacks node:read or service:read is left out')

const nameOf = (request: ApiRequest, what: 'service' | 'node'): string => {
  const name = request.param('name')
  if (name === '') throw invalid(`Missing ${what} name`)
  return name
}

const readNodes = (request: ApiRequest): Reading => {
  const { catalog } = request.views
  const { partition } = request.tenancy
  const meta = nodeMetaOf(request)
  const scope = new CatalogScope(request, partition)
  const all = catalog.hosts(partition).map(row => row.host)
  const matching = meta.length === 0 ? all : all.filter(host => hasMeta(host.state.node.Meta, meta))
  const { rows, isShortened } = select(
    request,
    matching,
    nodeFields,
    host => host.state.node,
    host => scope.node(host.name)
  )
  const body = arrayOf(byDistance(request, rows, host => host.name).map(host => host.json))
  return catalogReading(request, body, catalog.nodesIndex(partition), [catalogKeys.nodes(partition)], {
    isShortened
  })
}

const readServices = (request: ApiRequest): Reading => {
  const { catalog } = request.views
  const { tenancy } = request
  const { partition } = tenancy
  const meta = nodeMetaOf(request)
  const scope = new CatalogScope(request, partition)
  const space = catalog.space(tenancy)
  const names = new Map<string, readonly string[]>()
  let isShortened = false
  for (const key of space.byName.names()) {
    const group = space.byName.get(key)
    if (!group) continue
    const rows =
      meta.length === 0 ? undefined : group.rows.filter(row => hasMeta(row.host.state.node.Meta, meta))
    for (const [name, tags] of rows ? tagsByName(rows) : group.tags)
      if (scope.service(tenancy, name)) names.set(name, tags)
      else isShortened = true
  }
  const isByNodes = meta.length > 0
  const index = Math.max(space.servicesIndex, isByNodes ? catalog.nodesIndex(partition) : 0)
  const watch = [catalogKeys.services(tenancy), ...(isByNodes ? [catalogKeys.nodes(partition)] : [])]
  return catalogReading(request, JSON.stringify(Object.fromEntries(names)), index, watch, { isShortened })
}

/** The instances of a name, or what Connect reaches by it. */
const readInstances = (request: ApiRequest, by: 'name' | 'connect', name: string): Reading => {
  const { catalog } = request.views
  const { tenancy } = request
  const space = catalog.space(tenancy)
  const scope = new CatalogScope(request, tenancy.partition)
  const meta = nodeMetaOf(request)
  const tags = by === 'name' ? tagsOf(request) : []
  const all = (by === 'name' ? space.byName : space.byConnect).get(name)?.rows ?? []
  const matching =
    meta.length === 0 && tags.length === 0
      ? all
      : all.filter(row => hasTags(row, tags) && hasMeta(row.host.state.node.Meta, meta))
  const may = by === 'name' || scope.service(tenancy, name) ? scope.instance : () => false
  const { rows, isShortened } = select(request, matching, serviceNodeFields, row => row.flat(), may)
  const key = by === 'name' ? catalogKeys.service(tenancy, name) : catalogKeys.connect(tenancy, name)
  const body = arrayOf(byDistance(request, rows, row => row.host.name).map(row => row.flatJson))
  return catalogReading(request, body, catalog.serviceIndex(tenancy, by, name), [key], { isShortened })
}

/** By name, or by an ID or its beginning. */
const findHost = (request: ApiRequest, name: string): Host | undefined => {
  const { catalog } = request.views
  const { partition } = request.tenancy
  return catalog.host(partition, name) ?? catalog.hostByIdPrefix(partition, name)
}

/** The services on a node that a request means: of one namespace, or of all. */
const servicesOn = (host: Host, { namespace }: Tenancy): readonly ServiceRow[] => {
  const rows = byKey(host.services)
  return namespace === ALL_NAMESPACES ? rows : rows.filter(row => row.state.namespace === namespace)
}

/** With all namespaces every element shows its own (tenancy.md §8). */
const textOf = (row: ServiceRow, { namespace }: Tenancy): string =>
  namespace === ALL_NAMESPACES
    ? JSON.stringify({ ...serviceObject(row.state), Namespace: row.state.namespace })
    : row.json

const readNode = (
  request: ApiRequest,
  name: string,
  missing: string,
  body: (host: Host, rows: readonly ServiceRow[]) => string
): Reading => {
  const { catalog } = request.views
  const { tenancy } = request
  const { partition } = tenancy
  const host = findHost(request, name)
  const scope = new CatalogScope(request, partition)
  const watch = [catalogKeys.node(partition, host?.name ?? name)]
  const { rows, isShortened } = select(
    request,
    host ? servicesOn(host, tenancy) : [],
    serviceFields,
    row => serviceObject(row.state),
    row => scope.service(row.state, row.name)
  )
  if (!host) return catalogReading(request, missing, 0, watch)
  const services = namespacesOf(request).map(
    namespace => catalog.space({ partition, namespace }).servicesIndex
  )
  const index = Math.max(catalog.nodesIndex(partition), ...services)
  return scope.node(host.name)
    ? catalogReading(request, body(host, rows), index, watch, { isShortened })
    : catalogReading(request, missing, index, watch, { isShortened: true })
}

export const catalogReadRoutes = (cache: ReadCache, area: WideArea): readonly Route[] => [
  route({
    ...facts,
    access: noToken,
    blocking: false,
    consistency: 'none',
    tenancy: 'none',
    caching: 'simple',
    // Each server measures by itself.
    runs: 'here',
    path: '/v1/catalog/datacenters',
    operationId: 'listDatacenters',
    summary: 'The names of the datacenters that are known, nearest first',
    response: Type.Array(Type.String(), { examples: [['dc1']] }),
    handle: request => {
      const { settings, views } = request
      // Nobody's rights shape the list, so that the anonymous token's stand for everybody's.
      const rights = () => views.resolver.resolve(undefined, request.now)?.authorizer
      const names = () => json([settings.datacenter, ...area.others().map(({ name }) => name)])
      return cache.simple(request, ['catalog/datacenters'], names, rights)
    }
  }),
  route({
    ...facts,
    access: seesNodes,
    tenancy: 'partition',
    path: '/v1/catalog/nodes',
    operationId: 'listNodes',
    summary: 'List the nodes',
    past: catalogPast,
    query: listParameters,
    response: Type.Array(node),
    handle: request => answerRead(request, () => readNodes(request))
  }),
  route({
    ...refreshed,
    access: seesNodes,
    path: '/v1/catalog/services',
    operationId: 'listServices',
    summary: 'The names of the services with their tags',
    past: catalogPast,
    query: { 'node-meta': listParameters['node-meta'] },
    response: serviceNames,
    handle: request =>
      cache.refreshed(request, cacheParts(request, 'catalog/services'), () => readServices(request))
  }),
  route({
    ...refreshed,
    access: seesNodes,
    path: '/v1/catalog/service/*name',
    operationId: 'listServiceInstances',
    summary: 'The instances of a service',
    past: catalogPast,
    query: { ...listParameters, tag: 'A tag that the instance must have; may be repeated' },
    response: Type.Array(serviceNode),
    handle: request => {
      const name = nameOf(request, 'service')
      const parts = cacheParts(request, 'catalog/service', name)
      return cache.refreshed(request, parts, () => readInstances(request, 'name', name))
    }
  }),
  route({
    ...refreshed,
    access: seesNodes,
    path: '/v1/catalog/connect/*name',
    operationId: 'listConnectInstances',
    summary: 'The proxies and native instances through which Connect reaches a service',
    past: catalogPast,
    query: listParameters,
    response: Type.Array(serviceNode),
    handle: request => {
      const name = nameOf(request, 'service')
      const parts = cacheParts(request, 'catalog/connect', name)
      return cache.refreshed(request, parts, () => readInstances(request, 'connect', name))
    }
  }),
  route({
    ...facts,
    access: seesNodes,
    path: '/v1/catalog/node/*name',
    operationId: 'readNode',
    summary: 'A node with its services by ID',
    past: { thing: request => nodeThing(request, nameOf(request, 'node')), ...catalogPast },
    query: { filter: listParameters.filter },
    response: nodeServices,
    handle: request => {
      const name = nameOf(request, 'node')
      const body = (host: Host, rows: readonly ServiceRow[]): string => {
        const services = rows.map(row => `${JSON.stringify(row.state.service.ID)}:${row.json}`)
        return `{"Node":${host.json},"Services":{${services.join(',')}}}`
      }
      return answerRead(request, () => readNode(request, name, 'null', body))
    }
  }),
  route({
    ...facts,
    access: seesNodes,
    tenancy: 'many',
    path: '/v1/catalog/node-services/*name',
    operationId: 'listNodeServices',
    summary: 'A node with the list of its services',
    past: catalogPast,
    query: { filter: listParameters.filter },
    response: nodeServiceList,
    handle: request => {
      const name = nameOf(request, 'node')
      const body = (host: Host, rows: readonly ServiceRow[]): string =>
        `{"Node":${host.json},"Services":${arrayOf(rows.map(row => textOf(row, request.tenancy)))}}`
      return answerRead(request, () => readNode(request, name, '{"Node":null,"Services":null}', body))
    }
  })
]
