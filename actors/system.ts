// The actor system: commands in, commits out. It decides one command at a time, in the order of arrival.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Commit, Event, IdempotentResponse, Origin } from '../events/envelope.js'
import { formatTime, parseTime } from '../events/time.js'
import { Views } from '../projections/read-models.js'
import { assertAllPossible } from './unit-of-work.js'
import { type Command, eventsOf, type PreparedRemoval, removalsOf } from './aggregate.js'
import type { Commands, decisionRules, Decisions, Kind } from './aggregates.js'
import { Committer } from './committer.js'
import { COMMIT_RULE, type CommitRule, DECISION_RULES, IS_DECIDING } from './ports.js'
import type { ActorRef } from './ref.js'
import { notLeader } from './refusal.js'

export interface CommandResult<K extends Kind> {
  /** Undefined when there was nothing to change. */
  readonly commit: Commit | undefined
  readonly decision: Decisions[K]
}

const originOf = ({ name, caller, cause, changeSet }: Command): Origin => {
  const { accessor, address, requestId, reason } = caller
  const origin = { AccessorID: accessor, Address: address, RequestID: requestId, Command: name }
  if (reason === undefined && cause === undefined && changeSet === undefined) return origin
  return {
    ...origin,
    ...(reason === undefined ? {} : { Reason: reason }),
    ...(changeSet === undefined ? {} : { ChangeSet: changeSet.id }),
    ...(changeSet?.owner === undefined ? {} : { Owner: changeSet.owner }),
    ...(cause === undefined ? {} : { Cause: cause })
  }
}

@scoped(Lifecycle.ContainerScoped)
export class ActorSystem {
  /** Saves parsing the time of the newest commit when this server created it. */
  #newest: { readonly text: string; readonly at: number } = { text: '', at: 0 }

  constructor(
    @inject(DECISION_RULES) private readonly rules: typeof decisionRules,
    private readonly views: Views,
    private readonly committer: Committer,
    @inject(COMMIT_RULE, { isOptional: true }) private readonly check?: CommitRule,
    @inject(IS_DECIDING, { isOptional: true }) private readonly decides?: () => boolean
  ) {}

  /**
   * Sends a command to a virtual actor and returns the result: it decides from the read models, and the actors of the events are activated from their
   * rows, take the events and are passivated with the commit. The commit is not durable yet: a response that reflects it must wait for `Committer.durable`.
   * @param answer returns the idempotent response to store with the commit; see `Committer.commit`
   * @throws Refusal of the decision; `invalid` or `conflict` when the command's tenancy does not exist or is being deleted; `not-leader` when another
   *   server of the cluster decides; `unavailable` when the log cannot be written
   */
  send<K extends Kind>(
    ref: ActorRef<K>,
    command: Commands[K],
    answer?: (done: CommandResult<K>) => IdempotentResponse
  ): CommandResult<K> {
    this.assertWritable()
    const decision = this.rules.decideOn(this.views, ref, command)
    const events = eventsOf(decision)
    if (events.length === 0) return { commit: undefined, decision }
    const removals = removalsOf(decision)
    const deletesAny = this.#check(command, events, removals)
    const commit: Commit = {
      Index: this.views.index + 1,
      Time: this.#timeOf(command),
      By: originOf(command),
      Events: events
    }
    const done = { commit, decision }
    this.committer.commit(commit, {
      frees: deletesAny,
      removals,
      answer: answer && (() => answer(done))
    })
    return done
  }

  /** Decides as `send` does and discards the events. @throws Refusal as `send` does */
  dryRun<K extends Kind>(ref: ActorRef<K>, command: Commands[K]): Decisions[K] {
    this.assertWritable()
    const decision = this.rules.decideOn(this.views, ref, command)
    const events = eventsOf(decision)
    if (events.length > 0) this.#check(command, events, removalsOf(decision))
    return decision
  }

  /** Returns true if an event deletes its resource. */
  #check(command: Command, events: readonly Event[], removals: readonly PreparedRemoval[]): boolean {
    this.check?.(command, events)
    return assertAllPossible(this.rules.lifecycles, this.views, events, removals)
  }

  get isDeciding(): boolean {
    return this.decides?.() ?? true
  }

  /** @throws Refusal `not-leader`; `unavailable` while the log accepts nothing */
  assertWritable(): void {
    if (this.decides?.() === false) throw notLeader()
    this.committer.assertWritable()
  }

  /** As `send`, but resolves when the commit is on disk. @throws Refusal also `unavailable` */
  async ask<K extends Kind>(ref: ActorRef<K>, command: Commands[K]): Promise<CommandResult<K>> {
    const done = this.send(ref, command)
    await this.committer.durable()
    return done
  }

  /** Returns the command's time, unless the clock was set back meanwhile. */
  #timeOf({ at }: Command): string {
    const { time } = this.views
    const newest = time === this.#newest.text ? this.#newest.at : (parseTime(time) ?? at)
    if (at < newest) return time
    const text = formatTime(at)
    this.#newest = { text, at }
    return text
  }
}
