import type { Place } from '../../../session/tenancy.js'
import { ConfirmButton, StreamNotice, Table } from '../../../design/index.js'
import { textIn, textOf, resourcePage } from '../../../resources/kind.js'
import { send } from '../../send.js'
import { useLocks } from './use-locks.js'
import type { PanelProps, ResourceView } from '../../resource/resource-view.js'
import { keyAddress } from '../entry.js'

const MAX_KEYS = 200

const Held = ({ id, space }: { readonly id: string; readonly space: Place }) => {
  const { locks, state, refusal } = useLocks(space)
  const held = locks.filter(({ session }) => session.toLowerCase() === id.toLowerCase())
  return (
    <>
      <StreamNotice state={state} count={held.length} what={['key', 'keys']} refusal={refusal} />
      {held.length > 0 && (
        <Table
          label="Locked keys"
          head={['Key', 'Times held', 'Commit']}
          rows={held
            .slice(0, MAX_KEYS)
            .map(({ key, lockIndex, index }) => [
              <a href={keyAddress(space, key)}>{key}</a>,
              lockIndex,
              String(index)
            ])}
        />
      )}
    </>
  )
}

/** Returns the IDs of checks from texts or objects. */
const checksOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((each: unknown) => textIn(each, 'ID') || textOf(each)) : []

const SessionPanel = ({ fields, id, place: space }: PanelProps) => {
  const { Node, TTL, Behavior, LockDelay, NodeChecks, ServiceChecks } = fields
  const checks = [...checksOf(NodeChecks), ...checksOf(ServiceChecks)]
  const isDeleting = Behavior === 'delete'
  return (
    <section aria-label="Session">
      <h2>Locks held</h2>
      <Held id={id} space={space} />
      <h2>Lifetime</h2>
      <ul class="notices">
        <li>
          {textOf(TTL)
            ? `Expires if it is not renewed for ${textOf(TTL)}. Renewals create no events.`
            : 'No TTL: it does not need renewal.'}
        </li>
        <li>
          Ends with its node,{' '}
          <a href={resourcePage('nodes', { key: textOf(Node), partition: space.partition })}>
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
