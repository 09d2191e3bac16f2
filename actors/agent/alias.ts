// Alias checks, whose status is the worst of the checks of a service or node (spec: state.md §8).
import { CRITICAL, PASSING, WARNING, type CheckDefinition, type CheckState } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Catalog } from '../../projections/catalog/catalog.js'
import { localKey } from '../../projections/catalog/reader.js'
import type { CheckReport } from './agent.js'

export interface AliasCheck {
  readonly tenancy: Tenancy
  readonly id: string
  /** Name of the server's own node, which has the check. */
  readonly ownNode: string
  readonly definition: CheckDefinition
}

export const isAlias = ({
  AliasNode,
  AliasService
}: Pick<CheckDefinition, 'AliasNode' | 'AliasService'>): boolean =>
  Boolean(AliasNode) || Boolean(AliasService)

const worst = (checks: readonly CheckState[]): CheckState | undefined =>
  checks.find(({ check }) => check.Status === CRITICAL) ??
  checks.find(({ check }) => check.Status === WARNING)

/** Returns the current status. Costs O(checks of the service and of its node). */
export const aliasReportOf = (
  catalog: Catalog,
  { tenancy, id, ownNode, definition }: AliasCheck
): CheckReport => {
  const { AliasNode: targetNode = '', AliasService: service = '' } = definition
  const node = targetNode || ownNode
  const host = catalog.host(tenancy.partition, node)
  if (!host) return { status: CRITICAL, output: `Node ${node} could not be found` }
  const row = host.services.get(localKey(tenancy.namespace, service))
  if (service !== '' && !row)
    return { status: CRITICAL, output: `Service ${service} could not be found on node ${node}` }
  const isOwn = ({ check }: CheckState): boolean =>
    node.toLowerCase() === ownNode.toLowerCase() && check.CheckID.toLowerCase() === id.toLowerCase()
  // On its own node, an agent knows only the checks that it runs itself.
  const checks = (row ? row.allChecks : host.ownChecks)
    .map(({ state }) => state)
    .filter(state => !isOwn(state) && (targetNode !== '' || state.runner !== undefined))
  const bad = worst(checks)
  if (bad)
    return {
      status: bad.check.Status,
      output: `Aliased check "${bad.check.Name}" failing: ${bad.check.Output}`
    }
  return { status: PASSING, output: checks.length === 0 ? 'No checks found.' : 'All checks passing.' }
}
