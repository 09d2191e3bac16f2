// The nodes of the catalog, by name, ID and ID prefix.
import { nodeState, type NodeEvent, type NodeState } from '../../events/node.js'
import type { Tenancy } from '../../events/envelope.js'
import { RadixTree } from '../radix-tree.js'
import { Table } from '../table.js'
import { nodeKey } from './reader.js'
import { Host, NodeRow } from './rows.js'

const DEFAULT_NAMESPACE = 'default'
const spaceOf = (partition: string): Tenancy => ({ partition, namespace: DEFAULT_NAMESPACE })
const digitsOf = (id: string): string => id.replaceAll('-', '')

export class Nodes {
  readonly #table = new Table<NodeRow, 'id'>({
    key: row => nodeKey(row.partition, row.name),
    tenancy: row => spaceOf(row.partition),
    order: row => row.name,
    unique: { id: row => row.id },
    multi: {}
  })
  /** IDs without hyphens, for look-ups by prefix. */
  #ids = new RadixTree<NodeRow>()
  readonly indexes = this.#table.indexes

  host(partition: string, name: string): Host | undefined {
    return this.#table.get(nodeKey(partition, name))?.host
  }

  /** Finds a node by its ID, or by a prefix that no other ID of the partition has (state.md §6.1). */
  hostByIdPrefix(partition: string, prefix: string): Host | undefined {
    const digits = digitsOf(prefix.toLowerCase())
    const even = digits.slice(0, digits.length - (digits.length % 2))
    if (even.length < 2 || !/^[0-9a-f]+$/.test(even)) return undefined
    const found: NodeRow[] = []
    for (const row of this.#ids.walk(even)) {
      if (row.partition !== partition) continue
      if (found.push(row) > 1) return undefined
    }
    return found[0]?.host
  }

  byId(id: string): NodeState | undefined {
    return this.#table.find('id', id.toLowerCase())?.host.state
  }

  list(partition: string): readonly NodeRow[] {
    return this.#table.list(spaceOf(partition))
  }

  inOrder(partition: string): Iterable<NodeRow> {
    return this.#table.inOrder(spaceOf(partition))
  }

  /** The nodes of a partition after a lower-cased name, or all, by name; see `Table.behind`. */
  behind(partition: string, after: string | undefined): Iterable<NodeRow> {
    return this.#table.behind(spaceOf(partition), after)
  }

  /** Ordered by their last events. */
  ordered(): Iterable<NodeRow> {
    return this.#table.ordered()
  }

  all(): Iterable<NodeRow> {
    return this.#table.all()
  }

  indexOf(partition: string): number {
    return this.#table.indexOf(spaceOf(partition))
  }

  /** Returns the host if the shown node may have changed, `gone` after its removal; undefined if reads show no change. */
  apply(event: NodeEvent, index: number): Host | 'gone' | undefined {
    const state = nodeState(event)
    const { partition, node } = state
    const key = nodeKey(partition, node.Node)
    const before = this.#table.get(key)
    if (before && (event.Type === 'NodeEvent' || event.Type === 'NodeEligibility')) {
      // Reads show no change, so the object stays the same.
      before.host.state = { ...state, node: before.host.state.node }
      before.host.lastEvent = { type: event.Type, index }
      return undefined
    }
    if (before?.id) this.#ids.delete(digitsOf(before.id))
    if (event.Type === 'NodeDeregistration') {
      this.#table.delete(key, index)
      return 'gone'
    }
    const lastEvent = { type: event.Type, index }
    const host = before?.host ?? new Host(state, lastEvent)
    if (before) {
      host.row = new NodeRow(host, state)
      host.state = state
      host.lastEvent = lastEvent
    }
    const { row } = host
    this.#table.put(row, index)
    if (row.id) this.#ids.put(digitsOf(row.id), row)
    return host
  }

  clear(): void {
    this.#table.clear()
    this.#ids = new RadixTree()
  }
}
