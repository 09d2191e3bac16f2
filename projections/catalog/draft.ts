// Changes of the catalog that did not happen yet: what a command of several steps sees of its earlier ones.
import { checkState, isCheckEvent, type CheckState } from '../../events/check.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isNodeEvent, nodeState, type NodeState } from '../../events/node.js'
import { isServiceEvent, serviceState, type ServiceState } from '../../events/service.js'
import { localKey, nodeKey, type CatalogReader } from './reader.js'

interface NodeDraft {
  /** Null when it is removed; undefined when nothing of it is drafted. */
  node?: NodeState | null
  readonly services: Map<string, ServiceState | null>
  readonly checks: Map<string, CheckState | null>
}

const merged = <Row>(
  below: readonly Row[],
  drafted: ReadonlyMap<string, Row | null> | undefined,
  key: (row: Row) => string
): readonly Row[] => {
  if (!drafted || drafted.size === 0) return below
  const rows = new Map<string, Row>()
  for (const row of below) if (!drafted.has(key(row))) rows.set(key(row), row)
  for (const [name, row] of drafted) if (row) rows.set(name, row)
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row)
}

const serviceKey = ({ namespace, service }: ServiceState): string => localKey(namespace, service.ID)
const checkKey = ({ namespace, check }: CheckState): string => localKey(namespace, check.CheckID)

/**
 * A catalog as it would be after the events folded so far. What was not drafted is read from below, which must not
 * change meanwhile. A fold costs O(1), a look-up O(1), a listing the rows of its node.
 */
export class CatalogDraft implements CatalogReader {
  readonly #below: CatalogReader
  readonly #nodes = new Map<string, NodeDraft>()
  readonly #byId = new Map<string, NodeState | null>()

  constructor(below: CatalogReader) {
    this.#below = below
  }

  node(partition: string, name: string): NodeState | undefined {
    const drafted = this.#nodes.get(nodeKey(partition, name))?.node
    return drafted === undefined ? this.#below.node(partition, name) : (drafted ?? undefined)
  }

  nodeById(id: string): NodeState | undefined {
    const drafted = this.#byId.get(id.toLowerCase())
    return drafted === undefined ? this.#below.nodeById(id) : (drafted ?? undefined)
  }

  service(tenancy: Tenancy, node: string, id: string): ServiceState | undefined {
    const drafted = this.#nodes
      .get(nodeKey(tenancy.partition, node))
      ?.services.get(localKey(tenancy.namespace, id))
    return drafted === undefined ? this.#below.service(tenancy, node, id) : (drafted ?? undefined)
  }

  check(tenancy: Tenancy, node: string, id: string): CheckState | undefined {
    const drafted = this.#nodes
      .get(nodeKey(tenancy.partition, node))
      ?.checks.get(localKey(tenancy.namespace, id))
    return drafted === undefined ? this.#below.check(tenancy, node, id) : (drafted ?? undefined)
  }

  servicesOn(partition: string, node: string): readonly ServiceState[] {
    const drafted = this.#nodes.get(nodeKey(partition, node))
    return merged(this.#below.servicesOn(partition, node), drafted?.services, serviceKey)
  }

  checksOn(partition: string, node: string): readonly CheckState[] {
    const drafted = this.#nodes.get(nodeKey(partition, node))
    return merged(this.#below.checksOn(partition, node), drafted?.checks, checkKey)
  }

  /** Takes an event in; those of other topics mean nothing here. */
  fold(event: Event): void {
    if (isNodeEvent(event)) {
      const state = nodeState(event)
      const isGone = event.Type === 'NodeDeregistration'
      const before = this.node(state.partition, state.node.Node)
      if (before && before.node.ID !== '') this.#byId.set(before.node.ID.toLowerCase(), null)
      if (state.node.ID !== '') this.#byId.set(state.node.ID.toLowerCase(), isGone ? null : state)
      this.#draft(state.partition, state.node.Node).node = isGone ? null : state
    } else if (isServiceEvent(event)) {
      const state = serviceState(event)
      const isGone = event.Type === 'ServiceDeregistration'
      this.#draft(state.partition, state.node).services.set(serviceKey(state), isGone ? null : state)
    } else if (isCheckEvent(event)) {
      const state = checkState(event)
      const isGone = event.Type === 'CheckDeregistration'
      this.#draft(state.partition, state.check.Node).checks.set(checkKey(state), isGone ? null : state)
    }
  }

  #draft(partition: string, name: string): NodeDraft {
    const key = nodeKey(partition, name)
    let draft = this.#nodes.get(key)
    if (!draft) this.#nodes.set(key, (draft = { services: new Map(), checks: new Map() }))
    return draft
  }
}
