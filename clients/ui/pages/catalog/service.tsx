import type { Schemas } from '../../../typescript/typed/index.js'
import { useState, useEffect } from 'preact/hooks'
import {
  Button,
  Breadcrumbs,
  Facts,
  Heading,
  Tabs,
  type ListColumn,
  SearchInput
} from '../../design/index.js'
import { instanceId, STATUSES, STATUS_TITLES } from '../../resources/catalog/facts.js'
import { ErrorBoundary, lazy, useLocation } from 'preact-iso'
import { catalogListings } from '../../resources/catalog/listings.js'
import type { ResourceRow } from '../../live/worker/protocol.js'
import type { Place } from '../../session/tenancy.js'
import { type ResourceList, type ResourceListOptions, useResources } from '../../live/use-resources.js'
import { useFilters } from './lists.js'
import { ResourceRows, StatusCount } from '../resource-list-page.js'
import { InstanceChecks } from './check-list.js'

const OPTIONS = { listing: 'instances', sorted: { column: 1, isDescending: false } }
const COLUMNS = catalogListings['instances']?.columns ?? []
const KIND = { title: 'Instances', one: 'instance', resource: 'service' }
const [WEIGHTS_AT, CHECKS_AT] = ['Weights', 'Checks'].map(name =>
  COLUMNS.findIndex(({ title }) => title === name)
)

const weightsOf = ({ cells }: ResourceRow): string => cells[WEIGHTS_AT ?? 0] ?? ''

const WEIGHTS: ListColumn<ResourceRow> = {
  title: 'Weights',
  cell: weightsOf,
  text: row => `${weightsOf(row).replace(' / ', ' while passing, ')} while warning`
}

interface Props {
  readonly service: string
  readonly place: Place
  readonly resources: ResourceList
  readonly select: (selection: Selection) => void
}

/** The rows of a list that its page selects. */
type Selection = Pick<ResourceListOptions, 'search' | 'scope' | 'only'>

export const Instances = ({ service, place, resources, select }: Props) => {
  const [opened, setOpened] = useState<ResourceRow>()
  const [search, setSearch] = useState('')
  const { filters, statusFilter, filterField } = useFilters<Schemas['ServiceHealth']>(
    {
      example: '"v1" in Service.Tags',
      path: `/v1/health/service/${encodeURIComponent(service)}`,
      idOf: ({ Node: { Node: node }, Service: { ID: id } }) =>
        instanceId({ id, node, namespace: place.ns, partition: place.partition })
    },
    place
  )
  useEffect(() => select({ ...filters, search }), [filters.scope, filters.only, search])
  const checks: ListColumn<ResourceRow> = {
    title: 'Checks',
    cell: row => (
      <Button
        label={row.cells[CHECKS_AT ?? 0] ?? ''}
        act={() => setOpened(opened?.id === row.id ? undefined : row)}
        class="plain"
        aria-expanded={opened?.id === row.id}
        aria-label={`${row.cells[CHECKS_AT ?? 0]} checks of ${row.cells[1]}`}
      />
    )
  }
  const [, id = '', node = ''] = opened?.cells ?? []
  return (
    <>
      <div class="choices">
        {statusFilter}
        <SearchInput label="Instances" value={search} change={setSearch} />
        {filterField}
      </div>
      <ResourceRows kind={KIND} columns={COLUMNS} resources={resources} cells={[checks, WEIGHTS]} />
      {opened && (
        <section class="details" aria-label={`Checks of ${id}`}>
          <header>
            <h2>Checks of {id}</h2>
            <Button label="Close" act={() => setOpened(undefined)} />
          </header>
          <InstanceChecks label={`Checks of ${id}`} node={node} id={id} place={place} />
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
  const [selection, select] = useState<Selection>({})
  const place = { ns: ns || 'default', partition: partition || 'default' }
  const resources = useResources({
    ...OPTIONS,
    ...selection,
    namespace: place.ns,
    partition: place.partition,
    filter: filterFor(name)
  })
  const { summary } = resources
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
          ['Namespace', place.ns],
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
            content: () => <Instances service={name} {...{ place, resources, select }} />
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
