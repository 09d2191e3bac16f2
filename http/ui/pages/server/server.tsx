// The server itself, part by part: what it is, its log, who reads its stream, its configuration, and what it measures.
import { useLocation } from 'preact-iso'
import { Heading } from '../../parts/heading.js'
import { Tabs } from '../../parts/tabs.js'
import { Configuration } from './configuration.js'
import { Cursors } from './cursors.js'
import { LogState } from './log-state.js'
import { MetricsPart } from './metrics.js'
import { Overview } from './overview.js'
import { PulseContext, usePulse } from './pulse.js'
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
  const pulse = usePulse()
  const choose = (part: string): void => {
    const address = new URL(url, location.origin)
    address.searchParams.set('part', part)
    route(address.pathname + address.search, true)
  }
  return (
    <PulseContext.Provider value={pulse}>
      <main class="thing">
        <header>
          <Heading>Server</Heading>
          <button type="button" aria-pressed={pulse.isPaused} onClick={() => pulse.pause(!pulse.isPaused)}>
            Pause
          </button>
          <button type="button" onClick={pulse.ask}>
            Read again
          </button>
        </header>
        <Tabs
          label="Of the server"
          tabs={PARTS}
          chosen={PARTS.some(({ id }) => id === query['part']) ? (query['part'] ?? '') : PARTS[0].id}
          choose={choose}
        />
      </main>
    </PulseContext.Provider>
  )
}
