import { useMemo } from 'preact/hooks'
import { Restricted } from '../../../design/index.js'
import { ALL, useTenancy } from '../../../session/tenancy.js'
import { sessionKind } from '../../../resources/kinds.js'
import type { ResourceRow } from '../../../live/worker/protocol.js'
import { ResourceListPage } from '../../resource-list-page.js'
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
  const { ns, partition = 'default' } = useTenancy()
  const { locks, refusal } = useLocks({ ns, partition: partition === ALL ? 'default' : partition })
  const held = useMemo(() => keysBySession(locks), [locks])
  const holds = ({ cells: [, id = ''] }: ResourceRow): string => (held.get(id.toLowerCase()) ?? []).join(', ')
  return (
    <ResourceListPage
      kind={sessionKind}
      isOrdered
      controls={resources => resources.refusal === undefined && <Restricted refusal={refusal} />}
      cells={[{ title: 'Holds', width: 'minmax(0, 3fr)', cell: holds, text: holds }]}
    />
  )
}
