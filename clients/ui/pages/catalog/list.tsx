import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import {
  FilterField,
  Heading,
  List,
  type ColumnHead,
  Restricted,
  SearchInput,
  Select,
  StreamNotice,
  type StreamNoticeTexts
} from '../../design/index.js'
import { finder } from '../../resources/search.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { useTenancy } from '../../session/tenancy.js'
import type { CatalogState } from './catalog-state.js'
import { STATUSES, type Status } from './summary.js'
import { useCatalog, type CatalogView } from './use-catalog.js'
import { useSearchResults } from './use-search-results.js'

/** The number of resources in a state. */
export const StatusCount = ({ status, count }: { readonly status: Status; readonly count: number }) => (
  <span class={count === 0 ? 'index' : `count ${status}`}>{count}</span>
)

export interface CatalogColumn<T> extends ColumnHead {
  readonly cell: (row: T, catalog: CatalogState) => ComponentChildren
  /** The tooltip of a cell that may be truncated. */
  readonly text?: (row: T) => string
}

/** A column with a plain text. */
export const textColumn = <T,>(
  title: string,
  text: (row: T) => string,
  layout: Omit<ColumnHead, 'title'> = {}
): CatalogColumn<T> => ({ title, cell: row => text(row), text, ...layout })

interface ServerFilter<T, F> {
  readonly example: string
  readonly path: string
  readonly query: Query
  /** Identifies a resource of the response. */
  readonly idOf: (found: F) => string
  /** Identifies the same resource in the list. */
  readonly idOfRow: (row: T) => string
}

export interface CatalogListOptions<T extends object, F> {
  /** The plural, capitalized. */
  readonly title: string
  readonly what: StreamNoticeTexts
  readonly columns: readonly CatalogColumn<T>[]
  readonly idsOf: (catalog: CatalogState) => readonly string[]
  readonly rowOf: (catalog: CatalogState, id: string) => T | undefined
  readonly statusOf: (row: T, catalog: CatalogState) => Status
  readonly textsOf: (row: T) => readonly string[]
  readonly filter?: ServerFilter<T, F>
  /** Restricts the list, such as to a service. */
  readonly isIn?: (row: T) => boolean
  /** Number of rows without a search; that of `idsOf` when absent. */
  readonly total?: number
  readonly sort?: (catalog: CatalogState, ids: readonly string[]) => readonly string[]
}

const unsorted = (_: CatalogState, ids: readonly string[]): readonly string[] => ids

/** Returns the controls of a list, and the list. */
export const useCatalogList = <T extends object, F = never>(
  view: CatalogView,
  options: CatalogListOptions<T, F>
) => {
  const { title, what, columns, idsOf, rowOf, statusOf, textsOf, filter, isIn, sort = unsorted } = options
  const { catalog, turn, state, refusal } = view
  const [search, setSearch] = useState('')
  const [status, setStatus] = useState('')
  const [expression, setExpression] = useState('')
  const { value: passing, failure } = useBlockingQuery<readonly F[]>(
    expression === '' ? undefined : filter?.path,
    { ...filter?.query, filter: expression }
  )
  const all = idsOf(catalog)
  const { total = all.length } = options
  const matches = useMemo(() => finder(search, textsOf), [search])
  const names = useMemo(() => passing && filter && new Set(passing.map(filter.idOf)), [passing])
  const isFound = (id: string): boolean => {
    const row = rowOf(catalog, id)
    if (!row || (isIn && !isIn(row)) || (status !== '' && statusOf(row, catalog) !== status)) return false
    return (!names || !filter || names.has(filter.idOfRow(row))) && matches(row)
  }
  const isComplete = all.length === total && !names && status === '' && search.trim() === ''
  const asked = [catalog, filter?.path, turn, search, status, names]
  const found = useSearchResults(all, isComplete ? undefined : isFound, asked)
  const ids = useMemo(() => sort(catalog, found), [catalog, turn, found])
  const rowAt = (place: number) => {
    const id = ids[place]
    const row = id === undefined ? undefined : rowOf(catalog, id)
    return id === undefined || row === undefined ? undefined : { id, row }
  }
  const [one, many] = what
  return {
    statusFilter: (
      <Select
        isLabelHidden
        label="Status"
        options={[['', 'any status'], ...STATUSES]}
        value={status}
        change={setStatus}
      />
    ),
    searchInput: <SearchInput label={title} value={search} change={setSearch} />,
    filterField: filter && <FilterField example={filter.example} failure={failure} change={setExpression} />,
    list: (
      <>
        <Restricted refusal={refusal} />
        <StreamNotice state={state} count={ids.length} total={total} what={[one, many]} />
        <List
          label={many}
          columns={columns.map(({ cell, text, ...head }) => ({
            ...head,
            cell: ({ row }: { readonly row: T }) => cell(row, catalog),
            text: ({ row }: { readonly row: T }) => text?.(row) ?? ''
          }))}
          listed={{ count: ids.length, rowAt, see: () => {} }}
        />
      </>
    )
  }
}

interface PageProps<T extends object, F> {
  readonly topics: readonly string[]
  readonly optionsFor: (query: Query) => CatalogListOptions<T, F>
}

/** A page with one list. */
export const CatalogPage = <T extends object, F>({ topics, optionsFor }: PageProps<T, F>) => {
  const { ofStream, query } = useTenancy()
  const options = optionsFor(query)
  const { statusFilter, searchInput, filterField, list } = useCatalogList(
    useCatalog(topics, ofStream),
    options
  )
  return (
    <main class={`catalog ${options.what[1]}`}>
      <header>
        <Heading>{options.title}</Heading>
        {statusFilter}
        {searchInput}
      </header>
      {filterField}
      {list}
    </main>
  )
}
