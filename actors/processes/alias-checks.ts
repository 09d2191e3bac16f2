// The alias checks that run, by what they take over: each is looked at anew when that changes.
import { isCheckEvent } from '../../events/check.js'
import type { Event } from '../../events/envelope.js'
import { isServiceEvent } from '../../events/service.js'
import { localKey, nodeKey } from '../../projections/catalog/reader.js'
import type { AliasCheck } from '../agent/alias.js'

const NODE = ''

/** The thing that an event says something of: a service on a node, or with `NODE` all that is on it. */
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

/**
 * An event costs O(1), and O(1) for each check that it concerns: those of its service, or all of its node.
 */
export class AliasChecks {
  readonly #checks = new Map<string, AliasCheck>()
  /** Keys of checks by node and by the service on it. */
  readonly #byNode = new Map<string, Map<string, Set<string>>>()
  readonly #dirty = new Set<string>()

  /**
   * @param look called for a check some time after what it takes over has changed, never during the change
   */
  constructor(private readonly look: (check: AliasCheck) => void) {}

  /** From now on the check is looked at: once soon, and after every change. */
  add(key: string, check: AliasCheck): void {
    this.#checks.set(key, check)
    const { node, subject } = this.#placeOf(check)
    const bySubject = this.#byNode.get(node) ?? new Map<string, Set<string>>()
    this.#byNode.set(node, bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(key)))
    this.#mark([key])
  }

  remove(key: string): void {
    const check = this.#checks.get(key)
    if (!check) return
    this.#checks.delete(key)
    const { node, subject } = this.#placeOf(check)
    const bySubject = this.#byNode.get(node)
    const keys = bySubject?.get(subject)
    keys?.delete(key)
    if (keys?.size === 0) bySubject?.delete(subject)
    if (bySubject?.size === 0) this.#byNode.delete(node)
  }

  /** Looks at a check once more, if it still runs. */
  again(key: string): void {
    if (this.#checks.has(key)) this.#mark([key])
  }

  /** Tells of an event that was applied. */
  note(event: Event): void {
    if (this.#checks.size === 0) return
    const place = subjectOf(event)
    const bySubject = place && this.#byNode.get(place.node)
    if (!bySubject) return
    if (place.subject === NODE) for (const keys of bySubject.values()) this.#mark(keys)
    else this.#mark(bySubject.get(place.subject) ?? [])
  }

  #placeOf({ tenancy, ownNode, definition }: AliasCheck) {
    const { AliasNode, AliasService } = definition
    return {
      node: nodeKey(tenancy.partition, AliasNode || ownNode),
      subject: AliasService ? localKey(tenancy.namespace, AliasService) : NODE
    }
  }

  #mark(keys: Iterable<string>): void {
    const isFirst = this.#dirty.size === 0
    for (const key of keys) this.#dirty.add(key)
    if (isFirst && this.#dirty.size > 0) setImmediate(() => this.#lookAtAll())
  }

  #lookAtAll(): void {
    const keys = [...this.#dirty]
    this.#dirty.clear()
    for (const key of keys) {
      const check = this.#checks.get(key)
      if (check) this.look(check)
    }
  }
}
