// Virtual actors: activated from the read models when a command or an event is for them, passivated with the commit.
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { Lifecycle, MachineEvent } from './lifecycle.js'
import type { Lifecycles } from './lifecycles.js'
import { textOf, type ActorRef } from './ref.js'
import { step } from './step.js'

/** An actor while it is active. */
class Activation {
  #snapshot: AnyMachineSnapshot
  /** Its newest event, as long as nobody has asked what became of it: of most actors nobody does before they are passivated. */
  #taken: MachineEvent | undefined

  constructor(
    private readonly machine: AnyStateMachine,
    snapshot: AnyMachineSnapshot
  ) {
    this.#snapshot = snapshot
  }

  /** Its machine in the state in which the events taken so far have left it. */
  get snapshot(): AnyMachineSnapshot {
    if (this.#taken) {
      this.#snapshot = step(this.machine, this.#snapshot, this.#taken)
      this.#taken = undefined
    }
    return this.#snapshot
  }

  canTake(event: Event): boolean {
    return this.snapshot.can({ type: event.Type, event })
  }

  /** @throws Error when it is not possible */
  take(event: Event): void {
    const { snapshot } = this
    const taken: MachineEvent = { type: event.Type, event }
    if (!snapshot.can(taken))
      throw new Error(`${event.Type} of ${event.Key} is not possible while it is ${String(snapshot.value)}`)
    this.#taken = taken
  }
}

/**
 * The actors that one commit is about. Each is activated once, from its row, and its machine takes each of its events, so
 * that an event finds it as those before in the same commit have left it. Whoever lets go of these passivates all of them:
 * what they have become is what the read models make of the commit. Costs about a microsecond an event, and some more where
 * an actor takes another one.
 */
export class UnitOfWork {
  readonly #active = new Map<string, Activation>()

  /** @param views as they are before the commit */
  constructor(
    private readonly lifecycles: Lifecycles,
    private readonly views: Views
  ) {}

  /** Activates the actor of a thing that has a lifecycle, unless it is active already. */
  activate(ref: ActorRef, lifecycle: Lifecycle): Activation {
    const identity = textOf(ref)
    let actor = this.#active.get(identity)
    if (!actor) {
      const state = lifecycle.stateOf(this.views, ref)
      actor = new Activation(lifecycle.machine, this.lifecycles.snapshotOf(lifecycle, state))
      this.#active.set(identity, actor)
    }
    return actor
  }

  /** Whether an event is possible for the thing that it is about. */
  canTake(event: Event): boolean {
    return this.#actorOf(event)?.canTake(event) ?? false
  }

  /**
   * Has the actor of an event's thing take it.
   * @throws Error when it is not possible: a decision is wrong, or a log was not written by this program
   */
  take(event: Event): void {
    const actor = this.#actorOf(event)
    if (!actor) throw new Error(`no aggregate has the topic ${event.Topic}`)
    actor.take(event)
  }

  /** Has the actors of a commit's events take them, in their order, but for those that were erased. @throws Error as `take` */
  takeAll(events: readonly Event[]): void {
    for (const event of events) if (!event.Erased) this.take(event)
  }

  #actorOf(event: Event): Activation | undefined {
    const lifecycle = this.lifecycles.of(event.Topic)
    return lifecycle && this.activate(this.lifecycles.refOf(event), lifecycle)
  }
}
