// The consumer groups of the leader (docs/reference/consumer-groups.md).
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { Subscriptions } from '../../../actors/subscriptions.js'
import { CURSOR_TOPIC, type Cursor, isCursorEvent } from '../../../events/cursor.js'
import type { Event } from '../../../events/envelope.js'
import type { LogWriter } from '../../../events/log/log.js'
import { EVENT_LOG } from '../../../server/settings/ports.js'
import { GroupDependencies } from './group-dependencies.js'
import { GroupRun } from './group-run.js'
import { groupNotStored } from './group-store.js'
import { Views } from '../../../projections/read-models.js'
import { Metrics } from '../../../server/telemetry/metrics/metrics.js'
import { type CursorLag, CursorLags } from '../cursor-lags.js'

/** The state of a group in memory, which is ahead of the stored one. */
interface GroupProgress {
  readonly position: number
  readonly parked: number
}

const parkedIn = ({ Units = [] }: Cursor): number => Units.filter(({ State }) => State === 'parked').length

@scoped(Lifecycle.ContainerScoped)
class GroupMetrics {
  readonly countRedelivery: (cause: string) => void

  constructor(
    private readonly metrics: Metrics,
    private readonly views: Views,
    private readonly lags: CursorLags
  ) {
    this.countRedelivery = metrics.counter(
      'annals_group_redeliveries_total',
      'Units of consumer groups that were delivered again, by cause: rejected, timeout or interrupted',
      'cause'
    )
  }

  /** Registers the gauges. @param leads false where another server has the groups @param progressOf of an open group */
  measure(leads: () => boolean, progressOf: (name: string) => GroupProgress | undefined): void {
    const groups = (): readonly Cursor[] =>
      leads() ? this.views.cursors.list().filter(({ Group }) => Group) : []
    const lags = (): Promise<readonly CursorLag[]> => {
      this.lags.keepOnly(this.views.cursors)
      return Promise.all(
        groups().map(({ Name, Index }) => this.lags.of({ Name, Index: progressOf(Name)?.position ?? Index }))
      )
    }
    this.metrics.gauge('annals_group_lag', 'Commits by which the slowest consumer group lags', async () =>
      Math.max(0, ...(await lags()).map(({ LagCommits }) => LagCommits))
    )
    this.metrics.gauge(
      'annals_group_oldest_seconds',
      'Age of the oldest commit that a consumer group has not finished, in seconds',
      async () => Math.max(0, ...(await lags()).map(({ LagSeconds }) => LagSeconds))
    )
    this.metrics.gauge('annals_group_parked_units', 'Parked units of all consumer groups', () =>
      groups().reduce((sum, cursor) => sum + (progressOf(cursor.Name)?.parked ?? parkedIn(cursor)), 0)
    )
  }
}

const groupChanged = (): Refusal =>
  new Refusal(
    'cursor.conflict',
    'The cursor was changed meanwhile: units that were not acknowledged are delivered again'
  )

/** A group is opened by its first request, and costs nothing before. */
@scoped(Lifecycle.ContainerScoped)
export class ConsumerGroups {
  readonly #runs = new Map<string, GroupRun>()
  readonly #subscriptions = new Subscriptions()
  #isStopped = true
  #stopListening: (() => void) | undefined

  constructor(
    @inject(EVENT_LOG) private readonly log: Pick<LogWriter, 'onDurable'>,
    private readonly dependencies: GroupDependencies,
    private readonly metrics: GroupMetrics
  ) {
    metrics.measure(
      () => !this.#isStopped,
      name => this.#runs.get(name)
    )
  }

  start(): void {
    this.#isStopped = false
    const { committer } = this.dependencies
    this.#subscriptions.add(committer.on(CURSOR_TOPIC, event => this.#follow(event)))
    this.#subscriptions.onRebuilt(committer, () => this.#abandonAll(groupNotStored()))
  }

  stop(): void {
    this.#isStopped = true
    this.#subscriptions.end()
    for (const [name, run] of this.#runs) {
      run.stop()
      this.#forget(name)
    }
  }

  /** Returns the open group of a cursor. @throws Refusal `conflict` for a cursor without a group; `unavailable` */
  open(cursor: Cursor): GroupRun {
    const { Name, Group } = cursor
    if (!Group)
      throw new Refusal(
        'cursor.conflict',
        `Cursor "${Name}" has no Group: read it by GET /v1/event/stream?cursor=`
      )
    if (this.#isStopped) throw new Refusal('cursor.unavailable', 'This server does not lead: try again later')
    const known = this.#runs.get(Name)
    if (known) return known
    const run = new GroupRun(this.dependencies, cursor, Group, {
      countRedelivery: this.metrics.countRedelivery,
      onOver: () => {
        if (this.#runs.get(Name) === run) this.#forget(Name)
      }
    })
    this.#runs.set(Name, run)
    this.#stopListening ??= this.log.onDurable(() => {
      for (const each of this.#runs.values()) each.wake()
    })
    return run
  }

  /** Without groups, nothing waits for commits. */
  #forget(name: string): void {
    this.#runs.delete(name)
    if (this.#runs.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
  }

  /** A written cursor has other rules, owners or positions. */
  #follow(event: Event): void {
    if (!isCursorEvent(event)) return
    if (event.Type === 'CursorUpserted' || event.Type === 'CursorDeleted')
      this.#abandon(event.Key, groupChanged())
  }

  #abandonAll(refusal: Refusal): void {
    for (const name of this.#runs.keys()) this.#abandon(name, refusal)
  }

  #abandon(name: string, refusal: Refusal): void {
    const run = this.#runs.get(name)
    this.#forget(name)
    run?.abandon(refusal)
  }
}
