// All checks that the token may see, those that do not pass first, with what they put out.
import { useMemo, useState } from 'preact/hooks'
import { Status } from '../../components/badge.js'
import { FilterField } from '../../components/filter-field.js'
import { Heading } from '../../components/heading.js'
import { SearchInput } from '../../components/search-header.js'
import { useTenancy } from '../../session/tenancy.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { finder } from '../../resources/search.js'
import { checkPage } from './page-links.js'
import type { CatalogState } from './catalog-state.js'
import type { CheckFacts } from './catalog-details.js'
import { CatalogList, type CatalogListProps } from './list.js'
import { StatusFilter } from './status.js'
import { STATUSES, type Status as StatusName } from './summary.js'
import { useCatalog } from './use-catalog.js'
import { useSearchResults } from './use-search-results.js'

const TOPICS = ['Check']
const WORST_FIRST = STATUSES.toReversed()

const ofWhat = ({ serviceId, serviceName }: CheckFacts): string => serviceName || serviceId || 'node'

const textsOf = ({ name, id, serviceName, node, output }: CheckFacts): readonly string[] => [
  name,
  id,
  serviceName,
  node,
  output
]

const COLUMNS: readonly CatalogListProps<CheckFacts>[] = [
  { title: 'Status', width: '5rem', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Check',
    width: 'minmax(5rem, 2fr)',
    cell: check => <a href={checkPage(check)}>{check.name || check.id}</a>,
    text: ({ name }) => name
  },
  { title: 'Service', cell: ofWhat, text: ofWhat },
  { title: 'Node', cell: ({ node }) => node, text: ({ node }) => node },
  {
    title: 'Output',
    width: 'minmax(8rem, 4fr)',
    cell: ({ output }) => output,
    text: ({ output }) => output,
    isWide: true
  }
]

interface Found {
  readonly Node: string
  readonly CheckID: string
  readonly Namespace?: string
}

const worstFirst = ({ checks }: CatalogState, ids: readonly string[]): readonly string[] => {
  const byStatus: Record<StatusName, string[]> = { passing: [], warning: [], critical: [] }
  for (const id of ids) {
    const check = checks.get(id)
    if (check) byStatus[check.status].push(id)
  }
  return WORST_FIRST.flatMap(each => byStatus[each])
}

export const ChecksPage = () => {
  const { ofStream, query } = useTenancy()
  const { catalog, turn, ...seen } = useCatalog(TOPICS, ofStream)
  const [wanted, setWanted] = useState('')
  const [status, setStatus] = useState<StatusName | ''>('')
  const [filter, setFilter] = useState('')
  const { value: passing, failure } = useBlockingQuery<readonly Found[]>(
    filter === '' ? undefined : '/v1/health/state/any',
    { ...query, filter }
  )
  const { ids: all } = catalog.checks
  const holds = useMemo(() => finder(wanted, textsOf), [wanted])
  const names = useMemo(
    () => passing && new Set(passing.map(({ Node, CheckID }) => JSON.stringify([Node, CheckID]))),
    [passing]
  )
  const isFound = (id: string): boolean => {
    const check = catalog.checks.get(id)
    if (!check || (status !== '' && check.status !== status)) return false
    return (!names || names.has(JSON.stringify([check.node, check.id]))) && holds(check)
  }
  const isWhole = !names && status === '' && wanted.trim() === ''
  const found = useSearchResults(all, isWhole ? undefined : isFound, [catalog, turn, wanted, status, names])
  const ids = useMemo(() => worstFirst(catalog, found), [catalog, turn, found])
  return (
    <main class="catalog checks">
      <header>
        <Heading>Checks</Heading>
        <StatusFilter value={status} change={setStatus} />
        <SearchInput label="Checks" value={wanted} change={setWanted} />
      </header>
      <FilterField example='Output contains "timeout"' failure={failure} change={setFilter} />
      <CatalogList
        what={['check', 'checks']}
        seen={seen}
        columns={COLUMNS}
        ids={ids}
        rowOf={id => catalog.checks.get(id)}
        all={all.length}
      />
    </main>
  )
}
