// Sessions, each with the keys that it holds.
import { useState } from 'preact/hooks'
import { useTenancy } from '../../../session/tenancy.js'
import { List, type ListColumn } from '../../../parts/list.js'
import { Refusal } from '../../../parts/refusal.js'
import { SearchHeader } from '../../../parts/search-header.js'
import { StreamNotice } from '../../../parts/stream-notice.js'
import { HELD } from '../../../things/locks.js'
import { sessionAddress } from './session-link.js'
import { useAllowedThings } from '../../../live/use-allowed-things.js'

const COLUMNS: readonly ListColumn[] = [
  { title: 'Name', width: 'minmax(0, 2fr)' },
  { title: 'ID', width: '19rem', isWide: true },
  { title: 'Node', isWide: true },
  { title: 'TTL', width: '5rem' },
  { title: 'Behavior', width: '6rem', isWide: true },
  { title: 'Holds', width: 'minmax(0, 3fr)' }
]

export const SessionsPage = () => {
  const { ofStream } = useTenancy()
  const [search, setSearch] = useState('')
  const things = useAllowedThings({
    listing: 'sessions',
    filter: `Topic == "Session" or ${HELD}`,
    search,
    ...ofStream
  })
  return (
    <main>
      <SearchHeader title="Sessions" search={setSearch} />
      <Refusal text={things.denied} />
      <StreamNotice state={things.state} count={things.count} total={things.total} what="sessions" />
      <List
        label="Sessions"
        columns={COLUMNS}
        listed={things}
        sorting={things.sorting}
        sortBy={things.sortBy}
        titleOf={({ cells }, column) => cells[column] ?? ''}
        cell={({ cells, event: { Namespace, Partition = 'default' } }, column) =>
          column === 0 ? (
            <a href={sessionAddress({ ns: Namespace, partition: Partition }, cells[1] ?? '')}>{cells[0]}</a>
          ) : (
            cells[column]
          )
        }
      />
    </main>
  )
}
