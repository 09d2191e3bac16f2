// The lifecycles of all topics, and what they say of events.
import type { AnyMachineSnapshot } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { Lifecycle } from './lifecycle.js'
import { subjectOf, textOf, type ActorRef } from './ref.js'

/** The lifecycles of all topics. */
export class Lifecycles {
  readonly #lifecycles: ReadonlyMap<string, Lifecycle>
  /** The snapshots of each lifecycle's states, made when a thing is first met in them. */
  readonly #snapshots = new Map<Lifecycle, Map<string, AnyMachineSnapshot>>()

  constructor(lifecycles: readonly Lifecycle[]) {
    this.#lifecycles = new Map(lifecycles.map(lifecycle => [lifecycle.topic, lifecycle]))
  }

  [Symbol.iterator](): Iterator<Lifecycle> {
    return this.#lifecycles.values()
  }

  /** The lifecycle of the things of a topic; undefined for one that no aggregate has. */
  of(topic: string): Lifecycle | undefined {
    return this.#lifecycles.get(topic)
  }

  /** The machine in a state. It keeps no context, so that one snapshot serves all things in this state. */
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

  /** The thing that an event is about. */
  refOf(event: Event): ActorRef {
    const subject = subjectOf(event)
    const key = this.#lifecycles.get(event.Topic)?.keyOf?.(event)
    return key === undefined ? subject : { ...subject, key }
  }

  /** What an event is about, as one text. */
  identityOf(event: Event): string {
    return textOf(this.refOf(event))
  }

  /** Whether nothing is left of a thing after this event. */
  isEnding({ Topic, Type }: Pick<Event, 'Topic' | 'Type'>): boolean {
    return this.#lifecycles.get(Topic)?.endings.includes(Type) ?? false
  }

  /** The type of the event that ends things of a topic; undefined where they have no end. */
  endingOf(topic: string): string | undefined {
    return this.#lifecycles.get(topic)?.endings[0]
  }

  /** What happens to a thing that a snapshot brings back: see `Lifecycle.restoredBy`. */
  restoredBy(views: Views, wanted: Event): Event {
    return this.#lifecycles.get(wanted.Topic)?.restoredBy?.(views, wanted) ?? wanted
  }
}
