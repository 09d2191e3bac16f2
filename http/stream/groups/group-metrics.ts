// The metrics of all consumer groups, also of those that no member has opened.
import { Lifecycle, scoped } from 'tsyringe'
import type { Cursor } from '../../../events/cursor.js'
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
export class GroupMetrics {
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
    this.metrics.gauge(
      'annals_group_lag',
      'Commits that the consumer group has not finished which is furthest behind',
      async () => Math.max(0, ...(await lags()).map(({ LagCommits }) => LagCommits))
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
