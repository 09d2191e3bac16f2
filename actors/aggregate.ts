// What makes an aggregate: the lifecycle of its things, and the decisions on its commands.
import type { AnyStateMachine } from 'xstate'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/views.js'
import type { Command } from './command.js'

/**
 * The lifecycle of all things of one topic. The machine's events are the topic's own events, so that it says what can happen
 * to a thing now, and the same machine folds the log on replay.
 */
export interface Lifecycle {
  readonly topic: string
  readonly machine: AnyStateMachine
  /** The state of the machine in which the thing of this event is, as the read models have it. */
  stateOf(views: Views, event: Event): string
  /** Identifies the thing within its topic and tenancy, where the event's key alone does not. */
  identityOf?(event: Event): string
  /**
   * What happens now to a thing that a snapshot brings back, where that need not be the last thing that happened to it.
   * @param wanted the last event of the thing in the snapshot
   */
  restoredBy?(views: Views, wanted: Event): Event
}

/** What commands are on: things of a namespace, things of a partition, or of the whole cluster. */
export type Scope = 'namespace' | 'partition' | 'cluster'

/** What a command does to what is there. Only removals are let into what is being deleted. */
export type Effect = 'change' | 'removal'

/** The effect of each command of an aggregate. */
export type Effects<C extends Command> = Readonly<Record<C['name'], Effect>>

/**
 * Decides commands. `decide` is pure and synchronous: it answers with the events to append (none when there is nothing to
 * change) or throws a Refusal. `index` is the index that the commit will have.
 */
export interface Decider<C extends Command> {
  /**
   * What its commands are on, which says what must exist for them to be decided; a namespace when absent. With `cluster`
   * the aggregate checks the tenancies of its commands itself.
   */
  readonly scope?: Scope
  readonly effects: Effects<C>
  decide(command: C, views: Views, index: number): readonly Event[]
}

/** One kind of thing that commands change. */
export interface Aggregate<C extends Command> extends Decider<C> {
  readonly lifecycle: Lifecycle
}
