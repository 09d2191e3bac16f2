import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useTenancy } from '../session/tenancy.js'
import { addressOf, type Kind } from '../resources/kind.js'
import { useResources, type ResourceList } from '../live/use-resources.js'
import type { ResourceRow } from '../live/worker/protocol.js'
import { List, type ListColumn, SearchHeader, StreamNotice } from '../design/index.js'

interface RowsProps {
  readonly kind: Kind
  readonly resources: ResourceList
  /** Those of the kind when absent. */
  readonly columns?: readonly ListColumn[]
  /** Why the list is restricted to what the token may read. */
  readonly refusal?: string | undefined
  readonly titleOf?: (row: ResourceRow, column: number) => string
  /** The default renders the texts of the row, and a link in the first column. */
  readonly cell?: (row: ResourceRow, column: number) => ComponentChildren
  readonly isSortable?: boolean
}

/** The rows of a list, and their number. */
export const ResourceRows = (props: RowsProps) => {
  const { kind, resources, columns = kind.columns, refusal, titleOf, cell, isSortable = true } = props
  const { title, one } = kind
  const { state, count, total, sorting, sortBy } = resources
  const linkedCell = ({ cells, event }: ResourceRow, column: number) =>
    column === 0 ? <a href={addressOf(kind, event)}>{cells[0] || event.Key}</a> : cells[column]
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
        cell={cell ?? linkedCell}
      />
    </>
  )
}

interface Props {
  readonly kind: Kind
  readonly hasNew?: boolean
}

export const ResourceListPage = ({ kind, hasNew = false }: Props) => {
  const { title, one, path } = kind
  const [search, setSearch] = useState('')
  const { ofStream } = useTenancy()
  const resources = useResources({ listing: path, search, ...ofStream })
  return (
    <main>
      <SearchHeader title={title} search={setSearch}>
        {hasNew && (
          <a class="button" href={`/ui/${path}/new`}>
            Create {one}
          </a>
        )}
      </SearchHeader>
      <ResourceRows kind={kind} resources={resources} refusal={resources.refusal} />
    </main>
  )
}
