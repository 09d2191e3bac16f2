import { useState } from 'preact/hooks'
import { useTenancy } from '../session/tenancy.js'
import { addressOf, type Kind } from '../resources/kind.js'
import { useResources, type ResourceList } from '../live/use-resources.js'
import type { ResourceRow } from '../live/worker/protocol.js'
import { formatRelativeTime, List, type ListColumn, SearchHeader, StreamNotice } from '../design/index.js'
import { ACCESSOR, EXPIRES, LAST_USED } from '../resources/kinds.js'

interface RowsProps {
  readonly kind: Kind
  readonly resources: ResourceList
  /** A further column, which the worker cannot sort. */
  readonly last?: ListColumn<ResourceRow>
}

/** Renders times relative to now. */
const cellOf = (title: string, text = '') => {
  if (text !== '' && (title === EXPIRES || title === LAST_USED))
    return <time dateTime={text}>{formatRelativeTime(Date.parse(text), Date.now())}</time>
  return title === ACCESSOR ? text.slice(0, 8) : text
}

interface KindRow {
  readonly cells: readonly string[]
}

/** Returns the columns of a kind, the first one with links. */
export const columnsOf = <Row extends KindRow>(
  { columns }: Kind,
  addressIn: (row: Row) => string
): readonly ListColumn<Row>[] =>
  columns.map(({ title, width, isWide = false }, at) => ({
    title,
    isWide,
    ...(width === undefined ? {} : { width }),
    text: ({ cells }) => cells[at] ?? '',
    cell: row => (at === 0 ? <a href={addressIn(row)}>{row.cells[0]}</a> : cellOf(title, row.cells[at]))
  }))

/** The rows of a list, and their number. */
export const ResourceRows = (props: RowsProps) => {
  const { kind, resources, last } = props
  const { title, one } = kind
  const { state, count, total, refusal, sorting, sortBy } = resources
  const columns = columnsOf<ResourceRow>(kind, ({ event }) => addressOf(kind, event))
  return (
    <>
      <StreamNotice
        state={state}
        count={count}
        total={total}
        what={[one, title.toLowerCase()]}
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

interface Props {
  readonly kind: Kind
  /** Links the page that creates a resource. */
  readonly hasNew: boolean
}

interface HeaderProps extends Props {
  readonly search: (text: string) => void
}

export const KindHeader = ({ kind: { title, one, path }, hasNew, search }: HeaderProps) => (
  <SearchHeader title={title} search={search}>
    {hasNew && (
      <a class="button" href={`/ui/${path}/new`}>
        Create {one}
      </a>
    )}
  </SearchHeader>
)

export const ResourceListPage = ({ kind, hasNew }: Props) => {
  const { path } = kind
  const [search, setSearch] = useState('')
  const { ofStream } = useTenancy()
  const resources = useResources({ listing: path, search, ...ofStream })
  return (
    <main>
      <KindHeader kind={kind} hasNew={hasNew} search={setSearch} />
      <ResourceRows kind={kind} resources={resources} />
    </main>
  )
}
