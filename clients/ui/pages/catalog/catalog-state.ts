// The current services, checks and nodes, folded from events at a cost proportional to each change.
import type { EventMessage } from '../../../typescript/events.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { isDeletion, fieldsOf } from '../../resources/kind.js'
import { OrderedKeys } from '../../resources/ordered-keys.js'
import {
  checkFacts,
  instanceFacts,
  nodeFacts,
  type CheckFacts,
  type InstanceFacts,
  type NodeFacts
} from './catalog-details.js'
import {
  checkId,
  instanceId,
  nodeId,
  serviceId,
  emptySummary,
  withPart,
  worse,
  type ServiceSummary,
  type Status
} from './summary.js'

export interface Instance {
  readonly facts: InstanceFacts
  /** The worst of its checks and those of its node. */
  readonly status: Status
}

interface NodeTally {
  readonly services: number
  readonly passing: number
  readonly warning: number
  readonly critical: number
}

const NO_TALLY: NodeTally = { services: 0, passing: 0, warning: 0, critical: 0 }

const NONE: ReadonlySet<string> = new Set()

/** Sets by name, without empty ones. */
class Groups {
  readonly #sets = new Map<string, Set<string>>()

  of(name: string): ReadonlySet<string> {
    return this.#sets.get(name) ?? NONE
  }

  add(name: string, member: string): void {
    const set = this.#sets.get(name)
    if (set) set.add(member)
    else this.#sets.set(name, new Set([member]))
  }

  delete(name: string, member: string): void {
    const set = this.#sets.get(name)
    set?.delete(member)
    if (set?.size === 0) this.#sets.delete(name)
  }

  clear(): void {
    this.#sets.clear()
  }
}

/** Rows by their IDs, in the order of the IDs. */
export class Rows<T> {
  readonly #rows = new Map<string, T>()
  readonly #order = new OrderedKeys()

  get(id: string): T | undefined {
    return this.#rows.get(id)
  }

  get ids(): readonly string[] {
    return this.#order.list
  }

  /** In the order of their IDs. */
  get all(): readonly T[] {
    return this.ids.flatMap(id => this.#rows.get(id) ?? [])
  }

  set(id: string, row: T): void {
    if (!this.#rows.has(id)) this.#order.add(id)
    this.#rows.set(id, row)
  }

  delete(id: string): void {
    if (this.#rows.delete(id)) this.#order.delete(id)
  }

  clear(): void {
    this.#rows.clear()
    this.#order.clear()
  }
}

/** Rows are immutable, collections change in place. */
export class CatalogState {
  readonly services = new Rows<ServiceSummary>()
  readonly instances = new Rows<Instance>()
  readonly checks = new Rows<CheckFacts>()
  readonly nodes = new Rows<NodeFacts>()
  readonly #tallies = new Map<string, NodeTally>()
  /** Of an instance, or of a node itself. */
  readonly #checksOf = new Groups()
  readonly #instancesOn = new Groups()

  tallyOf(node: string): NodeTally {
    return this.#tallies.get(node) ?? NO_TALLY
  }

  /** Applies events, and yields after each message. The caller must exhaust the iterator. */
  *applying(messages: readonly EventMessage[]): Iterable<void> {
    for (const { Events, Snapshot } of messages) {
      if (Snapshot === 'restart') this.#clear()
      for (const event of Events) this.#take(event)
      yield
    }
  }

  /** @param id of an instance or node in this catalog */
  checksOf(id: string): readonly CheckFacts[] {
    return [...this.#checksOf.of(id)].flatMap(check => this.checks.get(check) ?? [])
  }

  #take(event: StreamedEvent): void {
    const { Topic, Payload, Namespace, Partition = '' } = event
    const isGone = isDeletion(event)
    if (Topic === 'Service') {
      const facts = instanceFacts(event)
      this.#setInstance(instanceId(facts), isGone ? undefined : facts)
    } else if (Topic === 'Check') {
      const facts = checkFacts(fieldsOf(Payload), { namespace: Namespace, partition: Partition })
      this.#setCheck(checkId(facts), isGone ? undefined : facts)
    } else if (Topic === 'Node') {
      const facts = nodeFacts(event)
      if (isGone) this.nodes.delete(nodeId(facts))
      else this.nodes.set(nodeId(facts), facts)
    }
  }

  #setInstance(id: string, facts: InstanceFacts | undefined): void {
    const before = this.instances.get(id)
    if (facts && !before) {
      this.#instancesOn.add(nodeId(facts), id)
      this.#count(nodeId(facts), { services: 1 })
    }
    if (!facts && before) {
      this.#instancesOn.delete(nodeId(before.facts), id)
      this.#count(nodeId(before.facts), { services: -1 })
    }
    this.#replace(id, before, facts && { facts, status: this.#statusOf(id, facts) })
  }

  #replace(id: string, before: Instance | undefined, after: Instance | undefined): void {
    if (after) this.instances.set(id, after)
    else this.instances.delete(id)
    const [one, other] = [before && serviceId(before.facts), after && serviceId(after.facts)]
    if (before && one !== other) this.#summarize(before, undefined, before.facts)
    if (after) this.#summarize(one === other ? before : undefined, after, after.facts)
  }

  #summarize(before: Instance | undefined, after: Instance | undefined, of: InstanceFacts): void {
    const id = serviceId(of)
    const part = (each: Instance | undefined) => each && { ...each.facts, status: each.status }
    const now = withPart(this.services.get(id) ?? emptySummary(id, of), part(before), part(after))
    if (now.instances === 0) this.services.delete(id)
    else this.services.set(id, now)
  }

  #setCheck(id: string, facts: CheckFacts | undefined): void {
    const before = this.checks.get(id)
    if (facts) this.checks.set(id, facts)
    else this.checks.delete(id)
    if (before) this.#link(id, before, -1)
    if (facts) this.#link(id, facts, 1)
    if (before && before.status !== facts?.status) this.#refresh(before)
    if (facts && (before?.status !== facts.status || before.serviceId !== facts.serviceId))
      this.#refresh(facts)
  }

  /** Adds or removes a check at its instance or node, and counts it. */
  #link(id: string, facts: CheckFacts, by: 1 | -1): void {
    const place = facts.serviceId === '' ? nodeId(facts) : instanceId({ ...facts, id: facts.serviceId })
    if (by === 1) this.#checksOf.add(place, id)
    else this.#checksOf.delete(place, id)
    this.#count(nodeId(facts), { [facts.status]: by })
  }

  /** Updates the status of the instances that a check affects. */
  #refresh(check: CheckFacts): void {
    const touched =
      check.serviceId === ''
        ? this.#instancesOn.of(nodeId(check))
        : [instanceId({ ...check, id: check.serviceId })]
    for (const id of touched) {
      const before = this.instances.get(id)
      if (!before) continue
      const status = this.#statusOf(id, before.facts)
      if (status !== before.status) this.#replace(id, before, { ...before, status })
    }
  }

  #statusOf(id: string, facts: InstanceFacts): Status {
    let status: Status = 'passing'
    for (const place of [id, nodeId(facts)])
      for (const check of this.#checksOf.of(place)) status = worse(status, this.checks.get(check)?.status)
    return status
  }

  #count(node: string, more: Partial<NodeTally>): void {
    const { services, passing, warning, critical } = this.tallyOf(node)
    this.#tallies.set(node, {
      services: services + (more.services ?? 0),
      passing: passing + (more.passing ?? 0),
      warning: warning + (more.warning ?? 0),
      critical: critical + (more.critical ?? 0)
    })
  }

  #clear(): void {
    for (const rows of [this.services, this.instances, this.checks, this.nodes]) rows.clear()
    this.#tallies.clear()
    this.#checksOf.clear()
    this.#instancesOn.clear()
  }
}
