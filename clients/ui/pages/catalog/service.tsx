import { useMemo } from 'preact/hooks'
import { ErrorBoundary, lazy, useLocation } from 'preact-iso'
import { Breadcrumbs, Facts, Heading, Tabs } from '../../design/index.js'
import { Instances } from './instances.js'
import { StatusCount } from './list.js'
import { STATUSES, STATUS_TITLES } from './summary.js'
import { summaryOf, useCatalog } from './use-catalog.js'

const MESH_TABS = [
  {
    id: 'chain',
    title: 'Discovery chain',
    Content: lazy(async () => (await import('../mesh/chain-section.js')).ChainSection)
  },
  {
    id: 'topology',
    title: 'Topology',
    Content: lazy(async () => (await import('../mesh/topology.js')).Topology)
  }
] as const

const TOPICS = ['Service', 'Check']

/** Selects the events of a service, of its checks, and of the checks of nodes. */
const filterFor = (service: string): string => {
  const name = JSON.stringify(service)
  return (
    `(Topic == "Service" and Payload.Service.ServiceName == ${name}) or ` +
    `(Topic == "Check" and (Payload.Check.ServiceName == ${name} or Payload.Check.ServiceID == ""))`
  )
}

export const ServicePage = () => {
  const { name = '', ns = '', partition = '' } = useLocation().query
  const narrowing = useMemo(
    () => ({ namespace: ns || 'default', partition, filter: filterFor(name) }),
    [name, ns, partition]
  )
  const shown = useCatalog(TOPICS, narrowing)
  const summary = summaryOf(shown, name)
  const place = { ns: ns || undefined, partition: partition || undefined }
  const tags = Object.entries(summary?.tags ?? {})
    .map(([tag, count]) => `${tag} (${count})`)
    .join(', ')
  const linked = new URLSearchParams({ search: name })
  return (
    <main class="catalog service">
      <Breadcrumbs links={[['/ui/services', 'Services']]} />
      <header>
        <Heading>{name}</Heading>
        <a href={`/ui/intentions?${linked}`}>Intentions</a>
        <a href={`/ui/config?${linked}`}>Configuration entries</a>
      </header>
      <Facts
        facts={[
          ['Namespace', ns || 'default'],
          ...STATUSES.map(
            status =>
              [
                STATUS_TITLES[status],
                <StatusCount key={status} status={status} count={summary?.counts[status] ?? 0} />
              ] as const
          ),
          ['Tags', tags]
        ]}
      />
      <Tabs
        label={`Of ${name}`}
        parameter="view"
        tabs={[
          {
            id: 'instances',
            title: 'Instances',
            content: () => <Instances shown={shown} service={name} query={place} />
          },
          ...MESH_TABS.map(({ id, title, Content }) => ({
            id,
            title,
            content: () => (
              <ErrorBoundary>
                <Content service={name} query={place} />
              </ErrorBoundary>
            )
          }))
        ]}
      />
    </main>
  )
}
