// The lifecycle of the things of one topic: which event is possible in which state, as an xstate machine.
import { setup, type AnyStateMachine } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { ActorRef } from './ref.js'

/** What a lifecycle's machine takes: a domain event, by its type. */
export interface MachineEvent<E extends Event = Event> {
  readonly type: E['Type']
  readonly event: E
}

/**
 * The lifecycle of all things of one topic. The same machine says what is possible when a command is decided, when a
 * snapshot is restored and when a log is checked. It keeps no context: the read models hold what a thing is.
 */
export interface Lifecycle {
  readonly topic: string
  readonly machine: AnyStateMachine
  /** The types of the events after which nothing is left of a thing, the usual one first; empty where things have no end. */
  readonly endings: readonly string[]
  /** The state of the machine in which the read models have a thing. */
  stateOf(views: Views, ref: ActorRef): string
  /** The key of the thing that an event is about, where it is not the event's own. */
  keyOf?(event: Event): string
  /**
   * What happens now to a thing that a snapshot brings back, where that need not be the last thing that happened to it.
   * @param wanted the last event of the thing in the snapshot
   */
  restoredBy?(views: Views, wanted: Event): Event
}

interface TwoStates {
  readonly topic: string
  /** The type of the event that makes a thing, and changes it. */
  readonly created: string
  /** The type of the event that ends a thing. */
  readonly ended: string
  /** The row of a thing in the read models; undefined when it is not there. */
  readonly find: (views: Views, ref: ActorRef) => object | undefined
  /** Key of the one thing that comes with the server and never ends. */
  readonly builtin?: string
  readonly keyOf?: (event: Event) => string
}

/** The lifecycle of things that are there or not: `absent` and `live`. */
export const lifecycle = ({ topic, created, ended, find, builtin, keyOf }: TwoStates): Lifecycle => ({
  topic,
  machine: setup({
    types: { events: {} as MachineEvent },
    guards: { isNotBuiltin: ({ event }) => event.event.Key !== builtin }
  }).createMachine({
    id: topic,
    initial: 'absent',
    states: {
      absent: { on: { [created]: 'live' } },
      live: { on: { [created]: 'live', [ended]: { target: 'absent', guard: 'isNotBuiltin' } } }
    }
  }),
  endings: [ended],
  stateOf: (views, ref) => (find(views, ref) ? 'live' : 'absent'),
  ...(keyOf ? { keyOf } : {})
})
