// The instances of a service that the token may see, and the checks of one of them.
import { useMemo, useState } from 'preact/hooks'
import { Status } from '../../components/badge.js'
import { FilterField } from '../../components/filter-field.js'
import { SearchInput } from '../../components/search-header.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { finder } from '../../resources/search.js'
import { instancePage, nodePage } from './page-links.js'
import type { Instance } from './catalog-state.js'
import { CheckList } from './check-list.js'
import { instanceId, nodeId } from './ids.js'
import { CatalogList, type CatalogListProps } from './list.js'
import { StatusFilter } from './status.js'
import type { Status as StatusName } from './summary.js'
import { summaryOf, type CatalogView } from './use-catalog.js'
import { useSearchResults } from './use-search-results.js'

const metaOf = ({ facts }: Instance): string =>
  Object.entries(facts.meta)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

const endpointOf = ({ facts: { address, port } }: Instance): string => {
  const host = address.includes(':') ? `[${address}]` : address
  return port === 0 ? address : `${host}:${port}`
}

const tagsOf = ({ facts }: Instance): string => facts.tags.join(', ')

const textsOf = (row: Instance): readonly string[] => [
  row.facts.id,
  row.facts.node,
  endpointOf(row),
  tagsOf(row),
  metaOf(row)
]

const COLUMNS: readonly CatalogListProps<Instance>[] = [
  { title: 'Status', width: '5rem', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Instance',
    width: 'minmax(4rem, 2fr)',
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
  { title: 'Address', width: 'minmax(6rem, 1.5fr)', cell: endpointOf, text: endpointOf },
  { title: 'Tags', cell: tagsOf, text: tagsOf, isWide: true },
  {
    title: 'Weights',
    width: '4.5rem',
    cell: ({ facts: { weights } }) => `${weights.passing} / ${weights.warning}`,
    text: ({ facts: { weights } }) => `${weights.passing} while passing, ${weights.warning} while warning`,
    isWide: true
  },
  { title: 'Meta', cell: metaOf, text: metaOf, isWide: true }
]

interface Found {
  readonly Node: { readonly Node: string }
  readonly Service: { readonly ID: string }
}

interface Props {
  readonly shown: CatalogView
  /** Names the service. */
  readonly service: string
  readonly query: Readonly<Record<'ns' | 'partition', string | undefined>>
}

export const Instances = ({ shown, service, query }: Props) => {
  const { catalog, turn } = shown
  const [wanted, setWanted] = useState('')
  const [status, setStatus] = useState<StatusName | ''>('')
  const [filter, setFilter] = useState('')
  const [opened, setOpened] = useState<string>()
  const { value: passing, failure } = useBlockingQuery<readonly Found[]>(
    filter === '' ? undefined : `/v1/health/service/${encodeURIComponent(service)}`,
    { ...query, filter }
  )
  const { ids: all } = catalog.instances
  const total = summaryOf(shown, service)?.instances ?? 0
  const holds = useMemo(() => finder(wanted, textsOf), [wanted])
  const names = useMemo(
    () => passing && new Set(passing.map(({ Node, Service }) => JSON.stringify([Node.Node, Service.ID]))),
    [passing]
  )
  const isFound = (id: string): boolean => {
    const row = catalog.instances.get(id)
    if (row?.facts.service !== service || (status !== '' && row.status !== status)) return false
    return (!names || names.has(JSON.stringify([row.facts.node, row.facts.id]))) && holds(row)
  }
  // Historical state covers all services.
  const isWhole = all.length === total && !names && status === '' && wanted.trim() === ''
  const ids = useSearchResults(all, isWhole ? undefined : isFound, [
    catalog,
    service,
    turn,
    wanted,
    status,
    names
  ])
  const columns = useMemo(
    () => [
      ...COLUMNS,
      {
        title: 'Checks',
        width: '3.6rem',
        cell: ({ facts }: Instance) => {
          const id = instanceId(facts)
          const count = catalog.checksOf(id).length + catalog.checksOf(nodeId(facts)).length
          return (
            <button
              type="button"
              class="plain"
              aria-expanded={opened === id}
              aria-label={`${count} checks of ${facts.id}`}
              onClick={() => setOpened(opened === id ? undefined : id)}
            >
              {count}
            </button>
          )
        }
      }
    ],
    [catalog, opened]
  )
  const open = opened === undefined ? undefined : catalog.instances.get(opened)
  return (
    <>
      <div class="choices">
        <StatusFilter value={status} change={setStatus} />
        <SearchInput label="Instances" value={wanted} change={setWanted} />
        <FilterField example='"v1" in Service.Tags' failure={failure} change={setFilter} />
      </div>
      <CatalogList
        what={['instance', 'instances']}
        seen={shown}
        columns={columns}
        ids={ids}
        rowOf={id => catalog.instances.get(id)}
        all={total}
      />
      {open && opened !== undefined && (
        <section class="details" aria-label={`Checks of ${open.facts.id}`}>
          <header>
            <h2>Checks of {open.facts.id}</h2>
            <button type="button" onClick={() => setOpened(undefined)}>
              Close
            </button>
          </header>
          <CheckList
            label={`Checks of ${open.facts.id}`}
            checks={[...catalog.checksOf(opened), ...catalog.checksOf(nodeId(open.facts))]}
          />
        </section>
      )}
    </>
  )
}
