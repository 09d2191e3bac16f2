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
import type { PreparedRemoval } from './aggregate.js'
import type { MachineEvent, Lifecycles, LifecycleState } from './lifecycle.js'
import { type ActorRef, textOf } from './ref.js'

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
  #taken: Event | undefined

  constructor(
    private readonly lifecycles: Lifecycles,
    private current: LifecycleState
  ) {}

  get state(): LifecycleState {
    const event = this.#taken
    if (event) {
      const { lifecycle, snapshot } = this.current
      const taken: MachineEvent = { type: event.Type, event }
      const { value } = step(lifecycle.machine, snapshot, taken)
      this.current = this.lifecycles.stateNamed(lifecycle, String(value))
      this.#taken = undefined
    }
    return this.current
  }

  /** @throws Error when it is not possible */
  take(event: Event): void {
    this.state.assertAccepts(event)
    this.#taken = event
  }
}

/**
 * Checks the events of a commit as its unit of work does, except those of prepared removals.
 * @param views the state before the commit
 * @returns true if an event deletes its resource
 * @throws Error as `UnitOfWork.take`
 */
export const assertAllPossible = (
  lifecycles: Lifecycles,
  views: Views,
  events: readonly Event[],
  removals: readonly PreparedRemoval[] = []
): boolean => {
  const deletesAny = removals.length === 0 ? checkDistinct(lifecycles, views, events) : undefined
  if (deletesAny !== undefined) return deletesAny
  new UnitOfWork(lifecycles, views).takeAll(events, removals)
  return events.some(event => lifecycles.isEnding(event))
}

class DistinctKeys {
  /** Keys in ascending order differ, so that most commits compute no hashes. */
  readonly #ascending: string[] = []
  #all: Set<string> | undefined

  /** Returns false for a known key. */
  add(key: string): boolean {
    const newest = this.#ascending.at(-1)
    if (!this.#all && (newest === undefined || newest < key)) {
      this.#ascending.push(key)
      return true
    }
    this.#all ??= new Set(this.#ascending)
    const { size } = this.#all
    return this.#all.add(key).size > size
  }
}

class DistinctResources {
  /** By kind and tenancy. */
  readonly #keys = new Map<string, DistinctKeys>()
  #latest: { readonly ref: ActorRef; readonly keys: DistinctKeys } | undefined

  /** Returns false for a known resource. */
  add(ref: ActorRef): boolean {
    const { kind, partition, namespace, key } = ref
    const { ref: before, keys } = this.#latest ?? {}
    // Most resources are of the same kind as the previous one.
    if (keys && before?.kind === kind && before.namespace === namespace && before.partition === partition)
      return keys.add(key)
    const own = getOrCreate(this.#keys, `${kind} ${partition} ${namespace}`, () => new DistinctKeys())
    this.#latest = { ref, keys: own }
    return own.add(key)
  }
}

/**
 * Checks events of different resources: each actor takes a single event, so that its state before the commit decides.
 * @returns true if an event deletes its resource; undefined at the second event of a resource
 */
const checkDistinct = (
  lifecycles: Lifecycles,
  views: Views,
  events: readonly Event[]
): boolean | undefined => {
  const known = events.length > 1 ? new DistinctResources() : undefined
  let deletesAny = false
  for (const event of events) {
    if (event.Erased) continue
    const ref = known && lifecycles.refOf(event)
    if (known && ref && !known.add(ref)) return undefined
    if (lifecycles.assertPossible(views, event, ref)) deletesAny = true
  }
  return deletesAny
}

/**
 * The activated actors of one commit. Each is activated once, from its row, and its machine takes each of its
 * events in order. Dropping the unit of work passivates all of them, and the read models hold the result. An
 * event costs about a microsecond, and slightly more beside other events.
 */
export class UnitOfWork {
  #active: Map<string, Activation> | undefined
  /** Beginnings of the texts of actors whose resources a prepared removal has deleted. */
  readonly #removed: string[] = []

  /** @param views the state before the commit */
  constructor(
    private readonly lifecycles: Lifecycles,
    private readonly views: Views
  ) {}

  canTake(event: Event): boolean {
    return this.lifecycles.of(event.Topic) !== undefined && this.#actorOf(event).state.accepts(event)
  }

  /** @throws Error for an impossible event: a decision is wrong, or another program wrote the log */
  take(event: Event): void {
    this.#actorOf(event).take(event)
  }

  /**
   * Applies all events of a commit in order, except the erased ones.
   * @param removals whose events are applied together
   * @throws Error as `take`
   */
  takeAll(events: readonly Event[], removals: readonly PreparedRemoval[] = []): void {
    let at = 0
    for (const { under, from, count } of removals) {
      this.#takeEach(events.slice(at, from))
      this.#remove(textOf(under))
      at = from + count
    }
    this.#takeEach(at === 0 ? events : events.slice(at))
  }

  #takeEach(events: readonly Event[]): void {
    for (const event of events) if (!event.Erased) this.take(event)
  }

  #remove(beginning: string): void {
    for (const text of this.#active?.keys() ?? []) if (text.startsWith(beginning)) this.#active?.delete(text)
    this.#removed.push(beginning)
  }

  #actorOf(event: Event): Activation {
    const ref = this.lifecycles.refOf(event)
    const text = textOf(ref)
    const activate = (): Activation => new Activation(this.lifecycles, this.#stateOf(ref, text))
    return getOrCreate((this.#active ??= new Map<string, Activation>()), text, activate)
  }

  /** The state of a resource for which no actor is active. */
  #stateOf(ref: ActorRef, text: string): LifecycleState {
    const isRemoved = this.#removed.some(beginning => text.startsWith(beginning))
    return isRemoved ? this.lifecycles.initialOf(ref.kind) : this.lifecycles.stateOf(this.views, ref)
  }
}
