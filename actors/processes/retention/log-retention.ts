// Lets go of the oldest commits of the log, as far as its limits say: first their base is made and proved, then a commit tells of
// it, and only then they go. It can end anywhere: what is left to be done is found out anew.
import { createActor, type ActorOptions, type ActorRefFrom } from 'xstate'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { EventLog } from '../../../events/log/log.js'
import type { Views } from '../../../projections/views.js'
import { SERVER } from '../../command.js'
import { retentionAggregate } from '../../retention.js'
import type { ActorSystem } from '../../system.js'
import { dispensable, isLimited, type RetentionLimits } from './limits.js'
import { retentionMachine } from './machine.js'

type Machine = ReturnType<typeof retentionMachine>

export interface RetentionPlan {
  readonly limits: RetentionLimits
  /** Makes and proves the base of the commits up to an index, and answers with its digest. */
  readonly makeBase: (index: number, signal: AbortSignal) => Promise<string>
  /** Removes the bases but one. */
  readonly keepBase: (index: number) => Promise<void>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly onDone: (index: number) => void
  /** Told why nothing could be let go. It is tried again. */
  readonly onFailure: (error: unknown) => void
}

export class LogRetention {
  readonly #log: EventLog
  readonly #views: Views
  readonly #system: ActorSystem
  readonly #plan: RetentionPlan
  readonly #actor: ActorRefFrom<Machine>

  /** @param options `clock`, for tests */
  constructor(
    { log, views, system }: { readonly log: EventLog; readonly views: Views; readonly system: ActorSystem },
    plan: RetentionPlan,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    this.#log = log
    this.#views = views
    this.#system = system
    this.#plan = plan
    this.#actor = createActor(
      retentionMachine(signal => this.#apply(signal)),
      options
    )
    this.#actor.start()
  }

  /** Ends the process, and the base that is being made. */
  stop(): void {
    this.#actor.stop()
  }

  async #apply(signal: AbortSignal): Promise<void> {
    try {
      const done = this.#views.retainedLog.retention?.Index ?? 0
      if (this.#log.firstIndex <= done) await this.#letGo(done)
      // What clients wrote since a restore began is read from the log.
      if (!isLimited(this.#plan.limits) || this.#views.restore.current) return
      const index = await dispensable(this.#log, this.#plan.limits, this.#plan.now())
      if (index <= done) return
      const Base = await this.#plan.makeBase(index, signal)
      if (signal.aborted) return
      const command = {
        name: 'RetainLog' as const,
        tenancy: DEFAULT_TENANCY,
        caller: SERVER,
        at: this.#plan.now(),
        data: { Index: index, Base }
      }
      await this.#system.ask(retentionAggregate, command, () => undefined)
      await this.#letGo(index)
    } catch (error) {
      if (!signal.aborted) this.#plan.onFailure(error)
      throw error
    }
  }

  async #letGo(index: number): Promise<void> {
    await this.#log.letGo(index)
    await this.#plan.keepBase(index)
    this.#plan.onDone(index)
  }
}
