import { ConfirmButton, StreamNotice, Table } from '../../../design/index.js'
import { listIn, textIn, textOf, resourcePage } from '../../../resources/kind.js'
import { send } from '../../send.js'
import type { PanelProps, ResourceView } from '../../resource/resource-view.js'
import { useResources } from '../../../live/use-resources.js'
import { useEffect } from 'preact/hooks'

const MAX_KEYS = 200

const Held = ({ id, place: { ns: namespace, partition } }: Pick<PanelProps, 'id' | 'place'>) => {
  const { rowAt, see, ...locks } = useResources({ listing: 'locks', namespace, partition, search: id })
  useEffect(() => see({ first: 0, last: MAX_KEYS }), [])
  const rows = Array.from({ length: Math.min(locks.count, MAX_KEYS) }, (_, at) => rowAt(at) ?? []).flat()
  return (
    <>
      <StreamNotice {...locks} permission="key:read" total={locks.count} what={['key', 'keys']} />
      <Table
        label="Locked keys"
        head={['Key', 'Times held', 'Commit']}
        rows={rows.map(({ cells: [key, , index, times], links: [page = ''] }) => [
          <a href={page}>{key}</a>,
          times,
          index
        ])}
      />
    </>
  )
}

/** Returns the IDs of checks from texts or objects. */
const checksOf = (value: unknown): readonly string[] =>
  listIn(value).map(each => textIn(each, 'ID') || textOf(each))

const SessionPanel = ({ fields, id, place }: PanelProps) => {
  const { Node, TTL, Behavior, LockDelay, NodeChecks, ServiceChecks } = fields
  const checks = [...checksOf(NodeChecks), ...checksOf(ServiceChecks)]
  const isDeleting = Behavior === 'delete'
  return (
    <section aria-label="Session">
      <h2>Locks held</h2>
      <Held id={id} place={place} />
      <h2>Lifetime</h2>
      <ul class="notices">
        <li>
          {textOf(TTL)
            ? `Expires if it is not renewed for ${textOf(TTL)}. Renewals create no events.`
            : 'No TTL: it does not need renewal.'}
        </li>
        <li>
          Ends with its node,{' '}
          <a href={resourcePage('nodes', { key: textOf(Node), partition: place.partition })}>
            {textOf(Node)}
          </a>
          {checks.length === 0
            ? '.'
            : `, and when one of these checks becomes critical: ${checks.join(', ')}.`}
        </li>
        <li>
          When it ends, its keys are {isDeleting ? 'deleted' : 'released'} and stay locked for{' '}
          {Number(LockDelay) / 1e9} s.
        </li>
      </ul>
    </section>
  )
}

const Destroy = ({ fields: { Name, Behavior }, id, place: query }: PanelProps) => (
  <ConfirmButton
    label="Destroy session"
    title={`Destroy session ${textOf(Name) || id}?`}
    action={reason => send('PUT', `/v1/session/destroy/${encodeURIComponent(id)}`, { query, reason })}
  >
    Its locked keys are {Behavior === 'delete' ? 'deleted' : 'released'}. Queries bound to it are deleted.
  </ConfirmButton>
)

export const sessionView: ResourceView = {
  permission: ({ Node }) => ({ resource: 'session', segment: textOf(Node) }),
  summary: ({ Node, TTL, Behavior, ID }, { partition }) => [
    ['Node', <a href={resourcePage('nodes', { key: textOf(Node), partition })}>{textOf(Node)}</a>],
    ['TTL', textOf(TTL) || 'none'],
    ['Behavior', textOf(Behavior)],
    ['ID', textOf(ID)]
  ],
  Summary: SessionPanel,
  Actions: Destroy
}
