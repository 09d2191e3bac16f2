// The author of a change by name. Names of tokens are requested in batches and cached until another token signs in.
import type { Schemas } from '../../typescript/typed/index.js'
import { effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../session/session.js'
import { resourcePage } from '../resources/kind.js'

type Named = Schemas['TokenEntry']

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'
/** Names per request; the server evaluates one condition for each. */
const MAX_BATCH = 50
const MAX_NAMES = 2000
const PAUSE_MS = 20

const names = signal<ReadonlyMap<string, string>>(new Map())
/** IDs whose request has ended. */
const answered = signal<ReadonlySet<string>>(new Set())
const requested = new Set<string>()
let waiting: string[] = []

effect(() => {
  void client.value
  names.value = new Map()
  answered.value = new Set()
  requested.clear()
})

/** A token of a login has no description of its own. */
const nameOf = ({ Description, AuthMethod, AccessorID }: Named): string =>
  AuthMethod ? `${AuthMethod} login ${AccessorID.slice(0, 8)}` : Description

const request = async (ids: readonly string[]): Promise<void> => {
  const asking = client.value
  const { connection } = asking
  const check = { Resource: 'acl', Access: 'read' }
  const allowed = await connection.request('POST', '/v1/internal/acl/authorize', { body: [check] })
  const [answer] = await allowed.json<readonly Schemas['Authorization'][]>()
  if (!answer?.Allow) return
  const filter = ids.map(id => `AccessorID == ${JSON.stringify(id)}`).join(' or ')
  const response = await connection.request('GET', '/v1/acl/tokens', { query: { filter, ns: '*' } })
  const found = await response.json<readonly Named[]>()
  // Another token may have signed in meanwhile.
  if (client.peek() !== asking) return
  const known = names.value.size > MAX_NAMES ? [] : names.value
  names.value = new Map([...known, ...found.map(token => [token.AccessorID, nameOf(token)] as const)])
}

const flush = (): void => {
  const ids = waiting.splice(0, MAX_BATCH)
  if (waiting.length > 0) setTimeout(flush, PAUSE_MS)
  // Without a name, the ID is shown.
  request(ids)
    .catch(() => {})
    .finally(() => (answered.value = new Set([...answered.peek(), ...ids])))
}

const isNamed = (id: string): boolean => id !== '' && id !== ANONYMOUS

const want = (id: string): void => {
  if (!isNamed(id) || requested.has(id)) return
  requested.add(id)
  waiting.push(id)
  if (waiting.length === 1) setTimeout(flush, PAUSE_MS)
}

/** Returns whether the names of these tokens are there, as far as the caller may read them. */
export const useNames = (accessors: readonly string[]): boolean => {
  useEffect(() => accessors.forEach(want), [accessors.join(' ')])
  return accessors.every(id => !isNamed(id) || answered.value.has(id))
}

/** Returns the name of a token, or the start of its ID until it is known. */
export const tokenName = (accessor: string): string => names.value.get(accessor) || accessor.slice(0, 8)

interface Props {
  /** Empty for the server itself; undefined if it is hidden. */
  readonly accessor: string | undefined
  /** A name that the server has sent already. */
  readonly name?: string | undefined
  /** Renders no link, as within a control. */
  readonly isPlain?: boolean
}

export const Who = ({ accessor, name, isPlain = false }: Props) => {
  useEffect(() => {
    if (accessor !== undefined && !name) want(accessor)
  }, [accessor, name])
  if (accessor === undefined) return <>—</>
  if (accessor === '') return <>the server</>
  if (accessor === ANONYMOUS) return <>anonymous</>
  const shown = name || tokenName(accessor)
  if (isPlain) return <span title={accessor}>{shown}</span>
  return (
    <a href={resourcePage('tokens', { key: accessor })} title={accessor}>
      {shown}
    </a>
  )
}

interface ChangeSetProps {
  readonly ChangeSet?: unknown
  readonly Owner?: unknown
}

/** The change set of a commit, and the owner label of its resources. Renders nothing for other commits. */
export const InChangeSet = ({ ChangeSet, Owner }: ChangeSetProps) =>
  typeof ChangeSet !== 'string' ? null : (
    <span class="quiet" title={`change set ${ChangeSet}`}>
      in change set {ChangeSet.slice(0, 8)}
      {typeof Owner === 'string' && Owner !== '' && `, owner ${Owner}`}{' '}
    </span>
  )
