import { type CheckEvent, type CheckState, withoutSecrets } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import type { NodeEvent, NodeState } from '../../events/node.js'
import type { HostingNode, ServiceState } from '../../events/service.js'
import { byText } from '../row-table.js'
import { checkObject, nodeObject, serviceNodeObject, serviceObject } from './json.js'

export const byKey = <Row>(rows: ReadonlyMap<string, Row>): readonly Row[] =>
  [...rows].toSorted(([a], [b]) => byText(a, b)).map(([, row]) => row)

/** A node with its services and checks. The object stays the same as long as the node exists. */
export class Host {
  #json = ''
  /** By `localKey`. */
  readonly services = new Map<string, ServiceRow>()
  readonly checks = new Map<string, CheckRow>()
  #own: readonly CheckRow[] | undefined

  constructor(
    private current: NodeState,
    /** The index is greater than the node's own if reads show no change. */
    public lastEvent: {
      readonly type: Exclude<NodeEvent['Type'], 'NodeDeregistration'>
      readonly index: number
    }
  ) {}

  get state(): NodeState {
    return this.current
  }

  set state(state: NodeState) {
    const isShown = state.node !== this.current.node
    this.current = state
    if (!isShown) return
    this.#json = ''
    for (const service of this.services.values()) service.forget()
  }

  get name(): string {
    return this.current.node.Node
  }

  get json(): string {
    return (this.#json ||= JSON.stringify(nodeObject(this.current)))
  }

  get ownChecks(): readonly CheckRow[] {
    return (this.#own ??= byKey(this.checks).filter(row => row.state.check.ServiceID === ''))
  }

  /** Must be called when a check of the node itself changes. */
  forgetOwnChecks(): void {
    this.#own = undefined
    for (const service of this.services.values()) service.forgetHealth()
  }
}

/** A node at its last change that reads show. */
export interface NodeRow {
  readonly host: Host
  readonly state: NodeState
  readonly partition: string
  /** In lower case. */
  readonly name: string
  /** In lower case; undefined for a node without one. */
  readonly id: string | undefined
}

export const nodeJson = ({ host, state }: NodeRow): string =>
  // The present node shares its text with the instances on it.
  host.state.node === state.node ? host.json : JSON.stringify(nodeObject(state))

export class ServiceRow {
  readonly order: string
  #json = ''
  #flatJson = ''
  #healthJson = ''
  #isPassing: boolean | undefined
  #hasSecrets: boolean | undefined
  #allChecks: readonly CheckRow[] | undefined

  constructor(
    readonly host: Host,
    readonly state: ServiceState,
    /** The node at the registration of the instance. */
    readonly registeredOn: HostingNode,
    readonly checks: Map<string, CheckRow>
  ) {
    this.order = `${host.name.toLowerCase()}\0${state.service.ID.toLowerCase()}`
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
    return serviceNodeObject(this.host.state.node, this.state)
  }

  /** The checks that apply to this instance: those of the node, then its own, each by ID. */
  get allChecks(): readonly CheckRow[] {
    return (this.#allChecks ??= [...this.host.ownChecks, ...byKey(this.checks)])
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
    return `{"Node":${this.host.json},"Service":${this.json},"Checks":[${checks.join(',')}]}`
  }

  /** Must be called when the node changes. */
  forget(): void {
    this.#flatJson = ''
    this.#healthJson = ''
  }

  /** Must be called when one of its checks changes. */
  forgetHealth(): void {
    this.#healthJson = ''
    this.#allChecks = undefined
    this.#isPassing = undefined
    this.#hasSecrets = undefined
  }
}

export class CheckRow {
  readonly tenancy: Tenancy
  readonly order: string
  #json = ''

  constructor(
    readonly host: Host,
    readonly state: CheckState,
    readonly eventType: Exclude<CheckEvent['Type'], 'CheckDeregistration'>
  ) {
    this.tenancy = { partition: state.partition, namespace: state.namespace }
    this.order = `${host.name.toLowerCase()}\0${state.check.CheckID.toLowerCase()}`
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
