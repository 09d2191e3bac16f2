import { ConfirmButton } from '../../../components/confirm-button.js'
import { Refusal } from '../../../components/notice.js'
import { StreamNotice } from '../../../components/stream-notice.js'
import { Table } from '../../../components/table.js'
import { fieldsOf, textOf } from '../../../resources/kind.js'
import { send } from '../../send.js'
import { useLocks } from './use-locks.js'
import type { PanelProps } from '../../resource/panel-props.js'
import { keyAddress, keySpaceOf, type KeySpace } from '../entry.js'

const MAX_KEYS = 200

const Held = ({ id, space }: { readonly id: string; readonly space: KeySpace }) => {
  const { locks, state, refusal } = useLocks(space)
  const held = locks.filter(({ session }) => session.toLowerCase() === id.toLowerCase())
  return (
    <>
      <Refusal text={refusal} />
      <StreamNotice state={state} count={held.length} what={['key', 'keys']} />
      {held.length > 0 && (
        <Table
          label="Locked keys"
          head={['Key', 'Times held', 'Commit']}
          none=""
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
  Array.isArray(value) ? value.map((each: unknown) => textOf(Reflect.get(Object(each), 'ID') ?? each)) : []

export const SessionPanel = ({ newest, named }: PanelProps) => {
  const session = fieldsOf(newest.Payload ?? {})
  const { ID, Name, Node, TTL, Behavior, LockDelay, NodeChecks, ServiceChecks } = session
  const id = textOf(ID)
  const space = keySpaceOf(named)
  const checks = [...checksOf(NodeChecks), ...checksOf(ServiceChecks)]
  const isDeleting = Behavior === 'delete'
  const destroy = async (reason: string): Promise<void> => {
    await send('PUT', `/v1/session/destroy/${encodeURIComponent(id)}`, { query: { ...space }, reason })
  }
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
          <a href={`/ui/nodes/one?${new URLSearchParams({ key: textOf(Node), partition: space.partition })}`}>
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
      <p class="choices">
        <ConfirmButton
          label="Destroy session"
          title={`Destroy session ${textOf(Name) || id}?`}
          action={destroy}
        >
          {isDeleting
            ? 'Its locked keys and the queries bound to it are deleted.'
            : 'Its locked keys are released. Queries bound to it are deleted.'}
        </ConfirmButton>
      </p>
    </section>
  )
}
