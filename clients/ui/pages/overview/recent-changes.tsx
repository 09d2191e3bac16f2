import { Refusal, RelativeTime, Section, Timeline, Who } from '../../design/index.js'
import type { PointInTime } from '../../time-travel/as-of-state.js'
import { addressOf, type Kind, titleOf } from '../../resources/kind.js'
import { isDeletion } from '../../resources/fold.js'
import { config, kinds } from '../../resources/kinds.js'
import { useResponse, useText } from '../../session/use-response.js'
import { auditIn, type AuditEvent, type AuditLine } from '../server/audit-query.js'
import { useChanges } from '../use-task.js'
import { CommitRate } from './commit-rate.js'

const MAX_CHANGES = 12
/** Commits that are read, of which some have no visible event. */
const COMMITS = 30

const fieldOf = ({ Payload = {} }: AuditEvent, name: string): unknown =>
  Reflect.get(Object(Object.values(Payload)[0]), name)

const actionOf = (event: AuditEvent, index: number): string => {
  if (isDeletion(event)) return 'deleted'
  return fieldOf(event, 'CreateIndex') === index ? 'created' : 'changed'
}

/** Returns the kind in words. Entries of one name differ in their kinds. */
const kindOf = (event: AuditEvent, { topic, one }: Kind): string =>
  topic === config.topic ? String(fieldOf(event, 'Kind')) : one

const Change = ({ event, index }: { readonly event: AuditEvent; readonly index: number }) => {
  const kind = kinds.find(({ topic }) => topic === event.Topic)
  const { Partition = '', Payload = {}, ...named } = event
  if (!kind) return <>{event.Type}</>
  const address = addressOf(kind, { ...named, Partition, Index: index, FilterKeys: null, Payload })
  return (
    <>
      {actionOf(event, index)} {kindOf(event, kind)}{' '}
      <a href={address}>{titleOf(kind, Payload) || event.Key}</a>
      {event.Namespace && event.Namespace !== 'default' && ` in ${event.Namespace}`}
    </>
  )
}

const lineOf = ({ Index = 0, Time, By, Events: [first, ...others] = [] }: AuditLine) => ({
  id: Index,
  content: (
    <>
      <Who accessor={By?.AccessorID} name={By?.TokenName} /> {first && <Change event={first} index={Index} />}
      {others.length > 0 && (
        <>
          {' '}
          and <a href={`/ui/events?from=${Index}`}>{others.length} more</a>
        </>
      )}{' '}
      {By?.Reason && <q>{By.Reason}</q>}
    </>
  ),
  end: <RelativeTime at={Time} isShort />
})

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
    <Section title="Recent changes">
      <CommitRate turn={turn} />
      <Refusal text={failure} />
      <Timeline items={changes.slice(0, MAX_CHANGES).map(lineOf)} />
      <p>
        <a href="/ui/events">All activity</a>
      </p>
    </Section>
  )
}
