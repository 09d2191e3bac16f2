import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createEmptyActor,
  type ActorScope,
  type EventObject
} from 'xstate'
import type { Event } from '../events/envelope.js'
import { getOrCreate } from '../projections/maps.js'
import type { Views } from '../projections/read-models.js'
import type { MachineEvent, Lifecycles } from './lifecycle.js'
import { textOf, type ActorRef } from './ref.js'

const self = createEmptyActor()
// oxlint-disable-next-line typescript/no-explicit-any -- one scope for machines of every type
const scope: ActorScope<any, any> = {
  self,
  id: '',
  sessionId: '',
  system: self.system,
  logger: () => {},
  defer: () => {},
  emit: () => {},
  stopChild: () => {},
  actionExecutor: action => {
    throw new Error(`a machine run by steps cannot execute ${action.type}`)
  }
}

/** xstate stores an error of a guard or action in the snapshot; a step throws it. */
const throwErrorOf = (snapshot: AnyMachineSnapshot): AnyMachineSnapshot => {
  if (snapshot.status === 'error') throw snapshot.error
  return snapshot
}

/** Returns the machine's snapshot after an event. Only for machines without timers and invocations. */
export const step = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject
): AnyMachineSnapshot => throwErrorOf(machine.transition(snapshot, event, scope))

class Activation {
  /** The newest event, applied on demand: most actors are passivated without a read of their state. */
  #taken: MachineEvent | undefined

  constructor(
    private readonly machine: AnyStateMachine,
    private current: AnyMachineSnapshot
  ) {}

  get snapshot(): AnyMachineSnapshot {
    if (this.#taken) {
      this.current = step(this.machine, this.current, this.#taken)
      this.#taken = undefined
    }
    return this.current
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
 * The activated actors of one commit. Each is activated once, from its row, and its machine takes each of its
 * events in order. Dropping the unit of work passivates all of them, and the read models hold the result. An
 * event costs about a microsecond, and slightly more beside other events.
 */
export class UnitOfWork {
  #active: Map<string, Activation> | undefined

  /** @param views the state before the commit */
  constructor(
    private readonly lifecycles: Lifecycles,
    private readonly views: Views
  ) {}

  canTake(event: Event): boolean {
    return this.lifecycles.of(event.Topic) !== undefined && this.#actorOf(event).canTake(event)
  }

  /** @throws Error for an impossible event: a decision is wrong, or another program wrote the log */
  take(event: Event): void {
    this.#actorOf(event).take(event)
  }

  /** Applies all events of a commit in order, except the erased ones. @throws Error as `take` */
  takeAll(events: readonly Event[]): void {
    const [only] = events
    // Most commits have one event: its actor takes no other.
    if (only && events.length === 1 && !only.Erased) this.#activate(this.lifecycles.refOf(only)).take(only)
    else for (const event of events) if (!event.Erased) this.take(event)
  }

  #actorOf(event: Event): Activation {
    const ref = this.lifecycles.refOf(event)
    return getOrCreate((this.#active ??= new Map()), textOf(ref), () => this.#activate(ref))
  }

  #activate(ref: ActorRef): Activation {
    const lifecycle = this.lifecycles.of(ref.kind)
    if (!lifecycle) throw new Error(`no aggregate has the topic ${ref.kind}`)
    const state = lifecycle.stateOf(this.views, ref)
    return new Activation(lifecycle.machine, this.lifecycles.snapshotOf(lifecycle, state))
  }
}
