import { type CheckEvent, type CheckState, withoutSecrets } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import { type NodeEvent, type NodeState, nodeState } from '../../events/node.js'
import type { HostingNode, ServiceState } from '../../events/service.js'
import { checkObject, nodeObject, serviceNodeObject, serviceObject } from './json.js'
import { RadixTree } from '../radix-tree.js'
import { Table } from '../table.js'
import { checkRowKey, nodeKey, NO_OWN_CHECKS } from './reader.js'

/** A node at its last change that reads show. It never changes. */
export class NodeRow {
  readonly partition: string
  /** In lower case. */
  readonly name: string
  /** In lower case; undefined for a node without one. */
  readonly id: string | undefined
  #json = ''

  constructor(
    readonly host: Host,
    readonly state: NodeState
  ) {
    const { partition, node } = state
    this.partition = partition
    this.name = node.Node.toLowerCase()
    this.id = node.ID.toLowerCase() || undefined
  }

  get json(): string {
    return (this.#json ||= JSON.stringify(nodeObject(this.state)))
  }
}

/** A node with its services and checks. The object stays the same as long as the node exists. */
export class Host {
  /** By `localKey`. */
  readonly services = new Map<string, ServiceRow>()
  readonly checks = new Map<string, CheckRow>()
  /** The checks of the node itself, by ID, in a list that never changes. */
  ownChecks: readonly CheckRow[] = []
  ownCounts = NO_OWN_CHECKS
  row: NodeRow

  constructor(
    public state: NodeState,
    /** The index is greater than the node's own if reads show no change. */
    public lastEvent: {
      readonly type: Exclude<NodeEvent['Type'], 'NodeDeregistration'>
      readonly index: number
    }
  ) {
    this.row = new NodeRow(this, state)
  }

  get name(): string {
    return this.state.node.Node
  }

  get json(): string {
    return this.row.json
  }
}

interface ServiceParts {
  readonly host: Host
  readonly state: ServiceState
  /** The node at the registration of the instance. */
  readonly registeredOn: HostingNode
  /** Its own checks, by `checkKey`. */
  readonly checks: readonly CheckRow[]
}

/** An instance of a service with its node and its checks. It never changes: another row replaces it. */
export class ServiceRow implements ServiceParts {
  readonly host: Host
  readonly state: ServiceState
  readonly registeredOn: HostingNode
  readonly checks: readonly CheckRow[]
  readonly node: NodeRow
  readonly order: string
  readonly #ownChecks: readonly CheckRow[]
  #json = ''
  #flatJson = ''
  #healthJson = ''
  #isPassing: boolean | undefined
  #hasSecrets: boolean | undefined
  #allChecks: readonly CheckRow[] | undefined

  /** Takes the present node and its checks. @param before the row that this one replaces, if there is one */
  constructor({ host, state, registeredOn, checks }: ServiceParts, before?: ServiceRow) {
    this.host = host
    this.state = state
    this.registeredOn = registeredOn
    this.checks = checks
    this.node = host.row
    this.#ownChecks = host.ownChecks
    this.order = before?.order ?? `${this.node.name}\0${state.service.ID.toLowerCase()}`
    if (before?.state !== state) return
    this.#json = before.#json
    if (before.node === this.node) this.#flatJson = before.#flatJson
  }

  get name(): string {
    return this.state.service.Service
  }

  get json(): string {
    return (this.#json ||= JSON.stringify(serviceObject(this.state)))
  }

  get flatJson(): string {
    return (this.#flatJson ||= JSON.stringify(this.flat()))
  }

  flat(): object {
    return serviceNodeObject(this.node.state.node, this.state)
  }

  /** The checks that apply to this instance: those of the node, then its own, each by ID. */
  get allChecks(): readonly CheckRow[] {
    return (this.#allChecks ??=
      this.#ownChecks.length === 0 ? this.checks : [...this.#ownChecks, ...this.checks])
  }

  get isPassing(): boolean {
    return (this.#isPassing ??= this.allChecks.every(row => row.state.check.Status === 'passing'))
  }

  /** The CheckServiceNode object with all its checks, without their secrets. */
  get healthJson(): string {
    return (this.#healthJson ||= this.#healthJsonOf(this.allChecks.map(row => row.json)))
  }

  /** The same with the secrets of some checks. `showsSecrets` is called only for checks that have secrets. */
  healthJsonFor(showsSecrets: (row: CheckRow) => boolean): string {
    this.#hasSecrets ??= this.allChecks.some(row => row.hasSecrets)
    return this.#hasSecrets
      ? this.#healthJsonOf(this.allChecks.map(row => row.jsonFor(showsSecrets)))
      : this.healthJson
  }

  #healthJsonOf(checks: readonly string[]): string {
    return `{"Node":${this.node.json},"Service":${this.json},"Checks":[${checks.join(',')}]}`
  }
}

export class CheckRow {
  readonly tenancy: Tenancy
  readonly order: string
  /** Unique over all tenancies. */
  readonly tableKey: string
  #json = ''

  /** @param key as of `checkKey` */
  constructor(
    readonly host: Host,
    readonly key: string,
    readonly state: CheckState,
    readonly eventType: Exclude<CheckEvent['Type'], 'CheckDeregistration'>
  ) {
    this.tenancy = { partition: state.partition, namespace: state.namespace }
    this.order = `${host.row.name}\0${state.check.CheckID.toLowerCase()}`
    this.tableKey = checkRowKey(state.partition, host.name, key)
  }

  get hasSecrets(): boolean {
    return withoutSecrets(this.state) !== this.state
  }

  get json(): string {
    return (this.#json ||= JSON.stringify(checkObject(this.state)))
  }

  /** The HealthCheck object, with its secrets if `showsSecrets`, which is called only if there are any, allows it. */
  jsonFor(showsSecrets: (row: CheckRow) => boolean): string {
    return this.hasSecrets && showsSecrets(this)
      ? JSON.stringify(checkObject(this.state, { showsSecrets: true }))
      : this.json
  }
}

// The nodes of the catalog, by name, ID and ID prefix.

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

  /** Returns the host if the shown node may have changed, or its last one after its removal; undefined if reads show no change. */
  apply(event: NodeEvent, index: number): Host | undefined {
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
      return this.#table.delete(key, index)?.host
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
