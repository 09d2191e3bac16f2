// Expires idempotent responses after their retention time, and erases the expired ones.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { type ExpiredResponses, expirationEvents, IDEMPOTENT_RESPONSES_KEY } from '../../events/retention.js'
import type { LogMaintenance, LogReader } from '../../events/log/log.js'
import { indexAt } from '../../events/log/lookups.js'
import { Views } from '../../projections/read-models.js'
import { ClockWatch, Clock, Deadlines } from '../clock.js'
import { serverCommand } from '../aggregate.js'
import { Committer } from '../committer.js'
import { EVENT_LOG } from '../ports.js'
import { inCluster } from '../ref.js'
import { Subscriptions } from '../subscriptions.js'
import { ActorSystem } from '../system.js'

/** Excess retention as a fraction of the retention time, … */
const LATENESS = 1 / 24
/** … and its limit, ms. */
const LONGEST_PERIOD_MS = 60 * 60_000

interface ResponseExpirationPlan {
  readonly window: () => number
  readonly onFailure: (error: unknown) => void
}

@scoped(Lifecycle.ContainerScoped)
export class ResponseExpiration {
  readonly #subscriptions = new Subscriptions()
  #erasing: Promise<unknown> = Promise.resolve()
  /** Index of the newest response known to be erased. */
  #erased = 0

  constructor(
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly watch: ClockWatch,
    private readonly deadlines: Deadlines,
    private readonly system: ActorSystem,
    private readonly committer: Committer,
    @inject(EVENT_LOG) private readonly log: LogReader & LogMaintenance
  ) {}

  /** Erases responses that any server has expired, beginning with the last expiration. */
  eraseForgotten(onFailure: ResponseExpirationPlan['onFailure']): void {
    this.committer.on(expirationEvents.topic, event => {
      if (expirationEvents.is(event)) this.#eraseSettled(event.Payload.Answers).catch(onFailure)
    })
    this.#erase(this.views.keptAnswers.forgotten).catch(onFailure)
  }

  start({ window, onFailure }: ResponseExpirationPlan): void {
    const wait = (): void =>
      this.deadlines.after(
        this.watch.unsteadyFor || Math.min(window() * LATENESS, LONGEST_PERIOD_MS),
        expirationEvents.topic,
        IDEMPOTENT_RESPONSES_KEY
      )
    const due = (): void => void this.#expire(window()).catch(onFailure).finally(wait)
    this.#subscriptions.add(this.deadlines.on(expirationEvents.topic, due))
    wait()
  }

  stop(): void {
    this.#subscriptions.end()
  }

  /**
   * Erases the responses of one expiration before the next: so after a start only the last expiration may be
   * incomplete. A clock that was wrong for a moment must not expire responses early.
   */
  async #expire(window: number): Promise<void> {
    const { keptAnswers } = this.views
    await this.#erase(keptAnswers.forgotten)
    if (keptAnswers.size === 0 || this.watch.unsteadyFor > 0) return
    const upTo = (await indexAt(this.log, this.clock.now() - window)) - 1
    while (keptAnswers.oldest(upTo, 1).length > 0) {
      const command = serverCommand('ForgetAnswers', { upTo }, this.clock.now())
      await this.system.ask(inCluster(expirationEvents.topic, IDEMPOTENT_RESPONSES_KEY), command)
      await this.#erase(keptAnswers.forgotten)
    }
  }

  async #eraseSettled(answers: ExpiredResponses): Promise<void> {
    const isStored = await this.committer.durable().then(
      () => true,
      () => false
    )
    if (isStored) await this.#erase(answers)
  }

  async #erase({ UpTo, Indexes }: ExpiredResponses): Promise<void> {
    const before = this.#erasing
    const erasing = (async () => {
      await before
      if (UpTo <= this.#erased) return
      await this.log.erase(Indexes.map(index => ({ index, answer: true })))
      this.#erased = UpTo
    })()
    this.#erasing = Promise.allSettled([erasing])
    await erasing
  }
}
