import { useMemo, useState } from 'preact/hooks'
import { useResources } from '../../../live/use-resources.js'
import { Restricted, SearchHeader } from '../../../design/index.js'
import { ALL, useTenancy } from '../../../session/tenancy.js'
import { sessionKind } from '../../../resources/kinds.js'
import type { ResourceRow } from '../../../live/worker/protocol.js'
import { ResourceRows } from '../../resource-list-page.js'
import { useLocks, type Lock } from './use-locks.js'

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
  const holds = ({ event }: ResourceRow): string => (held.get(event.Key.toLowerCase()) ?? []).join(', ')
  return (
    <main>
      <SearchHeader title="Sessions" search={setSearch} />
      {resources.refusal === undefined && <Restricted refusal={refusal} />}
      <ResourceRows
        kind={sessionKind}
        resources={resources}
        last={{ title: 'Holds', width: 'minmax(0, 3fr)', cell: holds, text: holds }}
      />
    </main>
  )
}
