// All configuration entries that the token may see, by kind, and the way to a new one.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useThings } from '../../live/use-things.js'
import { Heading } from '../../parts/heading.js'
import { List } from '../../parts/list.js'
import { Refusal } from '../../parts/refusal.js'
import { SearchInput } from '../../parts/search-input.js'
import { StreamNotice } from '../../parts/stream-notice.js'
import { useTenancy } from '../../session/tenancy.js'
import { addressOf } from '../../things/kind.js'
import { config } from '../../things/kinds/mesh.js'
import { ENTRY_KINDS } from './entry-kinds.js'

const TRACKS = ['minmax(6rem, 2fr)', 'minmax(8rem, 1fr)', 'minmax(6rem, 3fr)', '7rem']
const COLUMNS = config.columns.map(({ title }, at) => ({
  title,
  width: TRACKS[at] ?? '1fr',
  isWide: at > 1
}))

const ofKind = (kind: string): string => `Payload.ConfigEntry.Kind == ${JSON.stringify(kind)}`

export const ConfigPage = () => {
  const { find = '' } = useLocation().query
  const [search, setSearch] = useState(find)
  const [kind, setKind] = useState('')
  const { ofStream } = useTenancy()
  const things = useThings({
    listing: config.path,
    search,
    ...ofStream,
    ...(kind === '' ? {} : { filter: ofKind(kind) })
  })
  return (
    <main class="mesh">
      <header>
        <Heading>{config.title}</Heading>
        <select aria-label="Kind" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
          <option value="">any kind</option>
          {ENTRY_KINDS.map(each => (
            <option key={each.kind} title={each.says}>
              {each.kind}
            </option>
          ))}
        </select>
        <a href={`/ui/config/new${kind === '' ? '' : `?${new URLSearchParams({ kind })}`}`}>New entry</a>
        <SearchInput label={config.title} value={search} change={setSearch} />
      </header>
      {things.refusal !== undefined && (
        <Refusal text={`${things.refusal}. What this token may see is listed.`} />
      )}
      <StreamNotice
        state={things.state}
        count={things.count}
        total={things.total}
        what={['configuration entry', 'configuration entries']}
      />
      <List
        label={config.title}
        columns={COLUMNS}
        listed={things}
        sorting={things.sorting}
        sortBy={things.sortBy}
        titleOf={({ cells }, column) => cells[column] ?? ''}
        cell={({ cells, event }, column) =>
          column === 0 ? <a href={addressOf(config, event)}>{cells[0] || event.Key}</a> : cells[column]
        }
      />
    </main>
  )
}
