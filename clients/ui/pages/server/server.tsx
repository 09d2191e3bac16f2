// The server itself, part by part: what it is, its log, who reads its stream, its configuration, and what it measures.
import { useLocation } from 'preact-iso'
import { Tabs } from '../../components/tabs.js'
import { Configuration } from './configuration.js'
import { Cursors } from './cursors.js'
import { LivePage } from './live-page.js'
import { LogState } from './log-state.js'
import { ServerLog } from './server-log.js'
import { Snapshots } from './snapshots.js'
import { Streams } from './streams.js'
import { useState, useEffect } from 'preact/hooks'
import { Table } from '../../components/table.js'
import { Section } from './section.js'
import { useMeasures } from './use-measures.js'
import { Refusal } from '../../components/notice.js'
import { useResponse } from '../../session/use-response.js'
import { Facts } from './fact-list.js'
import { Members } from './members.js'
import { valueOf } from './prometheus.js'
import { usePageRefreshTimer } from './refresh-timer.js'
import { countText, sizeText, spanText, Time } from './formatters.js'
import { RequestRefused } from '../../../typescript/failures.js'
import { Badge } from '../../components/badge.js'
import { client } from '../../session/session.js'
import { messageOf } from '../../../../events/errors.js'
import type { ResponseState } from '../../session/use-response.js'

/** The workers of the server, which answer reads beside it. */
type Stats = Readonly<Record<string, Readonly<Record<string, string>>>>

const NAME = /^worker_(\d+)$/

/** Nothing where there are none. */
const Workers = ({ stats }: { readonly stats: Stats }) => {
  const workers = Object.entries(stats).filter(([name]) => NAME.test(name))
  if (workers.length === 0) return null
  return (
    <Section title="Workers">
      <Table
        label="Workers of the server"
        head={['Number', 'State', 'Process', 'Since', 'Index', 'Commits behind', 'Memory']}
        rows={workers.map(([name, worker]) => [
          NAME.exec(name)?.[1],
          <Badge key="state" tone={worker['state'] === 'listening' ? 'good' : 'warn'}>
            {worker['state']}
          </Badge>,
          worker['pid'],
          worker['since'] && <Time at={worker['since']} />,
          countText(Number(worker['applied_index'])),
          countText(Number(worker['behind_commits'])),
          sizeText(Number(worker['memory_bytes']))
        ])}
        none=""
      />
    </Section>
  )
}

/** Whether requests may be sent to the server, and why not. */
interface Shown {
  readonly Ready: boolean
  readonly Log: string
  readonly ReadModels: string
  readonly Leader: string
  readonly Ending: boolean
}

const NOT_READY = 503

/** An answer that says no is an answer. */
const reportedBy = (error: unknown): ResponseState<Shown> => {
  if (!(error instanceof RequestRefused) || error.status !== NOT_READY) return { failure: messageOf(error) }
  const value: Shown = JSON.parse(error.text)
  return { value }
}

const useReadiness = (): ResponseState<Shown> => {
  const { turn } = usePageRefreshTimer()
  const [asked, setAsked] = useState<ResponseState<Shown>>({})
  useEffect(() => {
    const ended = new AbortController()
    client
      .peek()
      .connection.with({ retries: 0 })
      .request('GET', '/readyz', { signal: ended.signal })
      .then(answer => answer.json<Shown>())
      .then(
        value => setAsked({ value }),
        (error: unknown) => {
          if (!ended.signal.aborted) setAsked(reportedBy(error))
        }
      )
    return () => ended.abort()
  }, [turn])
  return asked
}

const whyNot = ({ Log, ReadModels, Leader, Ending }: Shown): string =>
  [
    Log === 'writable' ? '' : `the log is ${Log}`,
    ReadModels === 'current' ? '' : `the read models are ${ReadModels}`,
    Leader === 'known' ? '' : `the leader is ${Leader}`,
    Ending ? 'it is ending' : ''
  ]
    .filter(text => text !== '')
    .join(', ')

const Readiness = () => {
  const { value, failure } = useReadiness()
  if (failure !== undefined) return <Badge tone="bad">{failure}</Badge>
  if (!value) return <>…</>
  const why = whyNot(value)
  return (
    <>
      <Badge tone={value.Ready ? (why === '' ? 'good' : 'warn') : 'bad'}>
        {value.Ready ? 'ready' : 'not ready'}
      </Badge>{' '}
      {why}
    </>
  )
}

/** The server at a glance: what it is, whether it is well, the servers of its cluster, and its workers. */
interface Self {
  readonly Config: {
    readonly Datacenter: string
    readonly PrimaryDatacenter: string
    readonly NodeName: string
    readonly NodeID: string
    readonly Revision: string
  }
  readonly DebugConfig: Readonly<Record<string, unknown>>
  readonly Stats: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const Overview = () => {
  const { turn } = usePageRefreshTimer()
  const self = useResponse<Self>('/v1/agent/self', {}, turn)
  const measured = useMeasures()
  const measures = measured.value ?? []
  const started = valueOf(measures, 'annals_process_start_time_seconds')
  const memory = valueOf(measures, 'annals_process_resident_memory_bytes')
  const { Config, Stats } = self.value ?? {}
  return (
    <>
      <Section title="This server" failure={self.failure}>
        <Facts
          facts={[
            ['State', <Readiness key="state" />],
            ['Name', Config?.NodeName],
            ['ID', Config?.NodeID],
            ['Version', Config?.Revision.replace('annals-', '')],
            ['Runs on', Stats?.['runtime'] && `Node ${Stats['runtime']['version'] ?? ''}`],
            ['Datacenter', Config?.Datacenter],
            ['Role', Stats?.['raft']?.['state']?.toLowerCase()],
            ['Up for', started && spanText(Date.now() / 1000 - started)],
            ['Memory', memory && sizeText(memory)],
            ['Newest commit', countText(valueOf(measures, 'annals_commit_index'))],
            ['Event streams', countText(valueOf(measures, 'annals_event_streams'))]
          ]}
        />
        <Refusal text={self.failure === measured.failure ? undefined : measured.failure} />
      </Section>
      <Members />
      {Stats && <Workers stats={Stats} />}
    </>
  )
}

/** More is found by searching. */
const MOST = 300

const MetricsSection = () => {
  const [wanted, setWanted] = useState('')
  const { value, failure } = useMeasures()
  const found = (value ?? []).filter(({ name }) => name.includes(wanted.trim().toLowerCase()))
  return (
    <Section title="Metrics" failure={failure}>
      <p class="choices">
        <input
          type="search"
          id="search"
          placeholder="Search ( / )"
          aria-label="Search in metrics"
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        {value && (
          <span role="status">
            {found.length > MOST ? `The first ${MOST} of ${found.length}` : `${found.length} values`}
          </span>
        )}
      </p>
      {value && (
        <Table
          label="Metrics"
          head={['Name', 'Labels', 'Value']}
          rows={found.slice(0, MOST).map(({ name, labels, value: measured }) => [
            <code key="name">{name}</code>,
            Object.entries(labels)
              .map(([label, text]) => `${label} ${text}`)
              .join(', '),
            measured.toLocaleString(undefined, { maximumFractionDigits: 6 })
          ])}
          none="No metric is called so."
        />
      )}
    </Section>
  )
}

const PARTS = [
  { id: 'overview', title: 'Overview', content: () => <Overview /> },
  { id: 'log', title: 'Log', content: () => <LogState /> },
  {
    id: 'streams',
    title: 'Streams',
    content: () => (
      <>
        <Streams />
        <Cursors />
      </>
    )
  },
  { id: 'configuration', title: 'Configuration', content: () => <Configuration /> },
  { id: 'snapshots', title: 'Snapshots', content: () => <Snapshots /> },
  { id: 'messages', title: 'Messages', content: () => <ServerLog /> },
  { id: 'metrics', title: 'Metrics', content: () => <MetricsSection /> }
] as const

export const ServerPage = () => {
  const { url, query, route } = useLocation()
  const choose = (part: string): void => {
    const address = new URL(url, location.origin)
    address.searchParams.set('part', part)
    route(address.pathname + address.search, true)
  }
  const { part } = query
  return (
    <LivePage title="Server">
      <Tabs
        label="Of the server"
        tabs={PARTS}
        chosen={PARTS.find(({ id }) => id === part)?.id ?? PARTS[0].id}
        choose={choose}
      />
    </LivePage>
  )
}
