// The rows of the catalog's read model, with the texts that answers are joined from.
import { type CheckEvent, type CheckState, withoutSecrets } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import type { NodeEvent, NodeState } from '../../events/node.js'
import type { HostingNode, ServiceState } from '../../events/service.js'
import { checkObject, nodeObject, serviceNodeObject, serviceObject } from './json.js'

export const byKey = <Row>(rows: ReadonlyMap<string, Row>): readonly Row[] =>
  [...rows].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row)

/** What the last event of a node was, and its index, which is beyond the node's own where reads show no difference. */
interface LastNodeEvent {
  readonly type: Exclude<NodeEvent['Type'], 'NodeDeregistration'>
  readonly index: number
}

/** A node with everything on it. It stays the same object as long as the node is there. */
export class Host {
  #state: NodeState
  #json = ''
  /** By `localKey`. */
  readonly services = new Map<string, ServiceRow>()
  readonly checks = new Map<string, CheckRow>()
  #own: readonly CheckRow[] | undefined

  constructor(
    state: NodeState,
    public lastEvent: LastNodeEvent
  ) {
    this.#state = state
  }

  get state(): NodeState {
    return this.#state
  }

  set state(state: NodeState) {
    const isShown = state.node !== this.#state.node
    this.#state = state
    if (!isShown) return
    this.#json = ''
    for (const service of this.services.values()) service.forget()
  }

  /** Name of the node. */
  get name(): string {
    return this.#state.node.Node
  }

  /** The Node object. */
  get json(): string {
    return (this.#json ||= JSON.stringify(nodeObject(this.#state)))
  }

  /** The checks of the node itself, by ID. */
  get ownChecks(): readonly CheckRow[] {
    return (this.#own ??= byKey(this.checks).filter(row => row.state.check.ServiceID === ''))
  }

  /** To be called when a check of the node itself came, changed or went. */
  forgetOwnChecks(): void {
    this.#own = undefined
    for (const service of this.services.values()) service.forgetHealth()
  }
}

/** A node as its table knows it; another one after each change. */
export interface NodeRow {
  readonly host: Host
  readonly partition: string
  /** In lower case. */
  readonly name: string
  /** In lower case; undefined for a node without one. */
  readonly id: string | undefined
}

/** A service instance; another one after each change. Its texts are made when first asked for. */
export class ServiceRow {
  /** Sorts the instances of a service: by node, then ID. */
  readonly order: string
  #json = ''
  #flatJson = ''
  #healthJson = ''
  #isPassing: boolean | undefined
  #hasSecrets: boolean | undefined
  #allChecks: readonly CheckRow[] | undefined

  constructor(
    readonly host: Host,
    readonly state: ServiceState /** The node as it was when the instance was registered. */,
    readonly registeredOn: HostingNode /** Its own checks by `localKey`. */,
    readonly checks: Map<string, CheckRow>
  ) {
    this.order = `${host.name.toLowerCase()}\0${state.service.ID.toLowerCase()}`
  }

  get name(): string {
    return this.state.service.Service
  }

  /** The NodeService object. */
  get json(): string {
    return (this.#json ||= JSON.stringify(serviceObject(this.state)))
  }

  /** The ServiceNode object. */
  get flatJson(): string {
    return (this.#flatJson ||= JSON.stringify(this.flat()))
  }

  flat(): object {
    return serviceNodeObject(this.host.state.node, this.state)
  }

  /** The checks that count for this instance: those of the node, then its own, each by ID. */
  get allChecks(): readonly CheckRow[] {
    return (this.#allChecks ??= [...this.host.ownChecks, ...byKey(this.checks)])
  }

  /** Whether all of them pass; true without any. */
  get isPassing(): boolean {
    return (this.#isPassing ??= this.allChecks.every(row => row.state.check.Status === 'passing'))
  }

  /** The CheckServiceNode object with all its checks, without their secrets. */
  get healthJson(): string {
    return (this.#healthJson ||= this.#healthJsonOf(this.allChecks.map(row => row.json)))
  }

  /**
   * The same with the secrets of some checks.
   * @param showsSecrets is asked only of checks that have secrets
   */
  healthJsonFor(showsSecrets: (row: CheckRow) => boolean): string {
    this.#hasSecrets ??= this.allChecks.some(row => row.hasSecrets)
    return this.#hasSecrets
      ? this.#healthJsonOf(this.allChecks.map(row => row.jsonFor(showsSecrets)))
      : this.healthJson
  }

  #healthJsonOf(checks: readonly string[]): string {
    return `{"Node":${this.host.json},"Service":${this.json},"Checks":[${checks.join(',')}]}`
  }

  /** To be called when the node changed. */
  forget(): void {
    this.#flatJson = ''
    this.#healthJson = ''
  }

  /** To be called when a check that counts for it came, changed or went. */
  forgetHealth(): void {
    this.#healthJson = ''
    this.#allChecks = undefined
    this.#isPassing = undefined
    this.#hasSecrets = undefined
  }
}

/** A check; another one after each change. */
export class CheckRow {
  readonly tenancy: Tenancy
  /** What the last event of the check was. */
  readonly eventType: Exclude<CheckEvent['Type'], 'CheckDeregistration'>
  #json = ''

  constructor(
    readonly host: Host,
    readonly state: CheckState,
    eventType: CheckRow['eventType']
  ) {
    this.eventType = eventType
    this.tenancy = { partition: state.partition, namespace: state.namespace }
  }

  /** Sorts the checks of a namespace: by node, then ID. */
  get order(): string {
    return `${this.host.name.toLowerCase()}\0${this.state.check.CheckID.toLowerCase()}`
  }

  /** Whether its definition has secrets. */
  get hasSecrets(): boolean {
    return withoutSecrets(this.state) !== this.state
  }

  /** The HealthCheck object without secrets. */
  get json(): string {
    return (this.#json ||= JSON.stringify(checkObject(this.state)))
  }

  /** The HealthCheck object, with its secrets where `showsSecrets` allows it; it is asked only when there are some. */
  jsonFor(showsSecrets: (row: CheckRow) => boolean): string {
    return this.hasSecrets && showsSecrets(this)
      ? JSON.stringify(checkObject(this.state, { showsSecrets: true }))
      : this.json
  }
}
