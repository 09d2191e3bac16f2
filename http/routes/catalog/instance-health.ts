// The instances of a service with their nodes and checks: by name, through Connect, or of ingress gateways (spec: state.md §7).
import { invalid } from '../../../actors/refusal.js'
import { FALSE_TEXTS, TRUE_TEXTS } from '../../../events/values.js'
import { serviceHealthFields, checkObject, serviceObject } from '../../../projections/catalog/json.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import type { ServiceInstances } from '../../../projections/catalog/services-by-namespace.js'
import type { ServiceRow } from '../../../projections/catalog/rows.js'
import { serviceKey } from '../../../projections/config/names.js'
import type { WatchName } from '../../../projections/watch.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import type { ListState, ReadState } from '../../wire/reads/blocking.js'
import type { SerializedLists } from '../../wire/reads/serialized-lists.js'
import { pageOf, unorderedPart, type PagePart } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { GatewayLinks } from './gateway-links.js'
import { catalogList, instanceTest, nodeMetaOf, select, tagsOf, type Selected } from './reading.js'
import { CatalogScope } from './registration-permissions.js'

const INGRESS = 'ingress-gateway'

const wantsPassing = ({ query }: RequestContext): boolean => {
  const given = query.get('passing')
  if (given === undefined || FALSE_TEXTS.has(given)) return false
  if (given === '' || TRUE_TEXTS.has(given)) return true
  throw invalid('catalog.invalid', `Invalid value for ?passing: "${given}" is neither true nor false`)
}

const healthObject = (row: ServiceRow): object => ({
  Node: row.node.state.node,
  Service: serviceObject(row.state),
  Checks: row.allChecks.map(check => checkObject(check.state))
})

export type InstanceGroup = 'name' | 'connect' | 'ingress'

interface Found {
  /** The group whose instances these are, if they are those of one. */
  readonly group?: ServiceInstances | undefined
  readonly part: PagePart<ServiceRow>
  readonly index: number
  readonly watch: readonly WatchName[]
}

/** Orders instances of several namespaces. */
const pageKey = (row: ServiceRow): string => `${row.state.namespace}\0${row.order}`

/** Finds the instances of the ingress gateways of a service. */
const gatewaysOf = ({ views, settings, tenancy }: RequestContext, name: string): Found => {
  const { catalog, config } = views
  const links = new GatewayLinks(views, settings.datacenter)
  const gateways = links.exposing(name, tenancy)
  const rows = gateways.flatMap(
    gateway => catalog.space(gateway.tenancy).byName.get(gateway.name)?.rows ?? []
  )
  const ingress = rows.filter(row => row.state.service.Kind === INGRESS)
  return {
    part: unorderedPart(ingress),
    index: Math.max(
      ...['*', name].map(one => config.indexOfMention(INGRESS, serviceKey(one, tenancy))),
      ...links.decidedBy.map(space => config.indexOf(space)),
      catalog.serviceIndex(tenancy, 'name', name),
      ...gateways.map(gateway => catalog.serviceIndex(gateway.tenancy, 'name', gateway.name))
    ),
    watch: [
      'config',
      // A wildcard gateway also serves services that are created later.
      catalogKeys.service(tenancy, name),
      ...gateways.map(gateway => catalogKeys.service(gateway.tenancy, gateway.name))
    ]
  }
}

const instancesOf = (request: RequestContext, by: InstanceGroup, name: string): Found => {
  if (by === 'ingress') return gatewaysOf(request, name)
  const { catalog } = request.views
  const { tenancy } = request
  const space = catalog.space(tenancy)
  const isConnect = by === 'connect'
  const group = (isConnect ? space.byConnect : space.byName).get(name)
  return {
    group,
    part: { name: '', behind: after => group?.after(after) ?? [] },
    index: catalog.serviceIndex(tenancy, by, name),
    watch: [isConnect ? catalogKeys.connect(tenancy, name) : catalogKeys.service(tenancy, name)]
  }
}

/** Selects the instances that the caller may see. @throws Refusal `invalid`, `denied` */
const selectInstances = (
  request: RequestContext,
  by: InstanceGroup,
  name: string,
  scope: CatalogScope,
  { part }: Found
): Steps<Selected<ServiceRow>> => {
  const fits = instanceTest(tagsOf(request), nodeMetaOf(request))
  const [isPassing, isPaged] = [wantsPassing(request), pageOf(request) !== undefined]
  const selected = select(request, {
    parts: [part],
    keyOf: by === 'ingress' ? pageKey : row => row.order,
    matches: isPassing && isPaged ? row => row.isPassing && (fits?.(row) ?? true) : fits,
    fields: serviceHealthFields,
    object: healthObject,
    may: by !== 'connect' || scope.service(request.tenancy, name) ? scope.instance : () => false,
    nodeOf: row => row.host.name
  })
  return isPassing ? passing(selected) : selected
}

function* passing(selected: Steps<Selected<ServiceRow>>): Steps<Selected<ServiceRow>> {
  const found = yield* selected
  const pace = new StepPace()
  const rows: ServiceRow[] = []
  for (const row of found.rows) {
    if (row.isPassing) rows.push(row)
    if (pace.isOver()) yield
  }
  // The header also reports filtered instances that do not pass.
  return { ...found, rows }
}

/** Returns the requested instances that the caller may see. @throws Refusal `invalid`, `denied` */
export const readInstanceHealth = (
  request: RequestContext,
  by: InstanceGroup,
  name: string,
  lists: SerializedLists
): ReadState | ListState => {
  const { query, tenancy } = request
  const found = instancesOf(request, by, name)
  const { group, index, watch } = found
  const scope = new CatalogScope(request, tenancy.partition)
  const isStreaming = by !== 'ingress' && (query.has('cached') || Number(query.get('index') ?? 0) > 0)
  return catalogList(request, {
    select: () => selectInstances(request, by, name, scope, found),
    text: row => row.healthJsonFor(scope.writes),
    index,
    watch,
    backend: isStreaming ? 'streaming' : undefined,
    cached: group && { lists, rows: group, form: `health ${name}` }
  })
}
