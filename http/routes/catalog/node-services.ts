// A node with the services on it (spec: state.md §6.1).
import type { Tenancy } from '../../../events/envelope.js'
import { serviceFields, serviceObject } from '../../../projections/catalog/json.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import { byKey, type Host, type ServiceRow } from '../../../projections/catalog/rows.js'
import { runAtOnce } from '../../wire/cooperative-chunks.js'
import type { ReadState } from '../../wire/reads/blocking.js'
import { sortedPart } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'
import { catalogReading, namespacesOf, select } from './reading.js'
import { CatalogScope } from './registration-permissions.js'

/** Finds a node by its name, ID or prefix of the ID. */
const findHost = (request: RequestContext, name: string): Host | undefined => {
  const { catalog } = request.views
  const { partition } = request.tenancy
  return catalog.host(partition, name) ?? catalog.nodes.hostByIdPrefix(partition, name)
}

/** Returns the services on a node in one namespace, or in all with `*`. */
const servicesOn = (host: Host, { namespace }: Tenancy): readonly ServiceRow[] => {
  const rows = byKey(host.services)
  return namespace === ALL_NAMESPACES ? rows : rows.filter(row => row.state.namespace === namespace)
}

/** With `ns=*` each element includes its namespace (tenancy.md §8). */
export const serviceText = (row: ServiceRow, { namespace }: Tenancy): string =>
  namespace === ALL_NAMESPACES
    ? JSON.stringify({ ...serviceObject(row.state), Namespace: row.state.namespace })
    : row.json

const localOrder = ({ state: { namespace, service } }: ServiceRow): string =>
  `${namespace}\0${service.ID.toLowerCase()}`

/** Returns the body of a node with the services that the caller may read; `missing` if the caller cannot read the node. */
export const readNode = (
  request: RequestContext,
  name: string,
  missing: string,
  body: (host: Host, rows: readonly ServiceRow[]) => string
): ReadState => {
  const { catalog } = request.views
  const { tenancy } = request
  const { partition } = tenancy
  const host = findHost(request, name)
  const scope = new CatalogScope(request, partition)
  const watch = [catalogKeys.node(partition, host?.name ?? name)]
  const all = host ? servicesOn(host, tenancy) : []
  const { rows, isShortened, headers } = runAtOnce(
    select(request, {
      all: () => all,
      parts: [sortedPart(all, localOrder)],
      keyOf: localOrder,
      fields: serviceFields,
      object: row => serviceObject(row.state),
      may: row => scope.service(row.state, row.name)
    })
  )
  if (!host) return catalogReading(request, missing, 0, watch)
  const services = namespacesOf(request).map(
    namespace => catalog.space({ partition, namespace }).servicesIndex
  )
  const index = Math.max(catalog.nodes.indexOf(partition), ...services)
  return scope.node(host.name)
    ? catalogReading(request, body(host, rows), index, watch, { isShortened, headers })
    : catalogReading(request, missing, index, watch, { isShortened: true })
}
