// The page with the list of a kind. Pages declare what differs: filters, a further column, or another source.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ALL, useTenancy } from '../session/tenancy.js'
import { addressOf, type Kind } from '../resources/kind.js'
import { useResources, type ResourceList } from '../live/use-resources.js'
import type { ResourceRow } from '../live/worker/protocol.js'
import {
  CreateLink,
  formatRelativeTime,
  List,
  type ListColumn,
  SearchHeader,
  StreamNotice
} from '../design/index.js'
import { ACCESSOR, EXPIRES, LAST_USED, NAMESPACE } from '../resources/kinds.js'

/** Renders times relative to now. */
const cellOf = (title: string, text = '') => {
  if (text !== '' && (title === EXPIRES || title === LAST_USED))
    return <time dateTime={text}>{formatRelativeTime(Date.parse(text), Date.now())}</time>
  return title === ACCESSOR ? text.slice(0, 8) : text
}

interface KindRow {
  readonly cells: readonly string[]
}

/** Returns the columns of a kind, the first one with links. The namespace is a column where rows differ in it. */
export const useColumns = <Row extends KindRow>(
  { columns }: Kind,
  addressIn: (row: Row) => string
): readonly ListColumn<Row>[] => {
  const { ns } = useTenancy()
  return columns
    .map(({ title, width, isWide = false }, at) => ({
      title,
      isWide,
      ...(width === undefined ? {} : { width }),
      text: ({ cells }: Row) => cells[at] ?? '',
      cell: (row: Row) =>
        at === 0 ? <a href={addressIn(row)}>{row.cells[0]}</a> : cellOf(title, row.cells[at])
    }))
    .filter((_, at) => ns === ALL || columns[at] !== NAMESPACE)
}

interface RowsProps {
  readonly kind: Kind
  readonly resources: ResourceList
  /** A further column, which the worker cannot sort. */
  readonly last?: ListColumn<ResourceRow> | undefined
}

/** The rows of a list, and their number. */
const ResourceRows = ({ kind, resources, last }: RowsProps) => {
  const { title, one, about } = kind
  const { state, count, total, refusal, sorting, sortBy } = resources
  const columns = useColumns<ResourceRow>(kind, ({ event }) => addressOf(kind, event))
  return (
    <>
      <StreamNotice
        state={state}
        count={count}
        total={total}
        what={[one, title.toLowerCase()]}
        about={about}
        refusal={refusal}
      />
      <List
        label={title}
        columns={last ? [...columns, last] : columns}
        listed={resources}
        {...(last ? {} : { sorting, sortBy })}
      />
    </>
  )
}

/** A list, with the text of its search. */
export interface SearchedList {
  readonly resources: ResourceList
  readonly search: string
}

interface Props extends Pick<RowsProps, 'kind' | 'last'> {
  /** Links the page that creates a resource. */
  readonly hasNew?: boolean
  /** Further parameters of this page. */
  readonly newQuery?: Readonly<Record<string, string>> | undefined
  /** Restricts the list: to a part of the data of `facts`, or by an expression. */
  readonly scope?: string
  readonly filter?: string | undefined
  /** Precedes the rows. */
  readonly controls?: (list: SearchedList) => ComponentChildren
  /** Replaces the rows, if it returns something. */
  readonly instead?: (list: SearchedList) => ComponentChildren
  /** In the header. */
  readonly children?: ComponentChildren
}

export const ResourceListPage = (props: Props) => {
  const { kind, hasNew = false, newQuery, scope = '', filter, controls, instead, last, children } = props
  const { path, title, one } = kind
  const [search, setSearch] = useState('')
  const { ofStream } = useTenancy()
  const narrowed = filter === undefined ? ofStream : { ...ofStream, filter }
  const list = { search, resources: useResources({ listing: path, search, scope, ...narrowed }) }
  const create = hasNew && <CreateLink what={one} href={`/ui/${path}/new`} query={newQuery} />
  return (
    <main>
      <SearchHeader title={title} search={setSearch} action={create}>
        {children}
      </SearchHeader>
      {controls?.(list)}
      {instead?.(list) || <ResourceRows kind={kind} resources={list.resources} last={last} />}
    </main>
  )
}
