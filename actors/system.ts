// The actor system: commands in, commits out. One decision at a time, in the order of arrival: that is the serial order.
import { Lifecycle, scoped } from 'tsyringe'
import type { Commit } from '../events/envelope.js'
import { formatTime, parseTime } from '../events/time.js'
import { Views } from '../projections/views.js'
import type { Decider } from './aggregate.js'
import type { Command } from './command.js'
import { Committer } from './committer.js'
import { Lifecycles } from './lifecycles.js'
import { checkTenancy } from './tenancy.js'

@scoped(Lifecycle.ContainerScoped)
export class ActorSystem {
  readonly #views: Views
  readonly #committer: Committer
  readonly #lifecycles: Lifecycles
  /** Spares reading the time of the newest commit from its text, as long as it was made here. */
  #newest: { readonly text: string; readonly at: number } = { text: '', at: 0 }

  constructor(views: Views, committer: Committer, lifecycles: Lifecycles) {
    this.#views = views
    this.#committer = committer
    this.#lifecycles = lifecycles
  }

  /**
   * Decides a command and, when what it changed is on disk, answers with what `reply` made of the state right after
   * the decision. `commit` is undefined when there was nothing to change.
   * @throws Refusal as `commit` does; `unavailable` also when the log failed before the change was on disk
   */
  async ask<C extends Command, R>(
    aggregate: Decider<C>,
    command: C,
    reply: (commit: Commit | undefined) => R
  ): Promise<R> {
    const answer = this.commit(aggregate, command, reply)
    await this.#committer.settled()
    return answer
  }

  /** The time of a commit: the command's, unless the clock was set back meanwhile. */
  #timeOf({ at }: Command): string {
    const { time } = this.#views
    const newest = time === this.#newest.text ? this.#newest.at : (parseTime(time) ?? at)
    if (at < newest) return time
    const text = formatTime(at)
    this.#newest = { text, at }
    return text
  }

  /**
   * As `ask`, but answers at once: what was changed is not on disk yet, and nothing that tells of it may leave before
   * `Committer.settled`.
   * @throws Refusal of the decision; `invalid` or `conflict` when the command's tenancy does not exist or is being deleted;
   * `unavailable` when the log cannot be written
   */
  commit<C extends Command, R>(
    aggregate: Decider<C>,
    command: C,
    reply: (commit: Commit | undefined) => R
  ): R {
    this.#committer.assertWritable()
    checkTenancy(aggregate, command, this.#views)
    const index = this.#views.index + 1
    const events = aggregate.decide(command, this.#views, index)
    let commit: Commit | undefined
    if (events.length > 0) {
      this.#lifecycles.check(this.#views, events)
      const { accessor, address, requestId } = command.caller
      commit = {
        Index: index,
        Time: this.#timeOf(command),
        By: { AccessorID: accessor, Address: address, RequestID: requestId, Command: command.name },
        Events: events
      }
      this.#committer.commit(
        commit,
        events.some(event => this.#lifecycles.isEnding(event))
      )
    }
    return reply(commit)
  }
}
