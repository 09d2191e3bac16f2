// Checks events against the lives of what they are about, before they are committed and when a log is verified.
import type { AnyMachineSnapshot } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/views.js'
import type { Life } from './aggregate.js'
import { step } from './step.js'

const identity = ({ Topic, Partition, Namespace, Key }: Event): string =>
  JSON.stringify([Topic, Partition, Namespace, Key])

/** The lives of all topics. A check costs one look-up and one guard for each event. */
export class Lives {
  readonly #lives: ReadonlyMap<string, Life>
  readonly #snapshots = new Map<string, AnyMachineSnapshot>()

  constructor(lives: readonly Life[]) {
    this.#lives = new Map(lives.map(life => [life.topic, life]))
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
      const before = moved?.get(identity(event)) ?? this.#wake(life, life.stateOf(views, event))
      const happening = { type: event.Type, event }
      if (!before.can(happening))
        throw new Error(`${event.Type} of ${event.Key} is not possible while it is ${String(before.value)}`)
      moved?.set(identity(event), step(life.machine, before, happening))
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
