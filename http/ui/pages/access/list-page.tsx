// The list of policies, roles, auth methods or binding rules, with a way to make one.
import { useState } from 'preact/hooks'
import { useThings } from '../../live/use-things.js'
import { Heading } from '../../parts/heading.js'
import { List } from '../../parts/list.js'
import { StreamNotice } from '../../parts/stream-notice.js'
import { useTenancy } from '../../session/tenancy.js'
import { addressOf, type Kind } from '../../things/kind.js'

interface Props {
  readonly kind: Kind
  /** What one of them is, such as `policy`. */
  readonly one: string
}

export const AccessList = ({ kind, one }: Props) => {
  const { title, columns, path } = kind
  const [search, setSearch] = useState('')
  const { ofStream } = useTenancy()
  const things = useThings({ listing: path, search, ...ofStream })
  return (
    <main>
      <header>
        <Heading>{title}</Heading>
        <a class="button" href={`/ui/${path}/new`}>
          New {one}
        </a>
        <input
          type="search"
          id="search"
          placeholder="Search ( / )"
          aria-label={`Search in ${title}`}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </header>
      <StreamNotice
        state={things.state}
        count={things.count}
        total={things.total}
        what={title.toLowerCase()}
      />
      <List
        label={title}
        columns={columns}
        listed={things}
        sorting={things.sorting}
        sortBy={things.sortBy}
        titleOf={({ cells }, column) => cells[column] ?? ''}
        cell={(row, column) =>
          column === 0 ? (
            <a href={addressOf(kind, row.event)}>{row.cells[column] || row.event.Key}</a>
          ) : (
            row.cells[column]
          )
        }
      />
    </main>
  )
}
