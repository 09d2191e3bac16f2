import { Section } from '../../../design/index.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useResponse } from '../../../session/use-response.js'
import { useChanges } from '../../../live/use-changes.js'
import { useTurn } from '../../../session/use-task.js'
import type { Role, Token } from './acl-resources.js'
import { resourcePage } from '../../../resources/kind.js'

const MAX_USERS = 100

interface User {
  readonly id: string
  readonly name: string
}

const Users = ({ what, users }: { readonly what: 'token' | 'role'; readonly users: readonly User[] }) => (
  <>
    <h3>
      {users.length > MAX_USERS ? `More than ${MAX_USERS}` : users.length} {what}
      {users.length === 1 ? '' : 's'}
    </h3>
    <ul class="users">
      {users.slice(0, MAX_USERS).map(({ id, name }) => (
        <li key={id}>
          <a href={resourcePage(`${what}s`, { key: id })}>{name}</a>
        </li>
      ))}
    </ul>
  </>
)

interface Props {
  readonly kind: 'policy' | 'role'
  readonly id: string
  readonly place: TenancyQuery
}

export const UsedBy = ({ kind, id, place: { partition } }: Props) => {
  // The filter keys of tokens and roles contain the IDs that they link.
  const [turn, refresh] = useTurn()
  const state = useChanges([`ACLToken:${id}`, `ACLRole:${id}`], refresh)
  const query = { [kind]: id, ns: '*', partition, limit: MAX_USERS + 1 }
  const { value: tokens, failure } = useResponse<readonly Token[]>('/v1/acl/tokens', query, turn)
  const { value: roles } = useResponse<readonly Role[]>(
    kind === 'policy' ? '/v1/acl/roles' : undefined,
    query,
    turn
  )
  return (
    <Section title="Used by" failure={failure}>
      {typeof state === 'object' && 'refused' in state && (
        <p class="index">Not updated automatically: {state.refused}</p>
      )}
      {roles && <Users what="role" users={roles.map(({ ID, Name }) => ({ id: ID, name: Name }))} />}
      {tokens && (
        <Users
          what="token"
          users={tokens.map(({ AccessorID, Description }) => ({
            id: AccessorID,
            name: Description || AccessorID
          }))}
        />
      )}
    </Section>
  )
}
