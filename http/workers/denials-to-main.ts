// What was tried at a worker and denied: the main process keeps it.
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { Views } from '../../projections/views.js'
import { DenialLog } from '../audit/denial-log.js'
import type { Attempt } from '../audit/denial.js'
import { LOGGER } from '../program/ports.js'
import { LiveSettings } from '../settings/live-settings.js'
import type { FromWorker } from './messages.js'

export class DenialsToMain extends DenialLog {
  readonly #tell: (message: FromWorker) => void

  /** @param scope of the worker */
  constructor(scope: DependencyContainer, tell: (message: FromWorker) => void) {
    super(scope.resolve(LiveSettings), scope.resolve(Views), scope.resolve(Clock), scope.resolve(LOGGER))
    this.#tell = tell
  }

  override note(attempt: Attempt): void {
    if (this.isOn) this.#tell({ kind: 'denial', attempt })
  }
}
