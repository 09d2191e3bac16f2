import type { Schemas } from '../../../typescript/typed/index.js'
import {
  nodeId,
  nodePage,
  STATUSES,
  worstOf,
  checkPage,
  servicePage,
  type ServiceSummary
} from './summary.js'
import type { CatalogState } from './catalog-state.js'
import { metaText, type NodeFacts, type CheckFacts } from './catalog-details.js'
import { CatalogPage, StatusCount, textColumn, type CatalogColumn, type CatalogListOptions } from './list.js'
import { Status } from '../../design/index.js'

const SERVICE_TOPICS = ['Service', 'Check']

const SERVICE_COLUMNS: readonly CatalogColumn<ServiceSummary>[] = [
  {
    title: 'Service',
    width: 'minmax(5rem, 3fr)',
    cell: row => <a href={servicePage(row)}>{row.service}</a>,
    text: row => row.service
  },
  { title: 'Instances', width: '5.5rem', cell: row => row.instances, isWide: true },
  ...STATUSES.map(status => ({
    title: status,
    width: '4.8rem',
    cell: (row: ServiceSummary) => <StatusCount status={status} count={row.counts[status]} />
  })),
  textColumn('Tags', ({ tags }) => Object.keys(tags).toSorted().join(', '), {
    width: 'minmax(6rem, 3fr)',
    isWide: true
  }),
  { title: 'Kind', width: '9.5rem', cell: row => row.kind || 'typical', text: row => row.kind, isWide: true },
  textColumn('Namespace', row => row.namespace, { width: '7rem', isWide: true })
]

const SERVICE_OPTIONS: CatalogListOptions<ServiceSummary, never> = {
  title: 'Services',
  what: ['service', 'services'],
  columns: SERVICE_COLUMNS,
  idsOf: catalog => catalog.services.ids,
  rowOf: (catalog, id) => catalog.services.get(id),
  statusOf: ({ counts }) => worstOf(counts),
  textsOf: ({ service, namespace, kind, tags }) => [service, namespace, kind, ...Object.keys(tags)]
}

export const ServicesPage = () => <CatalogPage topics={SERVICE_TOPICS} optionsFor={() => SERVICE_OPTIONS} />

const CHECK_TOPICS = ['Check']
const WORST_FIRST = STATUSES.toReversed()

const CHECK_COLUMNS: readonly CatalogColumn<CheckFacts>[] = [
  { title: 'Status', width: '6rem', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Check',
    width: 'minmax(5rem, 2fr)',
    isTitle: true,
    cell: check => <a href={checkPage(check)}>{check.name || check.id}</a>,
    text: ({ name }) => name
  },
  textColumn('Service', ({ serviceId, serviceName }) => serviceName || serviceId || 'node'),
  textColumn('Node', ({ node }) => node),
  textColumn('Output', ({ output }) => output, { width: 'minmax(8rem, 4fr)', isWide: true })
]

const worstFirst = ({ checks }: CatalogState, ids: readonly string[]): readonly string[] =>
  WORST_FIRST.flatMap(status => ids.filter(id => checks.get(id)?.status === status))

type FoundCheck = Schemas['HealthCheck']

const CHECK_OPTIONS: CatalogListOptions<CheckFacts, FoundCheck> = {
  title: 'Checks',
  what: ['check', 'checks'],
  columns: CHECK_COLUMNS,
  idsOf: ({ checks }) => checks.ids,
  rowOf: ({ checks }, id) => checks.get(id),
  statusOf: ({ status }) => status,
  textsOf: ({ name, id, serviceName, node, output }) => [name, id, serviceName, node, output],
  sort: worstFirst
}

export const ChecksPage = () => (
  <CatalogPage<CheckFacts, FoundCheck>
    topics={CHECK_TOPICS}
    optionsFor={query => ({
      ...CHECK_OPTIONS,
      filter: {
        example: 'Output contains "timeout"',
        path: '/v1/health/state/any',
        query,
        idOf: ({ Node, CheckID }) => JSON.stringify([Node, CheckID]),
        idOfRow: ({ node, id }) => JSON.stringify([node, id])
      }
    })}
  />
)

const TOPICS = ['Node', 'Service', 'Check']

type Found = Schemas['Node']

const COLUMNS: readonly CatalogColumn<NodeFacts>[] = [
  {
    title: 'Node',
    width: 'minmax(5rem, 2fr)',
    cell: facts => <a href={nodePage(facts)}>{facts.node}</a>,
    text: ({ node }) => node
  },
  {
    title: 'Services',
    width: '5.5rem',
    cell: (facts, catalog) => catalog.tallyOf(nodeId(facts)).services,
    isWide: true
  },
  ...STATUSES.map(status => ({
    title: status,
    width: '4.8rem',
    cell: (facts: NodeFacts, catalog: CatalogState) => (
      <StatusCount status={status} count={catalog.tallyOf(nodeId(facts))[status]} />
    )
  })),
  textColumn('Address', ({ address }) => address, { isWide: true }),
  textColumn('Meta', ({ meta }) => metaText(meta), { width: 'minmax(6rem, 2fr)', isWide: true })
]

const OPTIONS: CatalogListOptions<NodeFacts, Found> = {
  title: 'Nodes',
  what: ['node', 'nodes'],
  columns: COLUMNS,
  idsOf: ({ nodes }) => nodes.ids,
  rowOf: ({ nodes }, id) => nodes.get(id),
  statusOf: (facts, catalog) => worstOf(catalog.tallyOf(nodeId(facts))),
  textsOf: ({ node, address, meta }) => [node, address, metaText(meta)]
}

export const NodesPage = () => (
  <CatalogPage<NodeFacts, Found>
    topics={TOPICS}
    optionsFor={({ partition }) => ({
      ...OPTIONS,
      filter: {
        example: 'Meta.rack == "r1"',
        path: '/v1/catalog/nodes',
        query: { partition },
        idOf: ({ Node }) => Node,
        idOfRow: ({ node }) => node
      }
    })}
  />
)
