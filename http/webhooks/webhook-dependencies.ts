import pLimit, { type LimitFunction } from 'p-limit'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock, Timers } from '../../actors/clock.js'
import { causeOf, type Command, serverCommand } from '../../actors/aggregate.js'
import { Committer } from '../../actors/committer.js'
import { CursorLeases } from '../../actors/processes/cursor-leases.js'
import { CursorPositions } from '../../actors/processes/cursor-positions.js'
import { ActorSystem } from '../../actors/system.js'
import { WebhookHttp, type Verdict } from '../../actors/webhook/webhook-http.js'
import type { LogReader } from '../../events/log/log.js'
import { Views } from '../../projections/read-models.js'
import { Metrics } from '../../server/telemetry/metrics/metrics.js'
import { EVENT_LOG, LOGGER } from '../../server/settings/ports.js'
import { LiveSettings, type Settings } from '../../server/settings/settings.js'
import { EventStreams } from '../stream/event-streams.js'
import type { BatchLimits } from './webhook-sink.js'
import { TRACING, type Tracing, type TracedDelivery } from '../../server/telemetry/tracing/tracing.js'

@scoped(Lifecycle.ContainerScoped)
export class WebhookDependencies {
  /** Counts a request by its outcome: `delivered`, `failed` or `gone`. */
  readonly countRequest: (outcome: string) => void
  readonly #limit: LimitFunction

  constructor(
    @inject(EVENT_LOG) readonly log: LogReader,
    @inject(LOGGER) readonly logger: Logger,
    readonly views: Views,
    readonly clock: Clock,
    readonly timers: Timers,
    readonly committer: Committer,
    readonly system: ActorSystem,
    readonly positions: CursorPositions,
    readonly leases: CursorLeases,
    readonly streams: EventStreams,
    readonly http: WebhookHttp,
    private readonly live: LiveSettings,
    metrics: Metrics,
    @inject(TRACING, { isOptional: true }) private readonly tracing: Tracing | undefined
  ) {
    this.#limit = pLimit(live.current.webhook.max_concurrent)
    this.countRequest = metrics.counter(
      'annals_webhook_requests_total',
      'Requests to webhooks by result',
      'outcome'
    )
  }

  get settings(): Settings['webhook'] {
    return this.live.current.webhook
  }

  get batchLimits(): BatchLimits {
    const { batch_bytes: bytes, batch_messages: messages } = this.settings
    return { bytes, messages }
  }

  /** Creates a command of the server. @param batch the indexes that caused it */
  command<const Name extends string, Data>(
    name: Name,
    data: Data,
    batch: readonly number[] = []
  ): Command<Name, Data> {
    return { ...serverCommand(name, data, this.clock.now()), ...causeOf(batch) }
  }

  traced(delivery: TracedDelivery, attempt: () => Promise<Verdict>): Promise<Verdict> {
    if (!this.tracing) return attempt()
    return this.tracing.delivering(delivery, attempt, verdict =>
      verdict.outcome === 'failed' ? verdict.reason : undefined
    )
  }

  inTurn<T>(request: () => Promise<T>): Promise<T> {
    const most = this.settings.max_concurrent
    if (this.#limit.concurrency !== most) this.#limit.concurrency = most
    return this.#limit(request)
  }
}
