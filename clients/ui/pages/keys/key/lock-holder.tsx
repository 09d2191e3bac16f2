import { parseObject } from '../../../../../events/values.js'
import type { Place } from '../../../session/tenancy.js'
import { ConfirmButton, RelativeTime } from '../../../design/index.js'
import { useResponse } from '../../../session/use-response.js'
import { resourcePage, textOf, type Fields, type Version } from '../../../resources/kind.js'
import { flagsOf, transact } from '../entry.js'
import { textInBase64 } from '../../../resources/base64.js'

interface SessionLinkProps {
  readonly id: string
  readonly space: Place
  /** Adds the node and the TTL. */
  readonly isDetailed?: boolean
}

export const SessionLink = ({ id, space, isDetailed = false }: SessionLinkProps) => {
  // Absent until the response, and without permission.
  const path = `/v1/session/info/${encodeURIComponent(id)}`
  const [session] = useResponse<readonly Fields[]>(path, { ...space }).value ?? []
  const [name, node, ttl] = ['Name', 'Node', 'TTL'].map(field => textOf(session?.[field]))
  const { ns, partition } = space
  return (
    <>
      <a href={resourcePage('sessions', { key: id, ns, partition })} title={id}>
        {name || `session ${id.slice(0, 8)}`}
      </a>
      {isDetailed && session && (
        <span class="index">
          {' '}
          on {node}, {ttl ? `expires after ${ttl}` : 'does not expire'}
        </span>
      )}
    </>
  )
}

const FLAGS = '16210313421097356624'

/** Returns undefined for other keys. */
const semaphoreIn = ({ Key, Flags, Value }: Fields) => {
  if (textOf(Flags) !== FLAGS || !/(?:^|\/)\.lock$/.test(textOf(Key)) || typeof Value !== 'string')
    return undefined
  const state = parseObject(textInBase64(Value) ?? '')
  return state && { limit: Number(state['Limit']), holders: Object.keys(Object(state['Holders'])) }
}

/** The number of versions in which the start of a lock is searched. */
const VERSIONS = 100

interface LockTimeProps {
  readonly name: string
  readonly space: Place
  /** Of the last change of the key. */
  readonly index: number
}

/** The time of the acquisition of a lock, if it is among the newest versions of its key. */
export const LockTime = ({ name, space, index }: LockTimeProps) => {
  const query = { topic: 'KV', key: name, ...space, limit: VERSIONS }
  const { value } = useResponse<readonly Version[]>('/v1/event/history', query, index)
  const version = value?.find(({ Type }) => Type === 'KVLock')
  // Times require a permission.
  return version?.Time === undefined ? null : <RelativeTime at={version.Time} isShort />
}

export const LockHolder = ({ entry, space }: { readonly entry: Fields; readonly space: Place }) => {
  const { Key, Value, Session, LockIndex, ModifyIndex } = entry
  const key = textOf(Key)
  const holder = textOf(Session)
  const semaphore = semaphoreIn(entry)
  const release = (reason: string): Promise<void> =>
    transact(
      space,
      [
        { Verb: 'check-index', Key, Index: ModifyIndex },
        { Verb: 'unlock', Key, Value, Flags: flagsOf(entry), Session }
      ],
      reason
    )
  return (
    <>
      {holder !== '' && (
        <p class="choices" role="group" aria-label="Lock">
          <span>
            Held by <SessionLink id={holder} space={space} /> since{' '}
            <LockTime name={key} space={space} index={Number(ModifyIndex)} />. Acquired{' '}
            {LockIndex === 1 ? 'once' : `${textOf(LockIndex)} times`} so far.
          </span>
          <ConfirmButton label="Release lock" title={`Release ${key}?`} action={release}>
            The session stays valid and can acquire the lock again. Its holder is not notified.
          </ConfirmButton>
        </p>
      )}
      {semaphore && (
        <p role="group" aria-label="Semaphore">
          Semaphore: {semaphore.holders.length} of {semaphore.limit} slots are taken
          {semaphore.holders.map(id => (
            <span key={id}>
              {', '}
              <SessionLink id={id} space={space} />
            </span>
          ))}
          .
        </p>
      )}
    </>
  )
}
