// The connection of a worker to the main process, and the reports that it sends there.
import type { Readable } from 'node:stream'
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../../actors/clock.js'
import type { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import { DenialLog } from '../../../http/audit/denial-log.js'
import { AggregatedAttempts, type DeniedAttempt } from '../../../http/audit/denied-attempt.js'
import { SiblingProcesses } from '../../../http/wire/sibling-processes.js'
import { AccessUsage } from '../../../http/wire/access-usage.js'
import { AuthFailures } from '../../../http/wire/sockets/auth-failures.js'
import { TokenUse } from '../../../http/wire/token-use.js'
import { Views } from '../../../projections/read-models.js'
import { LiveSettings, type Settings } from '../../settings/settings.js'
import { LOGGER } from '../../settings/ports.js'
import { MessageBatches, type SendToMain } from './lines-to-main.js'
import type { WorkerStart } from './message-types.js'
import { reportTokenUses } from './token-use-reports.js'

/** The main process as its worker reaches it. */
export interface MainProcess {
  /** Records and messages for all workers. */
  readonly feed: Readable
  /** The newest position of the feed. */
  readonly position: Pick<SharedCounter, 'value'>
  readonly send: SendToMain
  /** In a cluster: resolves when all acknowledged writes were sent. Rejects if that is unknown. */
  readonly newest: () => Promise<void>
}

export interface MainLink extends MainProcess {
  readonly start: WorkerStart
  /** The newest settings of the main process. */
  settings: Settings
}

export const MAIN_LINK: InjectionToken<MainLink> = Symbol('MainLink')

/** Sends denied attempts to the main process. */
@scoped(Lifecycle.ContainerScoped)
export class DenialsToMain extends DenialLog {
  readonly #attempts = new AggregatedAttempts(attempt => attempt)
  readonly #batches: MessageBatches

  constructor(
    live: LiveSettings,
    views: Views,
    clock: Clock,
    @inject(LOGGER) logger: Logger,
    @inject(MAIN_LINK) { send }: MainLink
  ) {
    super(live, views, clock, logger)
    this.#batches = new MessageBatches(() => this.#take(), send)
  }

  override note(attempt: DeniedAttempt): void {
    if (!this.isOn) return
    this.#attempts.add(attempt)
    this.#batches.wake()
  }

  override async flush(): Promise<void> {
    this.#batches.flush()
  }

  #take() {
    const { tried, leftOut } = this.#attempts.take()
    const attempts = tried.map(({ kept: attempt, count }) => ({ attempt, count }))
    return attempts.length === 0 ? undefined : ({ kind: 'denials', attempts, leftOut } as const)
  }
}

/** Reports token uses, counts and failures to the main process. */
@scoped(Lifecycle.ContainerScoped)
export class ReportsToMain {
  #flushUses = (): void => {}

  constructor(
    private readonly uses: TokenUse,
    private readonly siblings: SiblingProcesses,
    private readonly failures: AuthFailures,
    private readonly questions: AccessUsage,
    @inject(MAIN_LINK) private readonly link: MainLink
  ) {}

  start(): void {
    const { send } = this.link
    this.#flushUses = reportTokenUses(this.uses, used => send({ kind: 'uses', uses: used }))
    this.questions.onReport((report, minute) => send({ kind: 'questions', report, minute }))
    this.siblings.onCount(count => send({ kind: 'count', count }))
    this.failures.onCounted(address => send({ kind: 'auth-failure', address }))
  }

  stop(): void {
    this.#flushUses()
    this.questions.report()
  }
}
