// Reads of health (spec: state.md §7).
import * as Type from 'typebox'
import { checkFields, checkObject } from '../../../projections/catalog/json.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import type { CheckRow, Host } from '../../../projections/catalog/rows.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { Views } from '../../../projections/read-models.js'
import type { WatchName } from '../../../projections/watch.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { respondToRead, type ListState, type ReadState } from '../../wire/reads/blocking.js'
import type { SerializedLists, ReadCache } from '../../wire/reads/serialized-lists.js'
import {
  cacheParts,
  catalogList,
  hasMeta,
  listParameters,
  nameIn,
  namespacesOf,
  nodeMetaOf,
  select
} from './reading.js'
import { catalogHistory, gatewayHistory } from './catalog-history.js'
import { CatalogScope } from './registration-permissions.js'
import { readInstanceHealth, type InstanceGroup } from './instance-health.js'
import { unorderedPart, type PagePart } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, route, type Route } from '../../wire/route.js'
import { healthCheck, serviceHealth } from '../../schemas/catalog-responses.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

const facts = {
  tag: 'Health',
  method: 'GET',
  access: anyToken(
    'what lacks node:read or service:read is left out; secrets of checks need service:write, or node:write'
  ),
  blocking: true,
  consistency: 'all'
} as const
const plain = { ...facts, response: Type.Array(healthCheck) } as const
const refreshed = {
  ...facts,
  caching: 'background refresh',
  response: Type.Array(serviceHealth)
} as const
const { filter, near } = listParameters

/** With `ns=*` each check of a service includes its namespace (tenancy.md §8). */
const textOf = (row: CheckRow, namespace: string, scope: CatalogScope): string =>
  namespace === ALL_NAMESPACES && row.state.check.ServiceID !== ''
    ? JSON.stringify({
        ...checkObject(row.state, { showsSecrets: scope.writes(row) }),
        Namespace: row.state.namespace
      })
    : row.jsonFor(scope.writes)

interface Checks {
  /** Default: those of the parts. */
  readonly all?: () => Iterable<CheckRow>
  /** Checks in no order are sorted by node, then ID. */
  readonly sortsBy?: (row: CheckRow) => string
  readonly parts: readonly PagePart<CheckRow>[]
  /** Default: all of them belong to the list. */
  readonly matches?: ((row: CheckRow) => boolean) | undefined
}

const orderOf = (row: CheckRow): string => row.order

/** Adds the nodes with the metadata in the present state. */
const findNodes = (
  { views, tenancy }: RequestContext,
  meta: ReturnType<typeof nodeMetaOf>,
  into: Set<Host>
): Steps<void> => {
  const rows = views.catalog.nodes.inOrder(tenancy.partition)
  const steps = function* (): Steps<void> {
    const pace = new StepPace()
    for (const { host, state } of rows) {
      if (hasMeta(state.node.Meta, meta)) into.add(host)
      if (pace.isOver()) yield
    }
  }
  return steps()
}

const readChecks = (
  request: RequestContext,
  checks: Checks,
  watch: readonly WatchName[],
  indexes: readonly number[]
): ReadState | ListState => {
  const { partition, namespace } = request.tenancy
  const meta = nodeMetaOf(request)
  const hosts = new Set<Host>()
  const nodes = meta.length > 0 ? findNodes(request, meta, hosts) : undefined
  const scope = new CatalogScope(request, partition)
  const selected = select(request, {
    ...checks,
    keyOf: orderOf,
    matches: nodes ? row => hosts.has(row.host) && (checks.matches?.(row) ?? true) : checks.matches,
    fields: checkFields,
    object: row => checkObject(row.state),
    may: scope.check,
    nodeOf: row => row.host.name
  })
  const steps = function* () {
    if (nodes) yield* nodes
    return yield* selected
  }
  const text = (row: CheckRow): string => textOf(row, namespace, scope)
  return catalogList(request, { select: steps, text, index: Math.max(0, ...indexes), watch })
}

/** More checks of a state are not sorted, but found in the order of all checks. */
const MOST_SORTED = 2000

/** Returns the checks of a namespace in a state, or in `any`. */
const checksInState = ({ catalog }: Views, space: Tenancy, state: string, name: string): Checks => {
  const behind = (after?: string): Iterable<CheckRow> => catalog.checksBehind(space, after)
  const all = { parts: [{ name, behind }] }
  if (state === 'any') return all
  const rows = catalog.checksInState(space, state)
  if (rows.size <= MOST_SORTED) return unordered([...rows], name)
  return { ...all, matches: isInState(state) }
}

const isInState = (state: string): ((row: CheckRow) => boolean) => {
  const status = state.toLowerCase()
  return row => row.state.check.Status.toLowerCase() === status
}

const unordered = (rows: readonly CheckRow[], name = ''): Checks => ({
  sortsBy: orderOf,
  parts: [unorderedPart(rows, name)]
})

const instances = (
  cache: ReadCache,
  lists: SerializedLists,
  by: InstanceGroup,
  segment: string,
  operationId: string,
  summary: string
): Route =>
  route({
    ...refreshed,
    // The gateways of a service may be in other namespaces.
    ...(by === 'ingress' ? {} : { isConfined: true }),
    isPaged: true,
    path: `/v1/health/${segment}/*name`,
    operationId,
    summary,
    past: by === 'ingress' ? gatewayHistory : catalogHistory,
    query: {
      ...listParameters,
      tag: 'A tag that the instance must have; may be repeated',
      passing: 'Only instances all of whose checks pass'
    },
    handle: request => {
      const name = nameIn(request, 'service name')
      const parts = cacheParts(request, `health/${segment}`, name)
      return cache.refreshed(request, parts, () => readInstanceHealth(request, by, name, lists))
    }
  })

const nodeChecksRoute: Route = route({
  ...plain,
  tenancy: 'many',
  isPaged: true,
  path: '/v1/health/node/*name',
  operationId: 'listNodeChecks',
  summary: 'The checks on a node',
  past: catalogHistory,
  query: { filter },
  handle: request => {
    const name = nameIn(request, 'node name')
    return respondToRead(request, () => {
      const { catalog } = request.views
      const { partition } = request.tenancy
      const namespaces = namespacesOf(request)
      const host = catalog.host(partition, name)
      const checks = [...(host?.checks.values() ?? [])]
      const rows = checks.filter(row => namespaces.includes(row.state.namespace))
      const parts = namespaces.map(one =>
        unorderedPart(
          rows.filter(row => row.state.namespace === one),
          request.tenancy.namespace === ALL_NAMESPACES ? one : ''
        )
      )
      const indexes = namespaces.map(namespace => catalog.space({ partition, namespace }).checksIndex)
      return readChecks(
        request,
        { all: () => rows, sortsBy: orderOf, parts },
        [catalogKeys.checksOfNode(partition, name)],
        indexes
      )
    })
  }
})

const checksInStateRoute: Route = route({
  ...plain,
  tenancy: 'many',
  isConfined: true,
  isPaged: true,
  path: '/v1/health/state/*name',
  operationId: 'listChecksInState',
  summary: 'The checks in a state, or in `any`',
  past: catalogHistory,
  query: { near, filter, 'node-meta': listParameters['node-meta'] },
  handle: request => {
    const state = nameIn(request, 'check state')
    return respondToRead(request, () => {
      const { views, tenancy } = request
      const { catalog } = views
      const { partition, namespace } = tenancy
      const spaces = namespacesOf(request).map(one => ({ partition, namespace: one }))
      const isOfAll = namespace === ALL_NAMESPACES
      const found = spaces.map(space => checksInState(views, space, state, isOfAll ? space.namespace : ''))
      const [only] = found
      const checks: Checks =
        only && found.length === 1
          ? only
          : {
              sortsBy: orderOf,
              parts: found.flatMap(({ parts }) => parts),
              matches: found.some(({ matches }) => matches) ? isInState(state) : undefined
            }
      const indexes = spaces.map(space => catalog.space(space).checksIndex)
      return readChecks(request, checks, spaces.map(catalogKeys.checks), indexes)
    })
  }
})

export const healthRoutes = (cache: ReadCache, lists: SerializedLists): readonly Route[] => [
  nodeChecksRoute,
  route({
    ...plain,
    isConfined: true,
    isPaged: true,
    path: '/v1/health/checks/*name',
    operationId: 'listServiceChecks',
    summary: 'The checks of a service',
    past: catalogHistory,
    query: listParameters,
    handle: request => {
      const name = nameIn(request, 'service name')
      return respondToRead(request, () => {
        const { catalog } = request.views
        const { tenancy } = request
        const rows = unordered([...catalog.checksOfService(tenancy, name)])
        const watch = [catalogKeys.checksOfService(tenancy, name)]
        return readChecks(request, rows, watch, [catalog.space(tenancy).checksIndex])
      })
    }
  }),
  instances(
    cache,
    lists,
    'name',
    'service',
    'listServiceHealth',
    'The instances of a service with their nodes and checks'
  ),
  instances(
    cache,
    lists,
    'connect',
    'connect',
    'listConnectHealth',
    'The same for what Connect reaches by this name'
  ),
  instances(cache, lists, 'ingress', 'ingress', 'listIngressHealth', 'The ingress gateways of a service'),
  checksInStateRoute
]
