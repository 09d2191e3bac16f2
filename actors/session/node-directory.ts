// What the decisions on sessions ask of the catalog.
import type { Tenancy } from '../../events/envelope.js'
import type { Views } from '../../projections/views.js'

export interface NodeDirectory {
  /** Whether a node of this name is registered, in any letter case. */
  has(partition: string, node: string): boolean
  /**
   * The status of a check on a node; undefined when there is none.
   * @param tenancy of the service that the check is of; the namespace `default` for a check of the node itself
   */
  checkStatus(tenancy: Tenancy, node: string, check: string): string | undefined
}

/** The catalog of these views. */
export const nodesOf = ({ catalog }: Views): NodeDirectory => ({
  has: (partition, node) => catalog.node(partition, node) !== undefined,
  checkStatus: (tenancy, node, check) => catalog.check(tenancy, node, check)?.check.Status
})
