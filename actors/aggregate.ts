// An aggregate: the lifecycle of its resources and the decisions on its commands.
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { Command } from './command.js'
import type { Lifecycle } from './lifecycle.js'

/** The result of a decision: the events to append, alone or with further values for the caller. */
type Decision = readonly Event[] | { readonly events: readonly Event[] }

export const eventsOf = (decision: Decision): readonly Event[] =>
  'events' in decision ? decision.events : decision

/** Where the resources of a command are: in a namespace, in a partition or in the whole cluster. */
export type Scope = 'namespace' | 'partition' | 'cluster'

/** Only removals are accepted in a namespace or partition that is being deleted. */
export type Effect = 'change' | 'removal'

/**
 * A kind of actor and its decisions. `decide` is pure and synchronous: it returns the events to append (none
 * when nothing changes) or throws a Refusal. `index` is the index that the commit will have.
 */
export interface Aggregate<C extends Command, D extends Decision = readonly Event[]> {
  readonly lifecycle?: Lifecycle
  /** Namespace by default. An aggregate with `cluster` checks the tenancies of its commands itself. */
  readonly scope?: Scope
  /** Commands that are accepted in a namespace or partition that is being deleted. */
  readonly removals?: readonly C['name'][]
  decide(command: C, views: Views, index: number): D
}

/** Returns a decision that passes each command to the function of its name. */
export function decideBy<C extends Command, D extends Decision = readonly Event[]>(decisions: {
  readonly [One in C as One['name']]: (command: One, views: Views, index: number) => D
}): (command: C, views: Views, index: number) => D
export function decideBy<D extends Decision>(
  decisions: Readonly<Record<string, Aggregate<Command, D>['decide']>>
): Aggregate<Command, D>['decide'] {
  return (command, views, index) => {
    const decide = decisions[command.name]
    if (!decide) throw new Error(`no decision on ${command.name}`)
    return decide(command, views, index)
  }
}
