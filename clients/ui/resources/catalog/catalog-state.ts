// The current services, checks and nodes, folded from events, and the rows that each batch of events changes.
import type { EventMessage } from '../../../typescript/events.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { isDeletion, fieldsOf } from '../kind.js'
import {
  checkFacts,
  instanceFacts,
  nodeFacts,
  type CheckFacts,
  type InstanceFacts,
  type NodeFacts,
  checkId,
  instanceId,
  nodeId,
  serviceId,
  worse,
  type ServiceSummary,
  type Status
} from './facts.js'

/** The IDs of changed rows. */
type Changes = Readonly<Record<'services' | 'instances' | 'checks' | 'nodes', Set<string>>>

const noChanges = (): Changes => ({
  services: new Set(),
  instances: new Set(),
  checks: new Set(),
  nodes: new Set()
})

/** Sets by name, without empty ones. */
class Groups {
  readonly #sets = new Map<string, Set<string>>()

  get names(): Iterable<string> {
    return this.#sets.keys()
  }

  of(name: string): readonly string[] {
    return [...(this.#sets.get(name) ?? [])]
  }

  /** Moves a member. @param before the name of its group; undefined for none */
  move(member: string, before: string | undefined, after: string | undefined): void {
    const left = before === undefined ? undefined : this.#sets.get(before)
    left?.delete(member)
    if (before !== undefined && left?.size === 0) this.#sets.delete(before)
    if (after === undefined) return
    const joined = this.#sets.get(after) ?? new Set()
    this.#sets.set(after, joined.add(member))
  }

  clear(): void {
    this.#sets.clear()
  }
}

const countsOf = (statuses: readonly Status[]): Readonly<Record<Status, number>> => {
  const counts = { passing: 0, warning: 0, critical: 0 }
  for (const status of statuses) counts[status]++
  return counts
}

/** The ID of the instance or node of a check. */
const placeOf = (check: CheckFacts): string =>
  check.serviceId === '' ? nodeId(check) : instanceId({ ...check, id: check.serviceId })

export class CatalogState {
  readonly instances = new Map<string, InstanceFacts>()
  readonly checks = new Map<string, CheckFacts>()
  readonly nodes = new Map<string, NodeFacts>()
  readonly #instancesOf = new Groups()
  readonly #instancesOn = new Groups()
  /** Of an instance, or of a node itself. */
  readonly #checksOf = new Groups()
  /** Of a node and its instances. */
  readonly #checksOn = new Groups()
  #changes = noChanges()

  get services(): Iterable<string> {
    return this.#instancesOf.names
  }

  apply(messages: readonly EventMessage[]): Changes {
    for (const { Events, Snapshot } of messages) {
      if (Snapshot === 'restart') this.clear()
      for (const event of Events) this.#take(event)
    }
    const changes = this.#changes
    this.#changes = noChanges()
    return changes
  }

  service(id: string): ServiceSummary | undefined {
    const instances = this.#instancesOf.of(id).flatMap(each => this.instance(each) ?? [])
    const newest = instances.at(-1)
    if (!newest) return undefined
    const { service, namespace, partition, kind } = newest.facts
    const tags: Record<string, number> = {}
    for (const { facts } of instances) for (const tag of facts.tags) tags[tag] = (tags[tag] ?? 0) + 1
    const counts = countsOf(instances.map(({ status }) => status))
    return { service, namespace, partition, kind, instances: instances.length, counts, tags }
  }

  /** Returns an instance with the worst status of its checks and those of its node, and their number. */
  instance(id: string) {
    const facts = this.instances.get(id)
    if (!facts) return undefined
    const checks = [...this.#checksOf.of(id), ...this.#checksOf.of(nodeId(facts))]
    const status = this.#statusesOf(checks).reduce<Status>(worse, 'passing')
    return { facts, status, checks: checks.length }
  }

  /** Returns a node with the numbers of its checks and those of its instances. */
  node(id: string) {
    const facts = this.nodes.get(id)
    const counts = countsOf(this.#statusesOf(this.#checksOn.of(id)))
    return facts && { facts, instances: this.#instancesOn.of(id).length, counts }
  }

  #statusesOf(checks: readonly string[]): readonly Status[] {
    return checks.flatMap(id => this.checks.get(id)?.status ?? [])
  }

  #take(event: StreamedEvent): void {
    const { Topic, Payload, Namespace, Partition } = event
    const isGone = isDeletion(event)
    if (Topic === 'Service') {
      const facts = instanceFacts(event)
      this.#setInstance(instanceId(facts), isGone ? undefined : facts)
    } else if (Topic === 'Check') {
      const facts = checkFacts({ ...fieldsOf(Payload), Namespace, Partition })
      this.#setCheck(checkId(facts), isGone ? undefined : facts)
    } else if (Topic === 'Node') {
      const facts = nodeFacts(event)
      this.#changes.nodes.add(nodeId(facts))
      if (isGone) this.nodes.delete(nodeId(facts))
      else this.nodes.set(nodeId(facts), facts)
    }
  }

  #setInstance(id: string, facts: InstanceFacts | undefined): void {
    const before = this.instances.get(id)
    this.#instancesOf.move(id, before && serviceId(before), facts && serviceId(facts))
    this.#instancesOn.move(id, before && nodeId(before), facts && nodeId(facts))
    if (before) this.#touch(id)
    if (facts) this.instances.set(id, facts)
    else this.instances.delete(id)
    if (facts) this.#touch(id)
  }

  #setCheck(id: string, facts: CheckFacts | undefined): void {
    const before = this.checks.get(id)
    this.#checksOf.move(id, before && placeOf(before), facts && placeOf(facts))
    this.#checksOn.move(id, before && nodeId(before), facts && nodeId(facts))
    this.#changes.checks.add(id)
    if (facts) this.checks.set(id, facts)
    else this.checks.delete(id)
    if (before?.status === facts?.status && before?.serviceId === facts?.serviceId) return
    for (const check of [before, facts])
      if (check) {
        this.#changes.nodes.add(nodeId(check))
        const isOfNode = check.serviceId === ''
        for (const each of isOfNode ? this.#instancesOn.of(nodeId(check)) : [placeOf(check)])
          this.#touch(each)
      }
  }

  /** Records that an instance has changed. */
  #touch(id: string): void {
    const facts = this.instances.get(id)
    if (!facts) return
    this.#changes.instances.add(id)
    this.#changes.services.add(serviceId(facts))
    this.#changes.nodes.add(nodeId(facts))
  }

  clear(): void {
    for (const id of this.instances.keys()) this.#touch(id)
    for (const id of this.checks.keys()) this.#changes.checks.add(id)
    for (const id of this.nodes.keys()) this.#changes.nodes.add(id)
    for (const rows of [this.instances, this.checks, this.nodes]) rows.clear()
    for (const each of [this.#instancesOf, this.#instancesOn, this.#checksOf, this.#checksOn]) each.clear()
  }
}

export type Instance = NonNullable<ReturnType<CatalogState['instance']>>
export type NodeRow = NonNullable<ReturnType<CatalogState['node']>>
