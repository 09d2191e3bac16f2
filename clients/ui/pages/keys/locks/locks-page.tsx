import { useEffect, useMemo } from 'preact/hooks'
import { type ListColumn, Restricted } from '../../../design/index.js'
import { useResources } from '../../../live/use-resources.js'
import type { ResourceRow } from '../../../live/worker/protocol.js'
import { locks, sessionKind } from '../../../resources/kinds.js'
import { ALL, useTenancy } from '../../../session/tenancy.js'
import { ResourceListPage } from '../../resource-list-page.js'
import { LockTime, SessionLink } from '../key/lock-holder.js'

const cellsIn = (partition: string): readonly ListColumn<ResourceRow>[] => [
  {
    title: 'Held by',
    cell: ({ cells: [, id = '', , , ns = ''] }) => (
      <SessionLink isDetailed id={id} space={{ ns, partition }} />
    )
  },
  {
    title: 'Since',
    cell: ({ cells: [name = '', , index, , ns = ''] }) => (
      <LockTime name={name} space={{ ns, partition }} index={Number(index)} />
    )
  }
]

export const LocksPage = () => {
  const { partition = 'default' } = useTenancy()
  const cells = useMemo(() => cellsIn(partition === ALL ? 'default' : partition), [partition])
  return <ResourceListPage listing="locks" kind={locks} isOrdered cells={cells} />
}

const MAX_LOCKS = 10_000

export const SessionsPage = () => {
  const { ofStream } = useTenancy()
  const { rowAt, see, count, refusal } = useResources({ listing: 'locks', ...ofStream })
  useEffect(() => see({ first: 0, last: MAX_LOCKS }), [])
  const all = Array.from({ length: Math.min(count, MAX_LOCKS) }, (_, at) => rowAt(at)?.cells ?? [])
  const held = Map.groupBy(all, ([, id = '']) => id.toLowerCase())
  const holds = ({ cells: [, id = ''] }: ResourceRow): string =>
    (held.get(id.toLowerCase()) ?? []).map(([key]) => key).join(', ')
  return (
    <ResourceListPage
      kind={sessionKind}
      isOrdered
      controls={resources =>
        resources.refusal === undefined && <Restricted refusal={refusal} permission="key:read" />
      }
      cells={[{ title: 'Holds', width: 'minmax(0, 3fr)', cell: holds, text: holds }]}
    />
  )
}
