import type { Schemas } from '../../../typescript/typed/index.js'
import {
  nodeId,
  nodePage,
  STATUSES,
  STATUS_TITLES,
  worstOf,
  checkPage,
  servicePage,
  type ServiceSummary
} from './summary.js'
import type { CatalogState } from './catalog-state.js'
import { metaText, type NodeFacts, type CheckFacts } from './catalog-details.js'
import { CatalogPage, StatusCount, textColumn, type CatalogColumn, type CatalogList } from './list.js'
import { checks, nodes, services } from '../../resources/kinds.js'
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
    title: STATUS_TITLES[status],
    width: '5rem',
    cell: (row: ServiceSummary) => <StatusCount status={status} count={row.counts[status]} />
  })),
  textColumn('Tags', ({ tags }) => Object.keys(tags).toSorted().join(', '), {
    width: 'minmax(6rem, 3fr)',
    isWide: true
  }),
  { title: 'Kind', width: '9.5rem', cell: row => row.kind, text: row => row.kind, isWide: true },
  textColumn('Namespace', row => row.namespace, { width: '7rem', isWide: true })
]

const SERVICES: CatalogList<ServiceSummary> = {
  of: services,
  columns: SERVICE_COLUMNS,
  rowsOf: catalog => catalog.services,
  statusOf: ({ counts }) => worstOf(counts),
  textsOf: ({ service, namespace, kind, tags }) => [service, namespace, kind, ...Object.keys(tags)]
}

export const ServicesPage = () => <CatalogPage topics={SERVICE_TOPICS} list={SERVICES} />

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

const worstFirst = (catalog: CatalogState, ids: readonly string[]): readonly string[] =>
  WORST_FIRST.flatMap(status => ids.filter(id => catalog.checks.get(id)?.status === status))

const CHECKS: CatalogList<CheckFacts, Schemas['HealthCheck']> = {
  of: checks,
  columns: CHECK_COLUMNS,
  rowsOf: catalog => catalog.checks,
  statusOf: ({ status }) => status,
  textsOf: ({ name, id, serviceName, node, output }) => [name, id, serviceName, node, output],
  sort: worstFirst,
  filter: {
    example: 'Output contains "timeout"',
    path: '/v1/health/state/any',
    idOf: ({ Node, CheckID }) => JSON.stringify([Node, CheckID]),
    idOfRow: ({ node, id }) => JSON.stringify([node, id])
  }
}

export const ChecksPage = () => <CatalogPage topics={CHECK_TOPICS} list={CHECKS} />

const NODE_TOPICS = ['Node', 'Service', 'Check']

const NODE_COLUMNS: readonly CatalogColumn<NodeFacts>[] = [
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
    title: STATUS_TITLES[status],
    width: '5rem',
    cell: (facts: NodeFacts, catalog: CatalogState) => (
      <StatusCount status={status} count={catalog.tallyOf(nodeId(facts))[status]} />
    )
  })),
  textColumn('Address', ({ address }) => address, { isWide: true }),
  textColumn('Meta', ({ meta }) => metaText(meta), { width: 'minmax(6rem, 2fr)', isWide: true })
]

const NODES: CatalogList<NodeFacts, Schemas['Node']> = {
  of: nodes,
  columns: NODE_COLUMNS,
  rowsOf: catalog => catalog.nodes,
  statusOf: (facts, catalog) => worstOf(catalog.tallyOf(nodeId(facts))),
  textsOf: ({ node, address, meta }) => [node, address, metaText(meta)],
  filter: {
    example: 'Meta.rack == "r1"',
    path: '/v1/catalog/nodes',
    idOf: ({ Node }) => Node,
    idOfRow: ({ node }) => node
  }
}

export const NodesPage = () => <CatalogPage topics={NODE_TOPICS} list={NODES} />
