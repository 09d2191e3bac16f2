// Alias checks, whose status is the worst of the checks of a service or node (spec: state.md §8).
import {
  CRITICAL,
  PASSING,
  WARNING,
  type CheckDefinition,
  type CheckState,
  isCheckEvent
} from '../../events/check.js'
import type { Tenancy, Event } from '../../events/envelope.js'
import type { Catalog } from '../../projections/catalog/catalog.js'
import { localKey, nodeKey } from '../../projections/catalog/reader.js'
import type { CheckReport } from './agent.js'
import { isServiceEvent } from '../../events/service.js'

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

const NODE = ''

/** Returns the target of an event: a service on a node, or with `NODE` the whole node. */
const subjectOf = (event: Event): { readonly node: string; readonly subject: string } | undefined => {
  const namespace = event.Namespace || 'default'
  if (isServiceEvent(event)) {
    const { Node, ID } = event.Payload.Service
    return { node: nodeKey(event.Partition, Node), subject: localKey(namespace, ID) }
  }
  if (!isCheckEvent(event)) return undefined
  const { Node, ServiceID } = event.Payload.Check
  const subject = ServiceID === '' ? NODE : localKey(namespace, ServiceID)
  return { node: nodeKey(event.Partition, Node), subject }
}

/** An event costs O(1), and O(1) for each affected check: those of its service, or all of its node. */
export class AliasChecks {
  readonly #checks = new Map<string, AliasCheck>()
  readonly #byNode = new Map<string, Map<string, Set<string>>>()
  readonly #dirty = new Set<string>()

  /** @param evaluate runs for a check soon after its target has changed, never during the change */
  constructor(private readonly evaluate: (check: AliasCheck) => void) {}

  add(key: string, check: AliasCheck): void {
    this.#checks.set(key, check)
    const { node, subject } = this.#targetOf(check)
    const bySubject = this.#byNode.get(node) ?? new Map<string, Set<string>>()
    this.#byNode.set(node, bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(key)))
    this.#mark([key])
  }

  remove(key: string): void {
    const check = this.#checks.get(key)
    if (!check) return
    this.#checks.delete(key)
    const { node, subject } = this.#targetOf(check)
    const bySubject = this.#byNode.get(node)
    const keys = bySubject?.get(subject)
    keys?.delete(key)
    if (keys?.size === 0) bySubject?.delete(subject)
    if (bySubject?.size === 0) this.#byNode.delete(node)
  }

  /** Evaluates a check once more, if it still runs. */
  evaluateAgain(key: string): void {
    if (this.#checks.has(key)) this.#mark([key])
  }

  note(event: Event): void {
    if (this.#checks.size === 0) return
    const target = subjectOf(event)
    const bySubject = target && this.#byNode.get(target.node)
    if (!bySubject) return
    if (target.subject === NODE) for (const keys of bySubject.values()) this.#mark(keys)
    else this.#mark(bySubject.get(target.subject) ?? [])
  }

  #targetOf({ tenancy, ownNode, definition }: AliasCheck) {
    const { AliasNode, AliasService } = definition
    return {
      node: nodeKey(tenancy.partition, AliasNode || ownNode),
      subject: AliasService ? localKey(tenancy.namespace, AliasService) : NODE
    }
  }

  #mark(keys: Iterable<string>): void {
    const isFirst = this.#dirty.size === 0
    for (const key of keys) this.#dirty.add(key)
    if (isFirst && this.#dirty.size > 0) setImmediate(() => this.#evaluateAll())
  }

  #evaluateAll(): void {
    const keys = [...this.#dirty]
    this.#dirty.clear()
    for (const key of keys) {
      const check = this.#checks.get(key)
      if (check) this.evaluate(check)
    }
  }
}
