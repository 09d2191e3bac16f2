// The `near` parameter of lists (spec: state.md §9).
import { nearestFirst } from '../../../projections/catalog/vivaldi.js'
import { sendingDatacenter } from '../datacenter-parameter.js'
import type { ApiRequest } from '../request.js'

/** Stands for the server's own node. */
const AGENT = '_agent'

/**
 * The rows, nearest to the node that `near` names first. They stay as they are when there is no such node, it has no
 * coordinates, or the client asks in another datacenter, whose nodes are meant.
 * @param nodeOf the name of a row's node
 */
export const byDistance = <Row>(
  request: ApiRequest,
  rows: readonly Row[],
  nodeOf: (row: Row) => string
): readonly Row[] => {
  const { query, views, settings, tenancy } = request
  const near = query.filled('near')
  if (near === undefined || rows.length < 2 || sendingDatacenter(request) !== undefined) return rows
  const { coordinates } = views
  const { partition } = tenancy
  const from = coordinates.of(partition, near === AGENT ? settings.node_name : near)
  return from ? nearestFirst(rows, from, row => coordinates.of(partition, nodeOf(row))) : rows
}
