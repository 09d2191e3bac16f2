import { type Cause, DEFAULT_TENANCY, type Event, type Tenancy } from '../events/envelope.js'
import type { PreparedKeys } from '../projections/kv/detached-keys.js'
import type { Views } from '../projections/read-models.js'
import type { Lifecycle } from './lifecycle.js'
import type { ActorRef } from './ref.js'

export interface Caller {
  /** Accessor of the caller's token; empty for the server's own commands. */
  readonly accessor: string
  /** Source address of the request; empty for the server's own commands. */
  readonly address: string
  readonly requestId: string
  readonly reason?: string
}

export const SERVER: Caller = { accessor: '', address: '', requestId: '' }

/** Returns the `cause` of a command that follows from these commits; empty without any. */
export const causeOf = (indexes: readonly (number | undefined)[]): Pick<Command, 'cause'> => {
  const known = [...new Set(indexes.filter(index => index !== undefined))].toSorted((a, b) => a - b)
  const [first] = known
  return first === undefined ? {} : { cause: known.length === 1 ? first : known }
}

/** The change set of a commit. */
interface ChangeSetOrigin {
  readonly id: string
  /** Label of the owner of its resources; undefined if it declares none. */
  readonly owner: string | undefined
}

/**
 * Carries its time and random values, so that a decision is a pure function. `name` is imperative, such as
 * `CreateToken`; `data` is what the decision needs.
 */
export interface Command<Name extends string = string, Data = unknown> {
  readonly name: Name
  readonly tenancy: Tenancy
  readonly data: Data
  readonly caller: Caller
  /** Time of the request, epoch milliseconds. */
  readonly at: number
  readonly cause?: Cause
  readonly changeSet?: ChangeSetOrigin
}

/** Returns a command of the server itself on resources of the whole cluster. */
export const serverCommand = <const Name extends string, Data>(name: Name, data: Data, at: number) => ({
  name,
  tenancy: DEFAULT_TENANCY,
  data,
  caller: SERVER,
  at
})

/** Consecutive events of a decision that delete all keys of a namespace below a prefix, and were made of their rows in many steps. */
export interface PreparedRemoval extends PreparedKeys {
  /** Its key is the prefix. */
  readonly under: ActorRef
  readonly count: number
}

export const NO_REMOVALS: readonly PreparedRemoval[] = []

/** Returns the events of a commit that belong to no removal, except of these kinds. Cost: those, and the number of removals. */
export const eventsOutside = (
  events: readonly Event[],
  removals: readonly PreparedRemoval[],
  kinds?: { has(kind: string): boolean }
): readonly Event[] => {
  if (removals.length === 0) return events
  let others: readonly Event[] = []
  let at = 0
  for (const { under, from, count } of removals) {
    if (kinds?.has(under.kind)) continue
    others = others.concat(events.slice(at, from))
    at = from + count
  }
  return others.concat(events.slice(at))
}

/** The result of a decision: the events to append, alone or with further values for the caller. */
export type Decision =
  | readonly Event[]
  | {
      readonly events: readonly Event[]
      /** In the order of their events, which are not checked, since that would delay other commands. */
      readonly removals?: readonly PreparedRemoval[]
    }

export const eventsOf = (decision: Decision): readonly Event[] =>
  'events' in decision ? decision.events : decision

export const removalsOf = (decision: Decision): readonly PreparedRemoval[] =>
  ('events' in decision ? decision.removals : undefined) ?? NO_REMOVALS

/** Where the resources of a command are: in a namespace, in a partition or in the whole cluster. */
export type Scope = 'namespace' | 'partition' | 'cluster'

/** Only removals are accepted in a namespace or partition that is being deleted. */
export type Effect = 'change' | 'removal'

/** A kind of actor. `decide` is pure and synchronous: it returns events to append or throws a Refusal. `index` is that of the future commit. */
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
