// What makes an aggregate: the lifecycle of its things, and the decisions on its commands.
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { Command } from './command.js'
import type { Lifecycle } from './lifecycle.js'

/** What a decision comes to: the events to append, and, where there is more to tell, other things beside them. */
type Decision = readonly Event[] | { readonly events: readonly Event[] }

export const eventsOf = (decision: Decision): readonly Event[] =>
  'events' in decision ? decision.events : decision

/** What commands are on: things of a namespace, things of a partition, or of the whole cluster. */
export type Scope = 'namespace' | 'partition' | 'cluster'

/** What a command does to what is there. Only removals are let into what is being deleted. */
export type Effect = 'change' | 'removal'

/** The effect of each command of an aggregate. */
export type Effects<C extends Command> = Readonly<Record<C['name'], Effect>>

/**
 * One kind of actor, and how it decides its commands. `decide` is pure and synchronous: it answers with the events to append
 * (none when there is nothing to change) or throws a Refusal. `index` is the index that the commit will have.
 */
export interface Aggregate<C extends Command, D extends Decision = readonly Event[]> {
  /** Undefined for an actor that only decides, on things of other kinds. */
  readonly lifecycle?: Lifecycle
  /**
   * What its commands are on, which says what must exist for them to be decided; a namespace when absent. With `cluster`
   * the aggregate checks the tenancies of its commands itself.
   */
  readonly scope?: Scope
  readonly effects: Effects<C>
  decide(command: C, views: Views, index: number): D
}
