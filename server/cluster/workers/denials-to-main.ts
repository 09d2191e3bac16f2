// What was tried at a worker and denied: the main process keeps it.
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import { Views } from '../../../projections/read-models.js'
import { DenialLog } from '../../../http/audit/denial-log.js'
import type { DeniedAttempt } from '../../../http/audit/denied-attempt.js'
import { AggregatedAttempts } from '../../../http/audit/aggregated-attempts.js'
import { LOGGER } from '../../settings/ports.js'
import { LiveSettings } from '../../settings/live-settings.js'
import { MessageBatches, type SendToMain } from './message-batches.js'

export class DenialsToMain extends DenialLog {
  readonly #gathered = new AggregatedAttempts(attempt => attempt)
  readonly #batches: MessageBatches

  /** @param scope of the worker */
  constructor(scope: DependencyContainer, tell: SendToMain) {
    super(scope.resolve(LiveSettings), scope.resolve(Views), scope.resolve(Clock), scope.resolve(LOGGER))
    this.#batches = new MessageBatches(() => this.#take(), tell)
  }

  override note(attempt: DeniedAttempt): void {
    if (!this.isOn) return
    this.#gathered.add(attempt)
    this.#batches.wake()
  }

  /** Tells what was gathered so far. */
  override async flush(): Promise<void> {
    this.#batches.flush()
  }

  #take() {
    const { tried, leftOut } = this.#gathered.take()
    const attempts = tried.map(({ kept: attempt, count }) => ({ attempt, count }))
    return attempts.length === 0 ? undefined : ({ kind: 'denials', attempts, leftOut } as const)
  }
}
