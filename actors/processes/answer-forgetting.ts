// Has the answers forgotten and erased that were kept for repeated writes, once they are old enough.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { KEPT_ANSWER_TOPIC, KEPT_ANSWERS_KEY } from '../../events/answers-forgotten.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import { Views } from '../../projections/views.js'
import { ClockWatch } from '../clock-watch.js'
import { Clock } from '../clock.js'
import { SERVER } from '../command.js'
import { Deadlines } from '../deadlines.js'
import { EVENT_LOG } from '../ports.js'
import { inCluster } from '../ref.js'
import { ActorSystem } from '../system.js'

/** Answers are kept longer than their time by this part of it at most, … */
const LATENESS = 1 / 24
/** … and by this at most, in milliseconds. */
const LONGEST_PERIOD_MS = 60 * 60_000

export interface ForgettingPlan {
  /** How long an answer is kept at least, in milliseconds, as it is now. */
  readonly window: () => number
  /** Told why some could not be forgotten or erased. It is tried again. */
  readonly onFailure: (error: unknown) => void
}

@scoped(Lifecycle.ContainerScoped)
export class AnswerForgetting {
  readonly #views: Views
  readonly #clock: Clock
  readonly #watch: ClockWatch
  readonly #deadlines: Deadlines
  readonly #system: ActorSystem
  readonly #log: EventLog
  /** Index of the newest answer that is known to be erased. */
  #erased = 0

  constructor(
    views: Views,
    clock: Clock,
    watch: ClockWatch,
    deadlines: Deadlines,
    system: ActorSystem,
    @inject(EVENT_LOG) log: EventLog
  ) {
    this.#views = views
    this.#clock = clock
    this.#watch = watch
    this.#deadlines = deadlines
    this.#system = system
    this.#log = log
  }

  /** From now on looks for them, now and then. */
  start({ window, onFailure }: ForgettingPlan): void {
    const wait = (): void =>
      this.#deadlines.after(
        this.#watch.unsteadyFor || Math.min(window() * LATENESS, LONGEST_PERIOD_MS),
        KEPT_ANSWER_TOPIC,
        KEPT_ANSWERS_KEY
      )
    this.#deadlines.on(KEPT_ANSWER_TOPIC, () => {
      this.#forget(window()).catch(onFailure).finally(wait)
    })
    wait()
  }

  /**
   * What one commit tells to be forgotten is erased before the next is made: so after a start it is only the last of them whose answers may
   * still be there. A clock that was wrong for a moment must not have anything forgotten before its time.
   */
  async #forget(window: number): Promise<void> {
    const { keptAnswers } = this.#views
    await this.#erase()
    if (keptAnswers.size === 0 || this.#watch.unsteadyFor > 0) return
    const upTo = (await this.#log.indexAt(this.#clock.now() - window)) - 1
    while (keptAnswers.oldest(upTo, 1).length > 0) {
      await this.#system.ask(inCluster(KEPT_ANSWER_TOPIC, KEPT_ANSWERS_KEY), {
        name: 'ForgetAnswers',
        tenancy: DEFAULT_TENANCY,
        data: { upTo },
        caller: SERVER,
        at: this.#clock.now()
      })
      await this.#erase()
    }
  }

  async #erase(): Promise<void> {
    const { UpTo, Indexes } = this.#views.keptAnswers.forgotten
    if (UpTo <= this.#erased) return
    await this.#log.erase(Indexes.map(index => ({ index, answer: true })))
    this.#erased = UpTo
  }
}
