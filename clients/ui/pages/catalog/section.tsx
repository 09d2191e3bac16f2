// What runs where, and how it is.
import type { UiSection, SectionPage } from '../../section.js'
import { checks, nodes, services } from '../../resources/kinds.js'
import type { Kind } from '../../resources/kind.js'
import { ChecksPage } from './checks.js'
import { NodesPage } from './nodes.js'
import { ServicePage } from './service.js'
import { useMemo, useState } from 'preact/hooks'
import { Heading } from '../../components/heading.js'
import { SearchInput } from '../../components/search-header.js'
import { useTenancy } from '../../session/tenancy.js'
import { finder } from '../../resources/search.js'
import { servicePage } from './page-links.js'
import { CatalogList, type CatalogListProps } from './list.js'
import { StatusCount, StatusFilter } from './status.js'
import { STATUSES, worstOf, type ServiceSummary, type Status } from './summary.js'
import { useCatalog } from './use-catalog.js'
import { useSearchResults } from './use-search-results.js'

/** All services that the token may see, a line each, as they are now. */
const TOPICS = ['Service', 'Check']

const tagsOf = ({ tags }: ServiceSummary): string => Object.keys(tags).toSorted().join(', ')

const textsOf = ({ service, namespace, kind, tags }: ServiceSummary): readonly string[] => [
  service,
  namespace,
  kind,
  ...Object.keys(tags)
]

const COLUMNS: readonly CatalogListProps<ServiceSummary>[] = [
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
  { title: 'Tags', width: 'minmax(6rem, 3fr)', cell: tagsOf, text: tagsOf, isWide: true },
  { title: 'Kind', width: '9.5rem', cell: row => row.kind || 'typical', text: row => row.kind, isWide: true },
  { title: 'Namespace', width: '7rem', cell: row => row.namespace, text: row => row.namespace, isWide: true }
]

const ServicesPage = () => {
  const { ofStream } = useTenancy()
  const { catalog, turn, ...seen } = useCatalog(TOPICS, ofStream)
  const [wanted, setWanted] = useState('')
  const [status, setStatus] = useState<Status | ''>('')
  const { ids: all } = catalog.services
  const holds = useMemo(() => finder(wanted, textsOf), [wanted])
  const isFound = (id: string): boolean => {
    const row = catalog.services.get(id)
    return row !== undefined && (status === '' || worstOf(row.counts) === status) && holds(row)
  }
  const isWhole = status === '' && wanted.trim() === ''
  const ids = useSearchResults(all, isWhole ? undefined : isFound, [catalog, turn, wanted, status])
  return (
    <main class="catalog services">
      <header>
        <Heading>Services</Heading>
        <StatusFilter value={status} change={setStatus} />
        <SearchInput label="Services" value={wanted} change={setWanted} />
      </header>
      <CatalogList
        what={['service', 'services']}
        seen={seen}
        columns={COLUMNS}
        ids={ids}
        rowOf={id => catalog.services.get(id)}
        all={all.length}
      />
    </main>
  )
}

const place = (kind: Kind, page: SectionPage['page'], further: SectionPage['further'] = []): SectionPage => ({
  path: `/ui/${kind.path}`,
  title: kind.title,
  key: kind.key,
  page,
  kind,
  further
})

export const catalog: UiSection = {
  title: 'Catalog',
  places: [
    place(services, ServicesPage, [{ path: '/ui/service/one', page: ServicePage }]),
    place(nodes, NodesPage),
    place(checks, ChecksPage)
  ]
}
