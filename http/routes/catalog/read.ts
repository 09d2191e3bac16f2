// Reads of the catalog (spec: state.md §6.1).
import * as Type from 'typebox'
import { nodeFields, serviceNodeFields } from '../../../projections/catalog/json.js'
import { tagsInSteps, type NamedInstances } from '../../../projections/catalog/services-by-namespace.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import type { ServiceRow } from '../../../projections/catalog/rows.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { json, jsonText, type RouteResponse } from '../../wire/response.js'
import { respondToRead, type ListState, type ReadState } from '../../wire/reads/blocking.js'
import type { DatacenterList } from './datacenter-list.js'
import type { SerializedLists, ReadCache } from '../../wire/reads/serialized-lists.js'
import {
  cacheParts,
  catalogHeaders,
  catalogList,
  hasMeta,
  instanceTest,
  listParameters,
  nameIn,
  nodeMetaOf,
  select,
  tagsOf
} from './reading.js'
import { readNode, serviceText } from './node-services.js'
import { CatalogScope } from './registration-permissions.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { readableSteps } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, noToken, route, type Route } from '../../wire/route.js'
import {
  node,
  nodeServiceList,
  nodeServices,
  serviceNames,
  serviceNode
} from '../../schemas/catalog-responses.js'
import { catalogHistory, nodeKeyOf } from './catalog-history.js'

const facts = { tag: 'Catalog', method: 'GET', blocking: true, consistency: 'all' } as const
const refreshed = { ...facts, caching: 'background refresh', isConfined: true } as const
const seesNodes = anyToken('what lacks node:read or service:read is left out')

const readNodes = (request: RequestContext, lists: SerializedLists): ReadState | ListState => {
  const { catalog } = request.views
  const { partition } = request.tenancy
  const meta = nodeMetaOf(request)
  const scope = new CatalogScope(request, partition)
  const selectRows = () =>
    select(request, {
      all: () => catalog.nodes.inOrder(partition),
      parts: [{ name: '', behind: after => catalog.nodes.behind(partition, after) }],
      keyOf: row => row.name,
      matches: meta.length === 0 ? undefined : ({ state }) => hasMeta(state.node.Meta, meta),
      fields: nodeFields,
      object: ({ state }) => state.node,
      may: ({ host }) => scope.node(host.name),
      nodeOf: ({ host }) => host.name
    })
  const watch = [catalogKeys.nodes(partition)]
  const index = catalog.nodes.indexOf(partition)
  const cached = { lists, rows: catalog.nodes, form: `nodes ${partition}` }
  return catalogList(request, { select: selectRows, text: row => row.json, index, watch, cached })
}

type Named = readonly [name: string, tags: readonly string[]]

const namedKey = ([name]: Named): string => `${name.toLowerCase()}\0${name}`

type NodeMeta = ReturnType<typeof nodeMetaOf>
const NO_TAGS: NamedInstances['tags'] = new Map()

/** Computes the tags of groups, with metadata of nodes those of the instances there. */
function* prepareTags(
  groups: Iterable<NamedInstances>,
  meta: NodeMeta,
  onNodes: Map<NamedInstances, NamedInstances['tags']>
): Steps<void> {
  const pace = new StepPace()
  for (const group of groups) {
    if (meta.length === 0) yield* group.prepareTags()
    else {
      const tags = yield* tagsInSteps(rowsWithMeta(group.rows, meta))
      if (tags.size > 0) onNodes.set(group, tags)
    }
    if (pace.isOver()) yield
  }
}

function* rowsWithMeta(rows: Iterable<ServiceRow>, meta: NodeMeta): Iterable<ServiceRow> {
  for (const row of rows) if (hasMeta(row.node.state.node.Meta, meta)) yield row
}

/** Yields the services after a key, or all. */
function* namedGroups(
  groups: Iterable<NamedInstances>,
  tagsOfGroup: (group: NamedInstances) => NamedInstances['tags'],
  after?: string
): Iterable<Named> {
  for (const group of groups)
    for (const one of tagsOfGroup(group)) if (after === undefined || namedKey(one) > after) yield one
}

const readServices = (request: RequestContext, lists: SerializedLists): ListState => {
  const { catalog, generation } = request.views
  const { tenancy } = request
  const { partition } = tenancy
  const meta = nodeMetaOf(request)
  const scope = new CatalogScope(request, partition)
  const space = catalog.space(tenancy)
  const isByNodes = meta.length > 0
  const onNodes = new Map<NamedInstances, NamedInstances['tags']>()
  const prepared = prepareTags(space.byName.from(), meta, onNodes)
  const tagsOfGroup = (group: NamedInstances): NamedInstances['tags'] =>
    isByNodes ? (onNodes.get(group) ?? NO_TAGS) : group.tags
  const found = readableSteps(request, {
    parts: [
      {
        name: '',
        behind: after => namedGroups(space.byName.from(after?.split('\0')[0]), tagsOfGroup, after)
      }
    ],
    keyOf: namedKey,
    may: ([name]) => scope.service(tenancy, name)
  })
  const index = Math.max(space.servicesIndex, isByNodes ? catalog.nodes.indexOf(partition) : 0)
  const watch = [catalogKeys.services(tenancy), ...(isByNodes ? [catalogKeys.nodes(partition)] : [])]
  const identity = { rows: space, form: 'services', index, generation }
  const known = lists.find(request, identity)
  const steps = function* (): Steps<RouteResponse> {
    if (known) return jsonText(known.body, catalogHeaders(request, known))
    yield* prepared
    const { entries, isLeftOut, headers } = yield* found
    const members = new JsonList('object')
    const pace = new StepPace()
    for (const [name, tags] of entries) {
      members.push(`${JSON.stringify(name)}:${JSON.stringify(tags)}`)
      if (pace.isOver()) yield
    }
    const body = members.end()
    lists.keep(request, identity, { body, isShortened: isLeftOut })
    return jsonText(body, catalogHeaders(request, { headers }))
  }
  return { index, watch, steps: steps() }
}

const readInstances = (
  request: RequestContext,
  by: 'name' | 'connect',
  name: string,
  lists: SerializedLists
): ReadState | ListState => {
  const { catalog } = request.views
  const { tenancy } = request
  const space = catalog.space(tenancy)
  const scope = new CatalogScope(request, tenancy.partition)
  const meta = nodeMetaOf(request)
  const tags = by === 'name' ? tagsOf(request) : []
  const group = (by === 'name' ? space.byName : space.byConnect).get(name)
  const selectRows = () =>
    select(request, {
      parts: [{ name: '', behind: after => group?.after(after) ?? [] }],
      keyOf: row => row.order,
      matches: instanceTest(tags, meta),
      fields: serviceNodeFields,
      object: row => row.flat(),
      may: by === 'name' || scope.service(tenancy, name) ? scope.instance : () => false,
      nodeOf: row => row.host.name
    })
  const key = by === 'name' ? catalogKeys.service(tenancy, name) : catalogKeys.connect(tenancy, name)
  return catalogList(request, {
    select: selectRows,
    text: row => row.flatJson,
    index: catalog.serviceIndex(tenancy, by, name),
    watch: [key],
    cached: group && { lists, rows: group, form: `instances ${name}` }
  })
}

const datacenterListRoute = (cache: ReadCache, area: DatacenterList): Route =>
  route({
    ...facts,
    access: noToken,
    tenancy: 'none',
    blocking: false,
    consistency: 'none',
    caching: 'simple',
    // Each server measures by itself.
    runs: 'here',
    path: '/v1/catalog/datacenters',
    operationId: 'listDatacenters',
    summary: 'The names of the datacenters that are known, nearest first',
    response: Type.Array(Type.String(), { examples: [['dc1']] }),
    handle: request => {
      const { settings, views } = request
      // The list does not depend on permissions, so the anonymous token's cache entry serves all callers.
      const rights = () => views.resolver.resolve(undefined, request.now)?.authorizer
      const names = () => json([settings.datacenter, ...area.others().map(({ name }) => name)])
      return cache.simple(request, ['catalog/datacenters'], names, rights)
    }
  })

const nodeRoute: Route = route({
  ...facts,
  access: seesNodes,
  path: '/v1/catalog/node/*name',
  operationId: 'readNode',
  isPaged: true,
  summary: 'A node with its services by ID',
  past: { resource: request => nodeKeyOf(request, nameIn(request, 'node name')), ...catalogHistory },
  query: { filter: listParameters.filter },
  response: nodeServices,
  handle: request => {
    const name = nameIn(request, 'node name')
    const text = (row: ServiceRow): string => `${JSON.stringify(row.state.service.ID)}:${row.json}`
    return respondToRead(request, () =>
      readNode(request, name, { missing: 'null', services: 'object', text })
    )
  }
})

const nodeServicesRoute: Route = route({
  ...facts,
  access: seesNodes,
  tenancy: 'many',
  path: '/v1/catalog/node-services/*name',
  operationId: 'listNodeServices',
  isPaged: true,
  summary: 'A node with the list of its services',
  past: catalogHistory,
  query: { filter: listParameters.filter },
  response: nodeServiceList,
  handle: request => {
    const name = nameIn(request, 'node name')
    const missing = '{"Node":null,"Services":null}'
    const text = (row: ServiceRow): string => serviceText(row, request.tenancy)
    return respondToRead(request, () => readNode(request, name, { missing, services: 'array', text }))
  }
})

export const catalogReadRoutes = (
  cache: ReadCache,
  area: DatacenterList,
  lists: SerializedLists
): readonly Route[] => [
  datacenterListRoute(cache, area),
  route({
    ...facts,
    access: seesNodes,
    tenancy: 'partition',
    path: '/v1/catalog/nodes',
    operationId: 'listNodes',
    isPaged: true,
    summary: 'List the nodes',
    past: catalogHistory,
    query: listParameters,
    response: Type.Array(node),
    handle: request => respondToRead(request, () => readNodes(request, lists))
  }),
  route({
    ...refreshed,
    access: seesNodes,
    path: '/v1/catalog/services',
    operationId: 'listServices',
    isPaged: true,
    summary: 'The names of the services with their tags',
    past: catalogHistory,
    query: { 'node-meta': listParameters['node-meta'] },
    response: serviceNames,
    handle: request =>
      cache.refreshed(request, cacheParts(request, 'catalog/services'), () => readServices(request, lists))
  }),
  route({
    ...refreshed,
    access: seesNodes,
    path: '/v1/catalog/service/*name',
    operationId: 'listServiceInstances',
    isPaged: true,
    summary: 'The instances of a service',
    past: catalogHistory,
    query: { ...listParameters, tag: 'A tag that the instance must have; may be repeated' },
    response: Type.Array(serviceNode),
    handle: request => {
      const name = nameIn(request, 'service name')
      const parts = cacheParts(request, 'catalog/service', name)
      return cache.refreshed(request, parts, () => readInstances(request, 'name', name, lists))
    }
  }),
  route({
    ...refreshed,
    access: seesNodes,
    path: '/v1/catalog/connect/*name',
    operationId: 'listConnectInstances',
    isPaged: true,
    summary: 'The proxies and native instances through which Connect reaches a service',
    past: catalogHistory,
    query: listParameters,
    response: Type.Array(serviceNode),
    handle: request => {
      const name = nameIn(request, 'service name')
      const parts = cacheParts(request, 'catalog/connect', name)
      return cache.refreshed(request, parts, () => readInstances(request, 'connect', name, lists))
    }
  }),
  nodeRoute,
  nodeServicesRoute
]
