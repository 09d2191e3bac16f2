// All configuration entries that the token may see, by kind, and the way to a new one.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useThings } from '../../live/use-things.js'
import { Heading } from '../../parts/heading.js'
import { List } from '../../parts/list.js'
import { Refusal } from '../../parts/refusal.js'
import { SearchInput } from '../../parts/search-input.js'
import { StreamNotice } from '../../parts/stream-notice.js'
import { client } from '../../session/session.js'
import { useTenancy } from '../../session/tenancy.js'
import { addressOf } from '../../things/kind.js'
import { config } from '../../things/kinds/mesh.js'
import { ENTRY_KINDS } from './entry-kinds.js'

const FORBIDDEN = 403
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
  const asking = client.value
  const [refused, setRefused] = useState<{ readonly text: string; readonly asking: typeof asking }>()
  // Who may not read the topic as a whole is shown the entries that the token may read.
  const missing = refused?.asking === asking ? refused.text : undefined
  const conditions = [
    ...(missing === undefined ? [] : ['Topic == "ConfigEntry"']),
    ...(kind === '' ? [] : [ofKind(kind)])
  ]
  const things = useThings({
    listing: config.path,
    search,
    ...ofStream,
    ...(missing === undefined ? {} : { topics: ['any'] }),
    ...(conditions.length === 0 ? {} : { filter: conditions.join(' and ') })
  })
  const { state } = things
  const isRefused = typeof state === 'object' && 'refused' in state && state.status === FORBIDDEN
  if (isRefused && missing === undefined) setRefused({ text: state.refused, asking })
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
      {missing !== undefined && <Refusal text={`${missing}. What this token may see is listed.`} />}
      <StreamNotice state={state} count={things.count} total={things.total} what="configuration entries" />
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
