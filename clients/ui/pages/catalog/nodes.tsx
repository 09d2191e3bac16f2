// All nodes that the token may see, with how many of their checks pass.
import { useMemo, useState } from 'preact/hooks'
import { FilterField } from '../../components/filter-field.js'
import { Heading } from '../../components/heading.js'
import { SearchInput } from '../../components/search-header.js'
import { useTenancy } from '../../session/tenancy.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { finder } from '../../resources/search.js'
import { nodePage } from './page-links.js'
import type { CatalogState, NodeTally } from './catalog-state.js'
import type { NodeFacts } from './catalog-details.js'
import { CatalogList, type CatalogListProps } from './list.js'
import { StatusCount, StatusFilter } from './status.js'
import { STATUSES, worstOf, type Status } from './summary.js'
import { useCatalog } from './use-catalog.js'
import { useSearchResults } from './use-search-results.js'

const TOPICS = ['Node', 'Service', 'Check']

interface NodeRow {
  readonly facts: NodeFacts
  readonly tally: NodeTally
}

const metaOf = ({ meta }: NodeFacts): string =>
  Object.entries(meta)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

const textsOf = (facts: NodeFacts): readonly string[] => [facts.node, facts.address, metaOf(facts)]

const COLUMNS: readonly CatalogListProps<NodeRow>[] = [
  {
    title: 'Node',
    width: 'minmax(5rem, 2fr)',
    cell: ({ facts }) => <a href={nodePage(facts)}>{facts.node}</a>,
    text: ({ facts }) => facts.node
  },
  { title: 'Services', width: '5.5rem', cell: ({ tally }) => tally.services, isWide: true },
  ...STATUSES.map(status => ({
    title: status,
    width: '4.8rem',
    cell: ({ tally }: NodeRow) => <StatusCount status={status} count={tally[status]} />
  })),
  { title: 'Address', cell: ({ facts }) => facts.address, text: ({ facts }) => facts.address, isWide: true },
  {
    title: 'Meta',
    width: 'minmax(6rem, 2fr)',
    cell: ({ facts }) => metaOf(facts),
    text: ({ facts }) => metaOf(facts),
    isWide: true
  }
]

const rowOf = (catalog: CatalogState, id: string): NodeRow | undefined => {
  const facts = catalog.nodes.get(id)
  return facts && { facts, tally: catalog.tallyOf(id) }
}

export const NodesPage = () => {
  const { ofStream, query } = useTenancy()
  const { catalog, turn, ...seen } = useCatalog(TOPICS, ofStream)
  const [wanted, setWanted] = useState('')
  const [status, setStatus] = useState<Status | ''>('')
  const [filter, setFilter] = useState('')
  const { value: passing, failure } = useBlockingQuery<readonly { readonly Node: string }[]>(
    filter === '' ? undefined : '/v1/catalog/nodes',
    { filter, partition: query['partition'] }
  )
  const { ids: all } = catalog.nodes
  const holds = useMemo(() => finder(wanted, textsOf), [wanted])
  const names = useMemo(() => passing && new Set(passing.map(({ Node }) => Node)), [passing])
  const isFound = (id: string): boolean => {
    const row = rowOf(catalog, id)
    if (!row || (names && !names.has(row.facts.node))) return false
    return (status === '' || worstOf(row.tally) === status) && holds(row.facts)
  }
  const isWhole = !names && status === '' && wanted.trim() === ''
  const ids = useSearchResults(all, isWhole ? undefined : isFound, [catalog, turn, wanted, status, names])
  return (
    <main class="catalog nodes">
      <header>
        <Heading>Nodes</Heading>
        <StatusFilter value={status} change={setStatus} />
        <SearchInput label="Nodes" value={wanted} change={setWanted} />
      </header>
      <FilterField example='Meta.rack == "r1"' failure={failure} change={setFilter} />
      <CatalogList
        what={['node', 'nodes']}
        seen={seen}
        columns={COLUMNS}
        ids={ids}
        rowOf={id => rowOf(catalog, id)}
        all={all.length}
      />
    </main>
  )
}
