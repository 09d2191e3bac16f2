// Checks events against the lives of what they are about, before they are committed and when a log is verified.
import type { AnyMachineSnapshot } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/views.js'
import type { Life } from './aggregate.js'
import { step } from './step.js'

/** The types of events after which nothing is left of a thing: those that lead back to where its life began. */
const endingTypes = ({ machine }: Life): readonly string[] =>
  Object.values(machine.states).flatMap(state =>
    state.key === machine.config.initial
      ? []
      : Object.entries(state.on).flatMap(([type, transitions]) =>
          transitions.some(({ target }) => target?.some(node => node.key === machine.config.initial))
            ? [type]
            : []
        )
  )

/** The lives of all topics. A check costs one look-up and one guard for each event. */
export class Lives {
  readonly #lives: ReadonlyMap<string, Life>
  readonly #endings: ReadonlyMap<string, readonly string[]>
  readonly #snapshots = new Map<string, AnyMachineSnapshot>()

  constructor(lives: readonly Life[]) {
    this.#lives = new Map(lives.map(life => [life.topic, life]))
    this.#endings = new Map(lives.map(life => [life.topic, endingTypes(life)]))
  }

  /** What an event is about, as one text. */
  identityOf(event: Event): string {
    const { Topic, Partition, Namespace, Key } = event
    return JSON.stringify([Topic, Partition, Namespace, this.#lives.get(Topic)?.identityOf?.(event) ?? Key])
  }

  /** Whether nothing is left of a thing after this event. */
  isEnding({ Topic, Type }: Event): boolean {
    return this.#endings.get(Topic)?.includes(Type) ?? false
  }

  /** The type of the event that ends things of a topic; undefined where they have no end. */
  endingOf(topic: string): string | undefined {
    return this.#endings.get(topic)?.[0]
  }

  /** Whether a single event is possible now. */
  isPossible(views: Views, event: Event): boolean {
    const life = this.#lives.get(event.Topic)
    return life !== undefined && this.#wake(life, life.stateOf(views, event)).can({ type: event.Type, event })
  }

  /**
   * Steps the machine of each event's thing from the state it is in before the commit.
   * @throws Error when an event is not possible: a decision is wrong, or a log was not written by this program.
   */
  check(views: Views, events: readonly Event[]): void {
    const moved = events.length > 1 ? new Map<string, AnyMachineSnapshot>() : undefined
    for (const event of events) {
      const life = this.#lives.get(event.Topic)
      if (!life) throw new Error(`no aggregate has the topic ${event.Topic}`)
      const before = moved?.get(this.identityOf(event)) ?? this.#wake(life, life.stateOf(views, event))
      const happening = { type: event.Type, event }
      if (!before.can(happening))
        throw new Error(`${event.Type} of ${event.Key} is not possible while it is ${String(before.value)}`)
      moved?.set(this.identityOf(event), step(life.machine, before, happening))
    }
  }

  /** The machine in this state. Lives keep no context of their own, so each state is made once. */
  #wake(life: Life, value: string): AnyMachineSnapshot {
    const name = `${life.topic}/${value}`
    let snapshot = this.#snapshots.get(name)
    if (!snapshot) this.#snapshots.set(name, (snapshot = life.machine.resolveState({ value, context: {} })))
    return snapshot
  }
}
