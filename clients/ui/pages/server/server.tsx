import type { Schemas } from '../../../typescript/typed/index.js'
import {
  Badge,
  Facts,
  Guard,
  Refusal,
  SearchInput,
  Section,
  Table,
  Tabs,
  Select,
  Payload,
  RelativeTime
} from '../../design/index.js'
import type { ComponentChildren } from 'preact'
import { Configuration } from './configuration.js'
import { Cursors } from './cursors.js'
import { LivePage, useLiveResponse, usePageRefreshTimer, useMeasures, valueOf } from './live-page.js'
import { LogState } from './log-state.js'
import { Snapshots } from './snapshots.js'
import { useState } from 'preact/hooks'
import { EVERYWHERE, useTask, type ResponseState } from '../../session/use-response.js'
import { linesOf } from './lines.js'
import { Members } from './members.js'
import { countText, sizeText } from './formatters.js'
import { client } from '../../session/session.js'
import { messageOf } from '../../../../events/errors.js'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const
const MAX_LINES = 500

export const ServerLog = () => {
  const [level, setLevel] = useState<string>('info')
  const [lines, setLines] = useState<readonly string[]>([])
  const [failure, setFailure] = useState<string>()
  const currentClient = client.value
  const follow = async (signal: AbortSignal): Promise<void> => {
    setLines([])
    setFailure(undefined)
    const options = { query: { loglevel: level }, signal }
    const { body } = await currentClient.connection.request('GET', '/v1/agent/monitor', options)
    if (body)
      for await (const line of linesOf(body, signal)) setLines(before => [...before, line].slice(-MAX_LINES))
    setFailure('The server has ended.')
  }
  useTask(follow, error => setFailure(messageOf(error)), [currentClient, level])
  return (
    <Section title="Messages">
      <p class="choices">
        <Select label="From level" options={LEVELS} value={level} change={setLevel} />
        <span role="status">
          {lines.length === 0 ? 'There are no messages yet.' : `The last ${lines.length} lines`}
        </span>
      </p>
      <Refusal text={failure} />
      {lines.length > 0 && <Payload label="Messages of the server" text={lines.join('\n')} />}
    </Section>
  )
}

type Stats = Readonly<Record<string, Readonly<Record<string, string>>>>

const NAME = /^worker_(\d+)$/

/** Renders nothing without workers. */
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
          <Badge tone={worker['state'] === 'listening' ? 'good' : 'warn'}>{worker['state']}</Badge>,
          worker['pid'],
          worker['since'] && <RelativeTime at={worker['since']} isShort />,
          countText(Number(worker['applied_index'])),
          countText(Number(worker['behind_commits'])),
          sizeText(Number(worker['memory_bytes']))
        ])}
      />
    </Section>
  )
}

type ReadinessReport = Schemas['Readiness']

const useReadiness = (): ResponseState<ReadinessReport> => {
  const [turn] = usePageRefreshTimer()
  const [report, setReport] = useState<ResponseState<ReadinessReport>>({})
  // A 503 contains the report, too.
  const read = async (signal: AbortSignal): Promise<void> =>
    setReport({ value: await (await fetch('/readyz', { signal })).json() })
  useTask(read, error => setReport({ failure: messageOf(error) }), [turn])
  return report
}

const whyNot = ({ Log, ReadModels, Leader, Ending }: ReadinessReport): string =>
  [
    Log === 'writable' ? '' : `the log is ${Log}`,
    ReadModels === 'current' ? '' : `the read models are ${ReadModels}`,
    Leader === 'known' ? '' : `the leader is ${Leader}`,
    Ending ? 'shutting down' : ''
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

const Overview = () => {
  const self = useLiveResponse<Schemas['AgentSelf']>('/v1/agent/self')
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
            ['State', <Readiness />],
            ['Name', Config?.NodeName],
            ['ID', Config?.NodeID],
            ['Version', Config?.Revision.replace('annals-', '')],
            ['Runtime', Stats?.['runtime'] && `Node ${Stats['runtime']['version'] ?? ''}`],
            ['Datacenter', Config?.Datacenter],
            ['Role', Stats?.['raft']?.['state']?.toLowerCase()],
            ['Started', started && <RelativeTime at={new Date(started * 1000).toISOString()} isShort />],
            ['Memory', memory && sizeText(memory)],
            ['Newest commit', countText(valueOf(measures, 'annals_commit_index'))],
            ['Event streams', countText(valueOf(measures, 'annals_event_streams'))]
          ]}
        />
        <Refusal text={self.failure === measured.failure ? undefined : measured.failure} />
      </Section>
      {guarded('operator', <Members />)}
      {Stats && <Workers stats={Stats} />}
    </>
  )
}

const MAX_METRICS = 300

const MetricsSection = () => {
  const [search, setSearch] = useState('')
  const { value, failure } = useMeasures()
  const found = (value ?? []).filter(({ name }) => name.includes(search.trim().toLowerCase()))
  return (
    <Section title="Metrics" failure={failure}>
      <p class="choices">
        <SearchInput label="metrics" value={search} change={setSearch} />
        {value && (
          <span role="status">
            {found.length > MAX_METRICS
              ? `The first ${MAX_METRICS} of ${found.length}`
              : `${found.length} values`}
          </span>
        )}
      </p>
      {value && (
        <Table
          label="Metrics"
          head={['Name', 'Labels', 'Value']}
          rows={found.slice(0, MAX_METRICS).map(({ name, labels, value: measured }) => [
            <code>{name}</code>,
            Object.entries(labels)
              .map(([label, text]) => `${label} ${text}`)
              .join(', '),
            measured.toLocaleString(undefined, { maximumFractionDigits: 6 })
          ])}
          none="No metrics match."
        />
      )}
    </Section>
  )
}

/** Disables the actions of a tab without a permission. */
const guarded = (resource: string, content: ComponentChildren) => (
  <Guard key={resource} resource={resource} place={EVERYWHERE}>
    {content}
  </Guard>
)

const TABS = [
  { id: 'overview', title: 'Overview', content: () => <Overview /> },
  { id: 'log', title: 'Log', content: () => <LogState /> },
  { id: 'streams', title: 'Streams', content: () => guarded('operator', <Cursors />) },
  { id: 'configuration', title: 'Configuration', content: () => guarded('agent', <Configuration />) },
  { id: 'snapshots', title: 'Snapshots', content: () => guarded('acl', <Snapshots />) },
  { id: 'messages', title: 'Messages', content: () => <ServerLog /> },
  { id: 'metrics', title: 'Metrics', content: () => <MetricsSection /> }
] as const

export const ServerPage = () => (
  <LivePage title="Server">
    <Tabs label="Of the server" parameter="part" tabs={TABS} />
  </LivePage>
)
