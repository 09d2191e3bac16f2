// Checks events against the lifecycles of what they are about, before they are committed and when a log is verified.
import type { AnyMachineSnapshot } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/views.js'
import type { Lifecycle } from './aggregate.js'
import { step } from './step.js'

/** The types of events after which nothing is left of a thing: those that lead back to where its lifecycle began. */
const endingTypes = ({ machine }: Lifecycle): readonly string[] =>
  Object.values(machine.states).flatMap(state =>
    state.key === machine.config.initial
      ? []
      : Object.entries(state.on).flatMap(([type, transitions]) =>
          transitions.some(({ target }) => target?.some(node => node.key === machine.config.initial))
            ? [type]
            : []
        )
  )

/** A state in which things of a topic can be. */
interface Stage {
  readonly snapshot: AnyMachineSnapshot
  /** The types of events that are possible here whatever they hold. */
  readonly unguarded: ReadonlySet<string>
}

/** Lifecycles keep no context of their own, so that the state says everything. */
const stageOf = ({ machine }: Lifecycle, value: string): Stage => {
  const unguarded = new Set<string>()
  for (const [type, [first]] of Object.entries(machine.states[value]?.on ?? {}))
    if (first && first.target !== undefined && first.guard === undefined) unguarded.add(type)
  return { snapshot: machine.resolveState({ value, context: {} }), unguarded }
}

/** The lifecycles of all topics. A check costs one look-up and, where the event has one, one guard for each event. */
export class Lifecycles {
  readonly #lifecycles: ReadonlyMap<string, Lifecycle>
  readonly #endings: ReadonlyMap<string, readonly string[]>
  /** The states of each lifecycle, made when a thing is first met in them. */
  readonly #stages: ReadonlyMap<Lifecycle, Map<string, Stage>>

  constructor(lifecycles: readonly Lifecycle[]) {
    this.#lifecycles = new Map(lifecycles.map(lifecycle => [lifecycle.topic, lifecycle]))
    this.#endings = new Map(lifecycles.map(lifecycle => [lifecycle.topic, endingTypes(lifecycle)]))
    this.#stages = new Map(lifecycles.map(lifecycle => [lifecycle, new Map<string, Stage>()]))
  }

  /** What an event is about, as one text. */
  identityOf(event: Event): string {
    const { Topic, Partition, Namespace, Key } = event
    return JSON.stringify([
      Topic,
      Partition,
      Namespace,
      this.#lifecycles.get(Topic)?.identityOf?.(event) ?? Key
    ])
  }

  /** Whether nothing is left of a thing after this event. */
  isEnding({ Topic, Type }: Event): boolean {
    return this.#endings.get(Topic)?.includes(Type) ?? false
  }

  /** The type of the event that ends things of a topic; undefined where they have no end. */
  endingOf(topic: string): string | undefined {
    return this.#endings.get(topic)?.[0]
  }

  /** What happens to a thing that a snapshot brings back: see `Lifecycle.restoredBy`. */
  restoredBy(views: Views, wanted: Event): Event {
    return this.#lifecycles.get(wanted.Topic)?.restoredBy?.(views, wanted) ?? wanted
  }

  /** Whether a single event is possible now. */
  isPossible(views: Views, event: Event): boolean {
    const lifecycle = this.#lifecycles.get(event.Topic)
    return (
      lifecycle !== undefined && isPossible(this.#stage(lifecycle, lifecycle.stateOf(views, event)), event)
    )
  }

  /**
   * Steps the machine of each event's thing from the state it is in before the commit.
   * @throws Error when an event is not possible: a decision is wrong, or a log was not written by this program.
   */
  check(views: Views, events: readonly Event[]): void {
    const only = events.length === 1 ? events[0] : undefined
    if (only) {
      const lifecycle = this.#lifecycleOf(only)
      const value = lifecycle.stateOf(views, only)
      if (!isPossible(this.#stage(lifecycle, value), only)) throw impossible(only, value)
      return
    }
    const moved = new Map<string, AnyMachineSnapshot>()
    for (const event of events) {
      const lifecycle = this.#lifecycleOf(event)
      const identity = this.identityOf(event)
      const before = moved.get(identity) ?? this.#stage(lifecycle, lifecycle.stateOf(views, event)).snapshot
      const happening = { type: event.Type, event }
      if (!before.can(happening)) throw impossible(event, String(before.value))
      moved.set(identity, step(lifecycle.machine, before, happening))
    }
  }

  #lifecycleOf({ Topic }: Event): Lifecycle {
    const lifecycle = this.#lifecycles.get(Topic)
    if (!lifecycle) throw new Error(`no aggregate has the topic ${Topic}`)
    return lifecycle
  }

  #stage(lifecycle: Lifecycle, value: string): Stage {
    const stages = this.#stages.get(lifecycle)
    let stage = stages?.get(value)
    if (!stage) {
      stage = stageOf(lifecycle, value)
      stages?.set(value, stage)
    }
    return stage
  }
}

const isPossible = ({ snapshot, unguarded }: Stage, event: Event): boolean =>
  unguarded.has(event.Type) || snapshot.can({ type: event.Type, event })

const impossible = ({ Type, Key }: Event, value: string): Error =>
  new Error(`${Type} of ${Key} is not possible while it is ${value}`)
