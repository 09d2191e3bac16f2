// The running alias checks by their targets: each is evaluated evaluateAgain when its target changes.
import { isCheckEvent } from '../../events/check.js'
import type { Event } from '../../events/envelope.js'
import { isServiceEvent } from '../../events/service.js'
import { localKey, nodeKey } from '../../projections/catalog/reader.js'
import type { AliasCheck } from '../agent/alias.js'

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
  /** Keys of checks by node and service. */
  readonly #byNode = new Map<string, Map<string, Set<string>>>()
  readonly #dirty = new Set<string>()

  /** @param evaluate runs for a check soon after its target has changed, never during the change */
  constructor(private readonly evaluate: (check: AliasCheck) => void) {}

  /** Evaluates the check soon, and after every change. */
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

  /** Evaluates a check evaluateAgain, if it still runs. */
  evaluateAgain(key: string): void {
    if (this.#checks.has(key)) this.#mark([key])
  }

  /** Handles an applied event. */
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
