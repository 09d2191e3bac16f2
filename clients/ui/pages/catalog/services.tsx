import { CatalogPage, StatusCount, textColumn, type CatalogColumn, type CatalogListOptions } from './list.js'
import { servicePage } from './page-links.js'
import { STATUSES, worstOf, type ServiceSummary } from './summary.js'

const TOPICS = ['Service', 'Check']

const COLUMNS: readonly CatalogColumn<ServiceSummary>[] = [
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

const OPTIONS: CatalogListOptions<ServiceSummary, never> = {
  title: 'Services',
  what: ['service', 'services'],
  columns: COLUMNS,
  idsOf: catalog => catalog.services.ids,
  rowOf: (catalog, id) => catalog.services.get(id),
  statusOf: ({ counts }) => worstOf(counts),
  textsOf: ({ service, namespace, kind, tags }) => [service, namespace, kind, ...Object.keys(tags)]
}

export const ServicesPage = () => <CatalogPage topics={TOPICS} optionsFor={() => OPTIONS} />
