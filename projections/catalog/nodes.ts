// The nodes of the catalog, by name, by ID, and by the beginnings of IDs.
import { nodeState, type NodeEvent, type NodeState } from '../../events/node.js'
import type { Tenancy } from '../../events/envelope.js'
import { RadixTree } from '../radix-tree.js'
import { Table } from '../table.js'
import { nodeKey } from './reader.js'
import { Host, type NodeRow } from './rows.js'

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
  /** IDs without hyphens, for look-ups by their beginnings. */
  #ids = new RadixTree<NodeRow>()
  readonly indexes = this.#table.indexes

  host(partition: string, name: string): Host | undefined {
    return this.#table.get(nodeKey(partition, name))?.host
  }

  /** The node whose ID this is, or whose ID alone begins like this (state.md §6.1). */
  hostByIdPrefix(partition: string, prefix: string): Host | undefined {
    const digits = digitsOf(prefix.toLowerCase())
    const even = digits.slice(0, digits.length - (digits.length % 2))
    if (even.length < 2 || !/^[0-9a-f]+$/.test(even)) return undefined
    const found: NodeRow[] = []
    for (const [, row] of this.#ids.walkPrefix(even)) {
      if (row.partition !== partition) continue
      if (found.push(row) > 1) return undefined
    }
    return found[0]?.host
  }

  byId(id: string): NodeState | undefined {
    return this.#table.find('id', id.toLowerCase())?.host.state
  }

  /** All nodes of a partition, by name. */
  list(partition: string): readonly NodeRow[] {
    return this.#table.list(spaceOf(partition))
  }

  /** Those of a partition behind a lower-cased name, or all, by name; see `Table.behind`. */
  behind(partition: string, after: string | undefined): Iterable<NodeRow> {
    return this.#table.behind(spaceOf(partition), after)
  }

  /** All nodes, in the order of their last events. */
  ordered(): Iterable<NodeRow> {
    return this.#table.ordered()
  }

  /** All nodes, in no order. */
  all(): Iterable<NodeRow> {
    return this.#table.all()
  }

  /** Index of the last change of any node of a partition. */
  indexOf(partition: string): number {
    return this.#table.indexOf(spaceOf(partition))
  }

  /**
   * Folds an event of a node.
   * @returns its host when what catalog reads show of the node may have changed, or `gone`; undefined when they show the same
   */
  apply(event: NodeEvent, index: number): Host | 'gone' | undefined {
    const state = nodeState(event)
    const { partition, node } = state
    const key = nodeKey(partition, node.Node)
    const before = this.#table.get(key)
    if (before && (event.Type === 'NodeEvent' || event.Type === 'NodeEligibility')) {
      // What catalog reads show did not change, so the object stays the same one.
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
    const row = { host, partition, name: node.Node.toLowerCase(), id: node.ID.toLowerCase() || undefined }
    this.#table.put(row, index)
    if (row.id) this.#ids.insert(digitsOf(row.id), row)
    host.state = state
    host.lastEvent = lastEvent
    return host
  }

  clear(): void {
    this.#table.clear()
    this.#ids = new RadixTree()
  }
}
