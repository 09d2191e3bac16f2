import { setup, type AnyStateMachine, type AnyMachineSnapshot } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import { type ActorRef, textOf } from './ref.js'

export interface MachineEvent<E extends Event = Event> {
  readonly type: E['Type']
  readonly event: E
}

/** The lifecycle of a topic's resources, whose state is in the read models. The machine validates commands, restored snapshots and verified logs. */
export interface Lifecycle {
  readonly topic: string
  readonly machine: AnyStateMachine
  /** The state without a resource. */
  readonly initial: string
  /** Types of the events that delete a resource, the usual one first; empty for resources without an end. */
  readonly endings: readonly string[]
  /** Types of the events that are possible only under a condition on the event itself. */
  readonly conditional: ReadonlySet<string>
  /** Types of the events that are possible in every state, so that no state must be looked up. */
  readonly unconditional: ReadonlySet<string>
  stateOf(views: Views, ref: ActorRef): string
  /** Returns the key of an event's resource, where the event's own key differs. */
  keyOf?(event: Event): string
  /** Returns the event that restores a resource, if it differs from the archived one. */
  restoredBy?(views: Views, archived: Event): Event
}

/** The next state of an event: always the same one, or the first one whose condition the event meets. */
type Next<E extends Event> = string | Readonly<Record<string, (event: E) => boolean>>

interface LifecycleDefinition<E extends Event> extends Omit<
  Lifecycle,
  'machine' | 'initial' | 'endings' | 'conditional' | 'unconditional'
> {
  /** By state, the initial one first: the next states by type of event. Other events are impossible. */
  readonly states: Readonly<Record<string, { readonly [Type in E['Type']]?: Next<E> }>>
}

/** Returns a lifecycle, whose endings are the events that lead back to the initial state. */
export function lifecycleOf<E extends Event>(definition: LifecycleDefinition<E>): Lifecycle
export function lifecycleOf({ states, ...lifecycle }: LifecycleDefinition<Event>): Lifecycle {
  const [initial = '', ...others] = Object.keys(states)
  const endings = others.flatMap(state =>
    Object.entries(states[state] ?? {}).flatMap(([type, next]) =>
      next === initial || (typeof next === 'object' && initial in next) ? [type] : []
    )
  )
  const transitionOf = (next: Next<Event> | undefined) =>
    typeof next === 'object'
      ? Object.entries(next).map(([target, accepts]) => ({
          target,
          guard: ({ event }: { readonly event: MachineEvent }) => accepts(event.event)
        }))
      : next
  const machine = setup({ types: { events: {} as MachineEvent } }).createMachine({
    id: lifecycle.topic,
    initial,
    states: mapValues(states, on => ({ on: mapValues(on, transitionOf) }))
  })
  const conditional = Object.values(states).flatMap(on =>
    Object.entries(on).flatMap(([type, next]) => (typeof next === 'object' ? [type] : []))
  )
  const unconditional = Object.keys(states[initial] ?? {}).filter(type =>
    Object.values(states).every(on => typeof on[type] === 'string')
  )
  return {
    ...lifecycle,
    machine,
    initial,
    endings: [...new Set(endings)],
    conditional: new Set(conditional),
    unconditional: new Set(unconditional)
  }
}

const mapValues = <A, B>(values: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

interface TwoStates {
  readonly topic: string
  readonly types: readonly [created: string, ended: string]
}

interface TwoStateOptions extends Pick<Lifecycle, 'keyOf'> {
  /** Key of the built-in resource, which cannot be deleted. */
  readonly builtin?: string
}

/** Returns the lifecycle of resources that are either `absent` or `live`. A built-in one is always `builtin`. */
export const twoStateLifecycle = (
  { topic, types: [created, ended] }: TwoStates,
  find: (views: Views, ref: ActorRef) => object | undefined,
  { builtin, ...lifecycle }: TwoStateOptions = {}
): Lifecycle =>
  lifecycleOf<Event>({
    ...lifecycle,
    topic,
    states: {
      absent: { [created]: 'live' },
      live: { [created]: 'live', [ended]: 'absent' },
      ...(builtin === undefined ? {} : { builtin: { [created]: 'builtin' } })
    },
    stateOf: (views, ref) => {
      if (ref.key === builtin) return 'builtin'
      return find(views, ref) ? 'live' : 'absent'
    }
  })

/** A lifecycle in one of its states. Machines have no context, so that one object serves all resources in the state. */
export class LifecycleState {
  /** Types of events that the machine has accepted and that no condition can reject. */
  readonly #accepted = new Set<string>()

  constructor(
    readonly lifecycle: Lifecycle,
    readonly snapshot: AnyMachineSnapshot
  ) {}

  accepts(event: Event): boolean {
    const { Type: type } = event
    if (this.#accepted.has(type)) return true
    const isAccepted = this.snapshot.can({ type, event })
    if (isAccepted && !this.lifecycle.conditional.has(type)) this.#accepted.add(type)
    return isAccepted
  }

  /** @throws Error for an event that it does not accept */
  assertAccepts(event: Event): void {
    const { Type, Key } = event
    if (this.#accepted.has(Type) || this.accepts(event)) return
    throw new Error(`${Type} of ${Key} is not possible while it is ${String(this.snapshot.value)}`)
  }
}

export class Lifecycles {
  readonly #lifecycles: ReadonlyMap<string, Lifecycle>
  /** The states of each lifecycle by their names, created on first use. */
  readonly #states = new Map<Lifecycle, Map<string, LifecycleState>>()

  constructor(lifecycles: readonly Lifecycle[]) {
    this.#lifecycles = new Map(lifecycles.map(lifecycle => [lifecycle.topic, lifecycle]))
  }

  [Symbol.iterator](): Iterator<Lifecycle> {
    return this.#lifecycles.values()
  }

  of(topic: string): Lifecycle | undefined {
    return this.#lifecycles.get(topic)
  }

  /** Returns the state of a resource. @throws Error for a kind without a lifecycle */
  stateOf(views: Views, ref: ActorRef): LifecycleState {
    const lifecycle = this.#required(ref.kind)
    return this.stateNamed(lifecycle, lifecycle.stateOf(views, ref))
  }

  /** Returns the state without a resource. @throws Error for a kind without a lifecycle */
  initialOf(kind: string): LifecycleState {
    const lifecycle = this.#required(kind)
    return this.stateNamed(lifecycle, lifecycle.initial)
  }

  /**
   * @param ref of the event, if it is known
   * @returns true for an event that deletes its resource
   * @throws Error for an event that the present state of its resource does not accept
   */
  assertPossible(views: Views, event: Event, ref?: ActorRef): boolean {
    const { unconditional, endings } = this.#lifecycles.get(event.Topic) ?? {}
    if (!unconditional?.has(event.Type)) this.stateOf(views, ref ?? this.refOf(event)).assertAccepts(event)
    return endings?.includes(event.Type) ?? false
  }

  #required(kind: string): Lifecycle {
    const lifecycle = this.#lifecycles.get(kind)
    if (!lifecycle) throw new Error(`no aggregate has the topic ${kind}`)
    return lifecycle
  }

  stateNamed(lifecycle: Lifecycle, name: string): LifecycleState {
    let states = this.#states.get(lifecycle)
    if (!states) this.#states.set(lifecycle, (states = new Map()))
    let state = states.get(name)
    if (!state) {
      state = new LifecycleState(lifecycle, lifecycle.machine.resolveState({ value: name, context: {} }))
      states.set(name, state)
    }
    return state
  }

  refOf(event: Event): ActorRef {
    const { Topic: kind, Partition: partition, Namespace: namespace } = event
    return { kind, partition, namespace, key: this.keyOf(event) }
  }

  /** Returns the key of an event's resource. */
  keyOf(event: Event): string {
    return this.#lifecycles.get(event.Topic)?.keyOf?.(event) ?? event.Key
  }

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
