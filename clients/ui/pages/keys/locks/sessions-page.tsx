import { useMemo, useState } from 'preact/hooks'
import { useResources } from '../../../live/use-resources.js'
import { Restricted, SearchHeader } from '../../../design/index.js'
import { ALL, useTenancy } from '../../../session/tenancy.js'
import { sessionKind } from '../../../resources/kinds.js'
import { addressOf } from '../../../resources/kind.js'
import { ResourceRows } from '../../resource-list-page.js'
import { useLocks, type Lock } from './use-locks.js'

const COLUMNS = [...sessionKind.columns, { title: 'Holds', width: 'minmax(0, 3fr)' }]
const HOLDS = COLUMNS.length - 1

/** Returns the names of keys by the lower-case IDs of sessions. */
const keysBySession = (locks: readonly Lock[]): ReadonlyMap<string, readonly string[]> => {
  const keys = new Map<string, string[]>()
  for (const { key, session } of locks) {
    const id = session.toLowerCase()
    const others = keys.get(id)
    if (others) others.push(key)
    else keys.set(id, [key])
  }
  return keys
}

export const SessionsPage = () => {
  const { ns, partition = 'default', ofStream } = useTenancy()
  const [search, setSearch] = useState('')
  const resources = useResources({ listing: 'sessions', search, ...ofStream })
  const { locks, refusal } = useLocks({ ns, partition: partition === ALL ? 'default' : partition })
  const held = useMemo(() => keysBySession(locks), [locks])
  const holds = (id: string): string => (held.get(id.toLowerCase()) ?? []).join(', ')
  return (
    <main>
      <SearchHeader title="Sessions" search={setSearch} />
      {resources.refusal === undefined && <Restricted refusal={refusal} />}
      <ResourceRows
        kind={sessionKind}
        resources={resources}
        columns={COLUMNS}
        isSortable={false}
        titleOf={({ cells, event }, column) => (column === HOLDS ? holds(event.Key) : (cells[column] ?? ''))}
        cell={({ cells, event }, column) => {
          if (column === HOLDS) return holds(event.Key)
          return column === 0 ? <a href={addressOf(sessionKind, event)}>{cells[0]}</a> : cells[column]
        }}
      />
    </main>
  )
}
