import type { ComponentChildren } from 'preact'
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
  /** Those of the kind when absent. */
  readonly columns?: readonly ListColumn[]
  readonly titleOf?: (row: ResourceRow, column: number) => string
  /** `Cell` when absent. */
  readonly cell?: (row: ResourceRow, column: number) => ComponentChildren
  readonly isSortable?: boolean
}

interface CellProps {
  readonly title: string
  readonly text: string
  /** Of the first column. */
  readonly address?: string | undefined
}

/** Renders times relative to now. */
export const Cell = ({ title, text, address }: CellProps) => {
  if (address !== undefined) return <a href={address}>{text}</a>
  if (text !== '' && (title === EXPIRES || title === LAST_USED))
    return <time dateTime={text}>{formatRelativeTime(Date.parse(text), Date.now())}</time>
  return <>{title === ACCESSOR ? text.slice(0, 8) : text}</>
}

/** The rows of a list, and their number. */
export const ResourceRows = (props: RowsProps) => {
  const { kind, resources, columns = kind.columns, titleOf, cell, isSortable = true } = props
  const { title, one } = kind
  const { state, count, total, refusal, sorting, sortBy } = resources
  const kindCell = ({ cells, event }: ResourceRow, column: number) => (
    <Cell
      title={columns[column]?.title ?? ''}
      text={cells[column] || (column === 0 ? event.Key : '')}
      address={column === 0 ? addressOf(kind, event) : undefined}
    />
  )
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
        columns={columns}
        listed={resources}
        {...(isSortable ? { sorting, sortBy } : {})}
        titleOf={titleOf ?? (({ cells }, column) => cells[column] ?? '')}
        cell={cell ?? kindCell}
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
