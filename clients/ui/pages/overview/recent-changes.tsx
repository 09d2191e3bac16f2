import { Refusal, Section } from '../../design/index.js'
import type { PointInTime } from '../../time-travel/as-of-state.js'
import { useResponse, useText } from '../../session/use-response.js'
import { CommitLines } from '../commit-line.js'
import { auditIn } from '../server/audit-query.js'
import { useChanges } from '../use-task.js'
import { CommitRate } from './commit-rate.js'

const MAX_CHANGES = 12
/** Commits that are read, of which some have no visible event. */
const COMMITS = 30

/** The newest commits in words. */
export const RecentChanges = () => {
  const { turn } = useChanges('any')
  const { value: now } = useResponse<PointInTime>('/v1/event/moment', {}, turn)
  const since = now && Math.max(now.Oldest, now.Newest - COMMITS)
  const { value, failure } = useText(since === undefined ? undefined : '/v1/event/audit', {
    since,
    until: now?.Newest,
    payload: true
  })
  const lines = value === undefined ? [] : auditIn(value).lines
  const changes = lines.filter(({ Events = [] }) => Events.length > 0).toReversed()
  return (
    <Section title="Recent changes" isPending={value === undefined && failure === undefined}>
      <CommitRate turn={turn} />
      <Refusal text={failure} />
      <CommitLines lines={changes.slice(0, MAX_CHANGES)} />
      <p>
        <a href="/ui/events">All activity</a>
      </p>
    </Section>
  )
}
