import { useMemo, useRef, useState } from 'preact/hooks'
import { inWorkerChunks, CHUNK_LIMIT } from '../../live/worker/worker-chunks.js'
import { useTask, useTurn, useBlockingQuery } from '../../session/use-response.js'
import type { ComponentChildren } from 'preact'
import type { Query } from '../../../typescript/connection.js'
import {
  FilterField,
  Heading,
  List,
  type ColumnHead,
  SearchInput,
  Select,
  StreamNotice
} from '../../design/index.js'
import { finder } from '../../resources/search.js'
import { useTenancy } from '../../session/tenancy.js'
import type { Kind } from '../../resources/kind.js'
import type { CatalogState, Rows } from './catalog-state.js'
import { STATUSES, type Status } from './summary.js'
import { useCatalog, type CatalogView } from './use-catalog.js'

// The search of a long list, in short chunks so that the page stays responsive.

type IsFound = (id: string) => boolean

function* searching(ids: readonly string[], isFound: IsFound, found: string[]): Generator<void> {
  let steps = 0
  for (const id of ids) {
    if (isFound(id)) found.push(id)
    if (++steps % CHUNK_LIMIT === 0) yield
  }
}

/** Returns the previous results until a search is complete. @param isFound undefined for all @param dependencies of `isFound` */
const useSearchResults = (
  ids: readonly string[],
  isFound: IsFound | undefined,
  dependencies: readonly unknown[]
): readonly string[] => {
  const shown = useRef(ids)
  const [, show] = useTurn()
  const search = async (): Promise<void> => {
    if (!isFound) return
    const found: string[] = []
    await inWorkerChunks(searching(ids, isFound, found), () => true)
    shown.current = found
    show()
  }
  const turn = useMemo(() => ({}), [ids, isFound === undefined, ...dependencies])
  useTask(search, () => {}, [], turn)
  if (!isFound) shown.current = ids
  return shown.current
}

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
  /** Identifies a resource of the response. */
  readonly idOf: (found: F) => string
  /** Identifies the same resource in the list. */
  readonly idOfRow: (row: T) => string
}

export interface CatalogList<T extends object, F = never> {
  /** The title, the name of a row, and what the rows are for. */
  readonly of: Pick<Kind, 'title' | 'one'> & Partial<Pick<Kind, 'about'>>
  readonly columns: readonly CatalogColumn<T>[]
  readonly rowsOf: (catalog: CatalogState) => Rows<T>
  readonly statusOf: (row: T, catalog: CatalogState) => Status
  readonly textsOf: (row: T) => readonly string[]
  readonly filter?: ServerFilter<T, F>
  /** Restricts the list, such as to a service. */
  readonly isIn?: (row: T) => boolean
  /** Number of rows without a search; that of all rows when absent. */
  readonly total?: number
  readonly sort?: (catalog: CatalogState, ids: readonly string[]) => readonly string[]
}

const unsorted = (_: CatalogState, ids: readonly string[]): readonly string[] => ids

/** Returns the controls of a list, and the list. @param query of requests that filter it */
export const useCatalogList = <T extends object, F = never>(
  view: CatalogView,
  list: CatalogList<T, F>,
  query: Query
) => {
  const { of, columns, rowsOf, statusOf, textsOf, filter, isIn, sort = unsorted } = list
  const { title, one, about } = of
  const many = title.toLowerCase()
  const { catalog, turn, state, refusal } = view
  const [search, setSearch] = useState('')
  const [status, setStatus] = useState('')
  const [expression, setExpression] = useState('')
  const { value: passing, failure } = useBlockingQuery<readonly F[]>(
    expression === '' ? undefined : filter?.path,
    { ...query, filter: expression }
  )
  const rows = rowsOf(catalog)
  const all = rows.ids
  const { total = all.length } = list
  const matches = useMemo(() => finder(search, textsOf), [search])
  const names = useMemo(() => passing && filter && new Set(passing.map(filter.idOf)), [passing])
  const isFound = (id: string): boolean => {
    const row = rows.get(id)
    if (!row || (isIn && !isIn(row)) || (status !== '' && statusOf(row, catalog) !== status)) return false
    return (!names || !filter || names.has(filter.idOfRow(row))) && matches(row)
  }
  const isComplete = all.length === total && !names && status === '' && search.trim() === ''
  const asked = [catalog, filter?.path, turn, search, status, names]
  const found = useSearchResults(all, isComplete ? undefined : isFound, asked)
  const ids = useMemo(() => sort(catalog, found), [catalog, turn, found])
  const rowAt = (place: number) => {
    const id = ids[place]
    const row = id === undefined ? undefined : rows.get(id)
    return id === undefined || row === undefined ? undefined : { id, row }
  }
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
        <StreamNotice
          state={state}
          count={ids.length}
          total={total}
          what={[one, many]}
          about={about}
          refusal={refusal}
        />
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
  readonly list: CatalogList<T, F>
}

/** A page with one list. */
export const CatalogPage = <T extends object, F>({ topics, list: declared }: PageProps<T, F>) => {
  const { ofStream, query } = useTenancy()
  const view = useCatalog(topics, ofStream)
  const { statusFilter, searchInput, filterField, list } = useCatalogList(view, declared, query)
  const { title } = declared.of
  return (
    <main class={`catalog ${title.toLowerCase()}`}>
      <header>
        <Heading>{title}</Heading>
        {statusFilter}
        {searchInput}
      </header>
      {filterField}
      {list}
    </main>
  )
}
