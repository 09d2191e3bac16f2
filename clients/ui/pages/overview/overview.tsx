// The home page: problems, the newest changes, and the state of the log.
import { useRef } from 'preact/hooks'
import { Heading, Refusal, Section, Chart, Badge, Facts, useNames } from '../../design/index.js'
import { isSignedIn } from '../../session/session.js'
import { EVERYWHERE, usePermission, useResponse, useText, useTurn } from '../../session/use-response.js'
import { Problems } from './problems.js'
import type { PointInTime } from '../../time-travel/as-of-state.js'
import { CommitLines } from '../commit-line.js'
import { auditIn } from '../server/audit-query.js'
import { countText } from '../server/formatters.js'
import { useChanges } from '../../live/use-stream.js'
import type { Schemas } from '../../../typescript/typed/index.js'

/** The size of the tree and the signers in a checkpoint. */
const checkpointText = (note: string | undefined): string => {
  if (note === undefined) return ''
  const signers = [...note.matchAll(/^— (\S+)/gm)].map(([, name]) => name)
  const witnesses = new Set(signers).size - 1
  const witnessed = witnesses > 0 ? `, witnessed by ${witnesses}` : ''
  return `signed at commit ${note.split('\n')[1] ?? ''}${witnessed}`
}

/** The state of the log, and the servers with their leader. */
const LogSummary = () => {
  const { value: log, failure } = useResponse<Schemas['OperatorLog']>('/v1/operator/log')
  const checkpoint = useText('/v1/event/checkpoint', {})
  const cluster = useResponse<Schemas['AutopilotState']>('/v1/operator/autopilot/state')
  const members = Object.values(cluster.value?.Servers ?? {})
  return (
    <Section title="Log and servers" failure={failure}>
      {log && (
        <Facts
          facts={[
            ['Newest commit', <a href={`/ui/events?from=${log.CommitIndex}`}>{log.CommitIndex}</a>],
            ['Durable commit', log.DurableIndex],
            ['Checkpoint', <a href="/ui/server?part=log">{checkpointText(checkpoint.value)}</a>],
            ['Leader', members.find(({ Status }) => Status === 'leader')?.Name],
            [
              'Members',
              members.map(({ Name, Healthy }) => (
                <a key={Name} href="/ui/server">
                  <Badge tone={Healthy ? 'good' : 'bad'}>{Name}</Badge>
                </a>
              ))
            ]
          ]}
        />
      )}
    </Section>
  )
}

const MINUTES = 60

/** Commits per minute of the last hour. @param turn another number reads it again */
const CommitRate = ({ turn }: { readonly turn: number }) => {
  const { value } = useResponse<Schemas['CommitRate']>(
    '/v1/event/rate',
    { since: '1h', intervals: MINUTES },
    turn
  )
  const counts = value?.Counts ?? []
  const total = counts.reduce((sum, count) => sum + count, 0)
  const text = `${countText(total)} commits in the last hour, at most ${countText(Math.max(0, ...counts))} per minute`
  return (
    <Chart
      label={value ? text : '…'}
      series={[{ title: 'Commits per minute', values: counts }]}
      format={countText}
      points={MINUTES}
      least={4}
      height={40}
    />
  )
}

const MAX_CHANGES = 12
/** Commits that are read, of which some have no visible event. */
const COMMITS = 30

/** The newest commits in words. */
const RecentChanges = () => {
  const [turn, refresh] = useTurn()
  useChanges(['any'], refresh)
  const { value: now } = useResponse<PointInTime>('/v1/event/moment', {}, turn)
  const since = now && Math.max(now.Oldest, now.Newest - COMMITS)
  const { value, failure } = useText(since === undefined ? undefined : '/v1/event/audit', {
    since,
    until: now?.Newest,
    payload: true
  })
  const lines = value === undefined ? [] : auditIn(value).lines
  const changes = lines
    .filter(({ Events = [] }) => Events.length > 0)
    .toReversed()
    .slice(0, MAX_CHANGES)
  const areNamed = useNames(changes.flatMap(({ By }) => By?.AccessorID ?? []))
  const isComplete = useRef(false)
  // Names that arrive after the first lines would move them.
  isComplete.current ||= value !== undefined && areNamed
  return (
    <Section title="Recent changes" isPending={!isComplete.current && failure === undefined}>
      <CommitRate turn={turn} />
      <Refusal text={failure} />
      <CommitLines lines={isComplete.current ? changes : []} />
      <p>
        <a href="/ui/events">All activity</a>
      </p>
    </Section>
  )
}

export const OverviewPage = () => {
  const mayOperate = usePermission('read', 'operator', EVERYWHERE)
  const mayReadTokens = usePermission('read', 'acl', EVERYWHERE)
  return (
    <main class="resource">
      <Heading>Overview</Heading>
      {!isSignedIn.value && (
        <p class="choices">
          <a class="button primary" href="/ui/sign-in">
            Sign in
          </a>
          <span class="quiet">
            Without a token, the pages show what everyone may read. Sign-in on a new server creates the first
            token.
          </span>
        </p>
      )}
      <Problems mayOperate={mayOperate} mayReadTokens={mayReadTokens} />
      {mayOperate === true && (
        <>
          <RecentChanges />
          <LogSummary />
        </>
      )}
      {mayOperate === false && (
        <p class="quiet">
          Recent changes, the log and the servers require operator:read. The <a href="/ui/events">events</a>{' '}
          that this token may read are listed under Activity.
        </p>
      )}
    </main>
  )
}
