// The server itself, part by part: what it is, its log, who reads its stream, its configuration, and what it measures.
import { useLocation } from 'preact-iso'
import { Tabs } from '../../parts/tabs.js'
import { Configuration } from './configuration.js'
import { Cursors } from './cursors.js'
import { LivePage } from './live-page.js'
import { LogState } from './log-state.js'
import { MetricsPart } from './metrics.js'
import { Overview } from './overview.js'
import { ServerLog } from './server-log.js'
import { Snapshots } from './snapshots.js'
import { Streams } from './streams.js'

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
  { id: 'metrics', title: 'Metrics', content: () => <MetricsPart /> }
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
