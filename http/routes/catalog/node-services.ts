// A node with the services on it (spec: state.md §6.1).
import type { Tenancy } from '../../../events/envelope.js'
import { serviceFields, serviceObject } from '../../../projections/catalog/json.js'
import { catalogKeys, serviceKey } from '../../../projections/catalog/reader.js'
import { BytePieces } from '../../../projections/byte-pieces.js'
import type { Host, NodeRow, ServiceRow } from '../../../projections/catalog/rows.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { jsonText, type RouteResponse } from '../../wire/response.js'
import { readOptions, type ListState, type ReadState } from '../../wire/reads/blocking.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { unorderedPart } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'
import { catalogHeaders, catalogReading, namespacesOf, select } from './reading.js'
import { CatalogScope } from './registration-permissions.js'

/** Finds a node by its name, ID or prefix of the ID. */
const findHost = (request: RequestContext, name: string): Host | undefined => {
  const { catalog } = request.views
  const { partition } = request.tenancy
  return catalog.host(partition, name) ?? catalog.nodes.hostByIdPrefix(partition, name)
}

/** Returns the services on a node in one namespace, or in all with `*`, in no order. */
const servicesOn = (host: Host, { namespace }: Tenancy): readonly ServiceRow[] => {
  const rows = [...host.services.values()]
  return namespace === ALL_NAMESPACES ? rows : rows.filter(row => row.state.namespace === namespace)
}

/** With `ns=*` each element includes its namespace (tenancy.md §8). */
export const serviceText = (row: ServiceRow, { namespace }: Tenancy): string =>
  namespace === ALL_NAMESPACES
    ? JSON.stringify({ ...serviceObject(row.state), Namespace: row.state.namespace })
    : row.json

const localOrder = ({ state: { namespace, service } }: ServiceRow): string =>
  `${namespace}\0${service.ID.toLowerCase()}`

/** How a node with its services is shown. */
interface NodeForm {
  /** The body if the caller cannot read the node. */
  readonly missing: string
  readonly services: 'array' | 'object'
  /** Returns the element or member of a service. */
  readonly text: (row: ServiceRow) => string
}

function* serialize(
  { json }: NodeRow,
  rows: readonly ServiceRow[],
  { services, text }: NodeForm
): Steps<BytePieces> {
  const list = new JsonList(services)
  const pace = new StepPace()
  for (const row of rows) {
    const element = text(row)
    list.push(element)
    if (pace.isOver(element.length)) yield
  }
  return new BytePieces([Buffer.from(`{"Node":${json},"Services":`), ...list.end().pieces, Buffer.from('}')])
}

/** Reads a node with the services that the caller may read. */
export const readNode = (request: RequestContext, name: string, form: NodeForm): ListState | ReadState => {
  const { catalog } = request.views
  const { tenancy } = request
  const { partition } = tenancy
  const host = findHost(request, name)
  const scope = new CatalogScope(request, partition)
  const watch = [catalogKeys.node(partition, host?.name ?? name)]
  const all = host ? servicesOn(host, tenancy) : []
  const selected = select(request, {
    sortsBy: row => serviceKey(row.state),
    parts: [unorderedPart(all)],
    keyOf: localOrder,
    fields: serviceFields,
    object: row => serviceObject(row.state),
    may: row => scope.service(row.state, row.name)
  })
  const services = namespacesOf(request).map(
    namespace => catalog.space({ partition, namespace }).servicesIndex
  )
  const index = Math.max(catalog.nodes.indexOf(partition), ...services)
  // The index of an unknown node is 1, but a read that has waited since the node existed must end.
  if (!host) return catalogReading(request, form.missing, readOptions(request).index > 1 ? index : 1, watch)
  if (!scope.node(host.name))
    return catalogReading(request, form.missing, index, watch, { isShortened: true })
  const { row: node } = host
  const steps = function* (): Steps<RouteResponse> {
    const { rows, isShortened, headers } = yield* selected
    const body = yield* serialize(node, rows, form)
    return jsonText(body, catalogHeaders(request, { isShortened, headers }))
  }
  return { index, watch, steps: steps() }
}
