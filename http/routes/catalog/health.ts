// Reads of health (spec: state.md §7).
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { checkFields, serviceHealthFields } from '../../../projections/catalog/fields.js'
import { checkObject, serviceObject } from '../../../projections/catalog/json.js'
import { catalogKeys } from '../../../projections/catalog/keys.js'
import type { CheckRow, ServiceRow } from '../../../projections/catalog/rows.js'
import { serviceKey } from '../../../projections/config/names.js'
import type { WatchName } from '../../../projections/watch.js'
import { answerRead, type Reading } from '../../wire/reads/blocking.js'
import type { ReadCache } from '../../wire/reads/cache.js'
import {
  arrayOf,
  cacheParts,
  catalogReading,
  hasMeta,
  hasTags,
  inOrder,
  listParameters,
  namespacesOf,
  nodeMetaOf,
  select,
  tagsOf
} from './reading.js'
import { catalogPast, gatewayPast } from './past.js'
import { CatalogScope } from './rights.js'
import { GatewayLinks } from './gateway-links.js'
import { byDistance } from '../../wire/reads/near.js'
import type { ApiRequest } from '../../wire/request.js'
import { anyToken, route, type Route } from '../../wire/route.js'
import { healthCheck, serviceHealth } from '../../schemas/catalog-answers.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

const facts = {
  tag: 'Health',
  method: 'GET',
  access: anyToken('what lacks node:read or service:read is left out'),
  blocking: true,
  consistency: 'all'
} as const
const plain = { ...facts, caching: 'none', response: Type.Array(healthCheck) } as const
const refreshed = {
  ...facts,
  caching: 'background refresh',
  response: Type.Array(serviceHealth)
} as const
const { filter, near } = listParameters
const INGRESS = 'ingress-gateway'

const param = (request: ApiRequest, what: string): string => {
  const name = request.param('name')
  if (name === '') throw invalid(`Missing ${what}`)
  return name
}

/** With all namespaces every check of a service shows its own (tenancy.md §8). */
const textOf = (row: CheckRow, namespace: string): string =>
  namespace === ALL_NAMESPACES && row.state.check.ServiceID !== ''
    ? JSON.stringify({ ...checkObject(row.state), Namespace: row.state.namespace })
    : row.json

const readChecks = (
  request: ApiRequest,
  all: readonly CheckRow[],
  watch: readonly WatchName[],
  indexes: readonly number[]
): Reading => {
  const { partition, namespace } = request.tenancy
  const meta = nodeMetaOf(request)
  const matching = meta.length === 0 ? all : all.filter(row => hasMeta(row.host.state.node.Meta, meta))
  const scope = new CatalogScope(request, partition)
  const { rows, isShortened } = select(
    request,
    matching,
    checkFields,
    row => checkObject(row.state),
    scope.check
  )
  const sorted = byDistance(request, rows, row => row.host.name)
  const body = arrayOf(sorted.map(row => textOf(row, namespace)))
  return catalogReading(request, body, Math.max(0, ...indexes), watch, { isShortened })
}

const TRUE: ReadonlySet<string> = new Set(['', '1', 't', 'T', 'true', 'TRUE', 'True'])
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

const wantsPassing = ({ query }: ApiRequest): boolean => {
  const given = query.get('passing')
  if (given === undefined || FALSE.has(given)) return false
  if (TRUE.has(given)) return true
  throw invalid(`Invalid value for ?passing: "${given}" is neither true nor false`)
}

const healthObject = (row: ServiceRow): object => ({
  Node: row.host.state.node,
  Service: serviceObject(row.state),
  Checks: row.allChecks.map(check => checkObject(check.state))
})

/** How instances are found: by name, through Connect, or as ingress gateways. */
type Group = 'name' | 'connect' | 'ingress'

interface Found {
  readonly rows: readonly ServiceRow[]
  readonly index: number
  readonly watch: readonly WatchName[]
}

/** The instances of the ingress gateways that a service is reached through. */
const gatewaysOf = ({ views, settings, tenancy }: ApiRequest, name: string): Found => {
  const { catalog, config } = views
  const links = new GatewayLinks(views, settings.datacenter)
  const gateways = links.exposing(name, tenancy)
  const rows = gateways.flatMap(
    gateway => catalog.space(gateway.tenancy).byName.get(gateway.name)?.rows ?? []
  )
  return {
    rows: rows.filter(row => row.state.service.Kind === INGRESS),
    index: Math.max(
      ...['*', name].map(one => config.indexOfMention(INGRESS, serviceKey(one, tenancy))),
      ...links.decidedBy.map(space => config.indexOf(space)),
      catalog.serviceIndex(tenancy, 'name', name),
      ...gateways.map(gateway => catalog.serviceIndex(gateway.tenancy, 'name', gateway.name))
    ),
    watch: [
      'config',
      // A gateway for every service is one for a service that comes to be.
      catalogKeys.service(tenancy, name),
      ...gateways.map(gateway => catalogKeys.service(gateway.tenancy, gateway.name))
    ]
  }
}

const instancesOf = (request: ApiRequest, by: Group, name: string): Found => {
  if (by === 'ingress') return gatewaysOf(request, name)
  const { catalog } = request.views
  const { tenancy } = request
  const space = catalog.space(tenancy)
  const isConnect = by === 'connect'
  return {
    rows: (isConnect ? space.byConnect : space.byName).get(name)?.rows ?? [],
    index: catalog.serviceIndex(tenancy, by, name),
    watch: [isConnect ? catalogKeys.connect(tenancy, name) : catalogKeys.service(tenancy, name)]
  }
}

const readInstances = (request: ApiRequest, by: Group, name: string): Reading => {
  const { tenancy, query } = request
  const scope = new CatalogScope(request, tenancy.partition)
  const meta = nodeMetaOf(request)
  const tags = tagsOf(request)
  const { rows: all, index, watch } = instancesOf(request, by, name)
  const matching =
    meta.length === 0 && tags.length === 0
      ? all
      : all.filter(row => hasTags(row, tags) && hasMeta(row.host.state.node.Meta, meta))
  const may = by !== 'connect' || scope.service(tenancy, name) ? scope.instance : () => false
  const { rows, isShortened } = select(request, matching, serviceHealthFields, healthObject, may)
  const isPassing = wantsPassing(request)
  const sorted = byDistance(
    request,
    isPassing ? rows.filter(row => row.isPassing) : rows,
    row => row.host.name
  )
  const isStreaming = by !== 'ingress' && (query.has('cached') || Number(query.get('index') ?? 0) > 0)
  return catalogReading(request, arrayOf(sorted.map(row => row.healthJson)), index, watch, {
    isShortened,
    ...(isStreaming ? { backend: 'streaming' } : {})
  })
}

const instances = (
  cache: ReadCache,
  by: Group,
  segment: string,
  operationId: string,
  summary: string
): Route =>
  route({
    ...refreshed,
    // The gateways of a service may be in other namespaces.
    ...(by === 'ingress' ? {} : { isConfined: true }),
    path: `/v1/health/${segment}/*name`,
    operationId,
    summary,
    past: by === 'ingress' ? gatewayPast : catalogPast,
    query: {
      ...listParameters,
      tag: 'A tag that the instance must have; may be repeated',
      passing: 'Only instances all of whose checks pass'
    },
    handle: request => {
      const name = param(request, 'service name')
      const parts = cacheParts(request, `health/${segment}`, name)
      return cache.refreshed(request, parts, () => readInstances(request, by, name))
    }
  })

export const healthRoutes = (cache: ReadCache): readonly Route[] => [
  route({
    ...plain,
    tenancy: 'many',
    path: '/v1/health/node/*name',
    operationId: 'listNodeChecks',
    summary: 'The checks on a node',
    past: catalogPast,
    query: { filter },
    handle: request => {
      const name = param(request, 'node name')
      return answerRead(request, () => {
        const { catalog } = request.views
        const { partition } = request.tenancy
        const namespaces = namespacesOf(request)
        const host = catalog.host(partition, name)
        const rows = [...(host?.checks.values() ?? [])].filter(row =>
          namespaces.includes(row.state.namespace)
        )
        const indexes = namespaces.map(namespace => catalog.space({ partition, namespace }).checksIndex)
        return readChecks(request, inOrder(rows), [catalogKeys.checksOfNode(partition, name)], indexes)
      })
    }
  }),
  route({
    ...plain,
    isConfined: true,
    path: '/v1/health/checks/*name',
    operationId: 'listServiceChecks',
    summary: 'The checks of a service',
    past: catalogPast,
    query: listParameters,
    handle: request => {
      const name = param(request, 'service name')
      return answerRead(request, () => {
        const { catalog } = request.views
        const { tenancy } = request
        const rows = inOrder(catalog.checksOfService(tenancy, name))
        const watch = [catalogKeys.checksOfService(tenancy, name)]
        return readChecks(request, rows, watch, [catalog.space(tenancy).checksIndex])
      })
    }
  }),
  instances(
    cache,
    'name',
    'service',
    'listServiceHealth',
    'The instances of a service with their nodes and checks'
  ),
  instances(
    cache,
    'connect',
    'connect',
    'listConnectHealth',
    'The same for what Connect reaches by this name'
  ),
  instances(cache, 'ingress', 'ingress', 'listIngressHealth', 'The ingress gateways of a service'),
  route({
    ...plain,
    tenancy: 'many',
    isConfined: true,
    path: '/v1/health/state/*name',
    operationId: 'listChecksInState',
    summary: 'The checks in a state, or in `any`',
    past: catalogPast,
    query: { near, filter, 'node-meta': listParameters['node-meta'] },
    handle: request => {
      const state = param(request, 'check state')
      return answerRead(request, () => {
        const { catalog } = request.views
        const { partition } = request.tenancy
        const spaces = namespacesOf(request).map(namespace => ({ partition, namespace }))
        const found = spaces.map(space =>
          state === 'any' ? catalog.checks(space) : inOrder(catalog.checksInState(space, state))
        )
        const rows = found.length === 1 ? (found[0] ?? []) : inOrder(found.flat())
        const indexes = spaces.map(space => catalog.space(space).checksIndex)
        return readChecks(request, rows, spaces.map(catalogKeys.checks), indexes)
      })
    }
  })
]
