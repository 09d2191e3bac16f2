import type { AnyMachineSnapshot } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { Lifecycle } from './lifecycle.js'
import { subjectOf, textOf, type ActorRef } from './ref.js'

/** The lifecycles of all topics. */
export class Lifecycles {
  readonly #lifecycles: ReadonlyMap<string, Lifecycle>
  /** Machine snapshots of each lifecycle's states, created on first use. */
  readonly #snapshots = new Map<Lifecycle, Map<string, AnyMachineSnapshot>>()

  constructor(lifecycles: readonly Lifecycle[]) {
    this.#lifecycles = new Map(lifecycles.map(lifecycle => [lifecycle.topic, lifecycle]))
  }

  [Symbol.iterator](): Iterator<Lifecycle> {
    return this.#lifecycles.values()
  }

  of(topic: string): Lifecycle | undefined {
    return this.#lifecycles.get(topic)
  }

  /** Returns the machine in a state. Without context, one snapshot serves all resources in this state. */
  snapshotOf(lifecycle: Lifecycle, value: string): AnyMachineSnapshot {
    let snapshots = this.#snapshots.get(lifecycle)
    if (!snapshots) this.#snapshots.set(lifecycle, (snapshots = new Map()))
    let snapshot = snapshots.get(value)
    if (!snapshot) {
      snapshot = lifecycle.machine.resolveState({ value, context: {} })
      snapshots.set(value, snapshot)
    }
    return snapshot
  }

  /** Returns the resource of an event. */
  refOf(event: Event): ActorRef {
    const subject = subjectOf(event)
    const key = this.#lifecycles.get(event.Topic)?.keyOf?.(event)
    return key === undefined ? subject : { ...subject, key }
  }

  /** Returns the resource of an event as one text. */
  identityOf(event: Event): string {
    return textOf(this.refOf(event))
  }

  /** True for an event that deletes its resource. */
  isEnding({ Topic, Type }: Pick<Event, 'Topic' | 'Type'>): boolean {
    return this.#lifecycles.get(Topic)?.endings.includes(Type) ?? false
  }

  /** Returns the type of the event that deletes resources of a topic; undefined when they have no end. */
  endingOf(topic: string): string | undefined {
    return this.#lifecycles.get(topic)?.endings[0]
  }

  /** See `Lifecycle.restoredBy`. */
  restoredBy(views: Views, archived: Event): Event {
    return this.#lifecycles.get(archived.Topic)?.restoredBy?.(views, archived) ?? archived
  }
}
