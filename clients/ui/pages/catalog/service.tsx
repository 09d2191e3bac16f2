import type { Schemas } from '../../../typescript/typed/index.js'
import { useMemo, useState } from 'preact/hooks'
import { Button, Status, Breadcrumbs, Facts, Heading, Tabs } from '../../design/index.js'
import { nodePage, instanceId, instancePage, nodeId, STATUSES, STATUS_TITLES } from './summary.js'
import type { CatalogState, Instance } from './catalog-state.js'
import { metaText, type CheckFacts } from './catalog-details.js'
import { CheckList } from './check-list.js'
import { textColumn, useCatalogList, type CatalogColumn, StatusCount } from './list.js'
import { summaryOf, type CatalogView, useCatalog } from './use-catalog.js'
import { ErrorBoundary, lazy, useLocation } from 'preact-iso'

const metaOf = ({ facts }: Instance): string => metaText(facts.meta)

const endpointOf = ({ facts: { address, port } }: Instance): string => {
  const host = address.includes(':') ? `[${address}]` : address
  return port === 0 ? address : `${host}:${port}`
}

const tagsOf = ({ facts }: Instance): string => facts.tags.join(', ')

const COLUMNS: readonly CatalogColumn<Instance>[] = [
  { title: 'Status', width: '6rem', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Instance',
    width: 'minmax(4rem, 2fr)',
    isTitle: true,
    cell: ({ facts }) => <a href={instancePage(facts)}>{facts.id}</a>,
    text: ({ facts }) => facts.id
  },
  {
    title: 'Node',
    cell: ({ facts }) => (
      <a href={nodePage({ key: facts.nodeKey, partition: facts.partition })}>{facts.node}</a>
    ),
    text: ({ facts }) => facts.node
  },
  textColumn('Address', endpointOf, { width: 'minmax(6rem, 1.5fr)' }),
  textColumn('Tags', tagsOf, { isWide: true }),
  {
    title: 'Weights',
    width: '5.5rem',
    cell: ({ facts: { weights } }) => `${weights.passing} / ${weights.warning}`,
    text: ({ facts: { weights } }) => `${weights.passing} while passing, ${weights.warning} while warning`,
    isWide: true
  },
  textColumn('Meta', metaOf, { isWide: true })
]

const checksOf = (catalog: CatalogState, { facts }: Instance): readonly CheckFacts[] => [
  ...catalog.checksOf(instanceId(facts)),
  ...catalog.checksOf(nodeId(facts))
]

interface Props {
  readonly shown: CatalogView
  readonly service: string
  readonly query: Readonly<Record<'ns' | 'partition', string | undefined>>
}

export const Instances = ({ shown, service, query }: Props) => {
  const { catalog } = shown
  const [opened, setOpened] = useState<string>()
  const columns = useMemo(
    () => [
      ...COLUMNS,
      {
        title: 'Checks',
        width: '4.8rem',
        cell: (row: Instance) => {
          const id = instanceId(row.facts)
          const count = checksOf(catalog, row).length
          return (
            <Button
              label={count}
              act={() => setOpened(opened === id ? undefined : id)}
              class="plain"
              aria-expanded={opened === id}
              aria-label={`${count} checks of ${row.facts.id}`}
            />
          )
        }
      }
    ],
    [catalog, opened]
  )
  const { statusFilter, searchInput, filterField, list } = useCatalogList<Instance, Schemas['ServiceHealth']>(
    shown,
    {
      of: { title: 'Instances', one: 'instance' },
      columns,
      rowsOf: ({ instances }) => instances,
      statusOf: ({ status }) => status,
      textsOf: row => [row.facts.id, row.facts.node, endpointOf(row), tagsOf(row), metaOf(row)],
      // Historical state covers all services.
      isIn: ({ facts }) => facts.service === service,
      total: summaryOf(shown, service)?.instances ?? 0,
      filter: {
        example: '"v1" in Service.Tags',
        path: `/v1/health/service/${encodeURIComponent(service)}`,
        idOf: ({ Node, Service }) => JSON.stringify([Node.Node, Service.ID]),
        idOfRow: ({ facts }) => JSON.stringify([facts.node, facts.id])
      }
    },
    query
  )
  const open = opened === undefined ? undefined : catalog.instances.get(opened)
  return (
    <>
      <div class="choices">
        {statusFilter}
        {searchInput}
        {filterField}
      </div>
      {list}
      {open && (
        <section class="details" aria-label={`Checks of ${open.facts.id}`}>
          <header>
            <h2>Checks of {open.facts.id}</h2>
            <Button label="Close" act={() => setOpened(undefined)} />
          </header>
          <CheckList label={`Checks of ${open.facts.id}`} checks={checksOf(catalog, open)} />
        </section>
      )}
    </>
  )
}

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
