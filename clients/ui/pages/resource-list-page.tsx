// The list of the permitted resources of a kind.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useTenancy } from '../session/tenancy.js'
import { addressOf, type Kind } from '../resources/kind.js'
import { useResources } from '../live/use-resources.js'
import { List } from '../components/list.js'
import { SearchHeader } from '../components/search-header.js'
import { StreamNotice } from '../components/stream-notice.js'

interface Props {
  readonly kind: Kind
  /** Further controls, such as a link that creates a resource. */
  readonly children?: ComponentChildren
}

export const ResourceListPage = ({ kind, children }: Props) => {
  const { title, one, columns, path } = kind
  const [search, setSearch] = useState('')
  const { ofStream } = useTenancy()
  const resources = useResources({ listing: path, search, ...ofStream })
  return (
    <main>
      <SearchHeader title={title} search={setSearch}>
        {children}
      </SearchHeader>
      <StreamNotice
        state={resources.state}
        count={resources.count}
        total={resources.total}
        what={[one, title.toLowerCase()]}
        refusal={resources.refusal}
      />
      <List
        label={title}
        columns={columns}
        listed={resources}
        sorting={resources.sorting}
        sortBy={resources.sortBy}
        titleOf={({ cells }, column) => cells[column] ?? ''}
        cell={(row, column) => {
          const text = row.cells[column]
          return column === 0 ? <a href={addressOf(kind, row.event)}>{text || row.event.Key}</a> : text
        }}
      />
    </main>
  )
}
