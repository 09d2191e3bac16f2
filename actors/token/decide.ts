// Decides the commands on ACL tokens (spec: acl.md §3.3 to §3.10).
import { formatTime, parseTime, ZERO_TIME } from '../../events/time.js'
import { ANONYMOUS_ACCESSOR, type TokenEvent } from '../../events/token.js'
import type { TokenRow } from '../../projections/acl/token-row.js'
import type { Views } from '../../projections/views.js'
import { tokenGrantsOf } from '../grants/grants.js'
import { aclNotFound, invalid, Refusal, unknownToken } from '../refusal.js'
import { within } from '../same-tenancy.js'
import { isReserved, isUuid, RESERVED_TEXT } from '../uuid.js'
import type {
  CloneToken,
  CreateToken,
  DeleteToken,
  ExpireTokens,
  Logout,
  TokenCommand,
  TokenDraft,
  UpdateToken
} from './commands.js'
import { tokenDeleted, tokenUpserted } from './events.js'
import { expirationOf } from './expiration.js'

/** The token that a command names, if it stands in the command's tenancy and has not expired. */
const target = (command: TokenCommand, views: Views, accessor: string): TokenRow | undefined => {
  const row = within(views.tokens.get(accessor), command.tenancy)
  return row?.isValid(command.at) ? row : undefined
}

const checkNewId = (field: 'AccessorID' | 'SecretID', id: string, views: Views): void => {
  if (!isUuid(id)) throw invalid(`Invalid Token: ${field} is not a valid UUID`)
  if (isReserved(id)) throw invalid(`Invalid Token: ${field}: ${RESERVED_TEXT}`)
  if (views.tokens.get(id) || views.tokens.bySecret(id))
    throw invalid(`Invalid Token: ${field} is already in use`)
}

const create = (command: CreateToken, views: Views, index: number): TokenEvent[] => {
  const { data, tenancy, at } = command
  if (data.AccessorID !== '') checkNewId('AccessorID', data.AccessorID, views)
  if (data.SecretID !== '') checkNewId('SecretID', data.SecretID, views)
  if (data.AuthMethod !== '') throw invalid('AuthMethod field is disallowed outside of Login')
  const ExpirationTime = expirationOf(data.ExpirationTime, data.ExpirationTTL, at, views.settings.tokenLife)
  const grants = tokenGrantsOf(data, tenancy, views)
  if (data.Rules !== '') throw invalid('Rules cannot be specified for this token')
  return [
    tokenUpserted(tenancy, data.SecretID || data.newSecret, {
      AccessorID: data.AccessorID || data.newAccessor,
      Description: data.Description,
      ...grants,
      Local: data.Local,
      AuthMethod: '',
      ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
      CreateTime: formatTime(at),
      CreateIndex: index,
      ModifyIndex: index
    })
  ]
}

const sameInstant = (given: string | undefined, stored: string | undefined): boolean =>
  given === undefined ||
  given === ZERO_TIME ||
  (stored !== undefined && parseTime(given) === parseTime(stored))

const checkImmutable = (draft: TokenDraft, { token, secret }: TokenRow): void => {
  const { AccessorID } = token
  if (draft.SecretID !== '' && draft.SecretID !== secret)
    throw invalid('Changing a tokens SecretID is not permitted')
  if (draft.Local !== token.Local) throw invalid(`cannot toggle local mode of ${AccessorID}`)
  if (draft.AuthMethod !== '' && draft.AuthMethod !== token.AuthMethod)
    throw invalid(`Cannot change AuthMethod of ${AccessorID}`)
  if (draft.ExpirationTTL !== 0 || !sameInstant(draft.ExpirationTime, token.ExpirationTime))
    throw invalid(`Cannot change expiration time of ${AccessorID}`)
}

const update = (command: UpdateToken, views: Views, index: number): TokenEvent[] => {
  const { data, tenancy } = command
  if (!isUuid(data.accessor)) throw invalid('Invalid Token: AccessorID is not a valid UUID')
  const row = target(command, views, data.accessor)
  if (!row) throw invalid(`Cannot find token "${data.accessor}"`)
  checkImmutable(data, row)
  const grants = tokenGrantsOf(data, tenancy, views)
  if (data.Rules !== '') throw invalid('Rules cannot be specified for this token')
  const { AccessorID, Local, AuthMethod, AuthMethodNamespace, ExpirationTime, CreateTime, CreateIndex } =
    row.token
  return [
    tokenUpserted(tenancy, row.secret, {
      AccessorID,
      Description: data.Description,
      ...grants,
      Local,
      AuthMethod,
      ...(AuthMethodNamespace === undefined ? {} : { AuthMethodNamespace }),
      ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
      CreateTime,
      CreateIndex,
      ModifyIndex: index
    })
  ]
}

const clone = (command: CloneToken, views: Views, index: number): TokenEvent[] => {
  const { data, tenancy, at } = command
  if (!isUuid(data.accessor)) throw invalid('Invalid Token: AccessorID is not a valid UUID')
  const row = target(command, views, data.accessor)
  if (!row) throw aclNotFound()
  const source = row.toObject(views)
  if (row.token.AuthMethod !== '') throw invalid('Cannot clone a token created from an auth method')
  if (row.token.Rules !== undefined) throw invalid('Cannot clone a legacy ACL with this endpoint')
  const ExpirationTime = expirationOf(row.token.ExpirationTime, 0, at, views.settings.tokenLife)
  return [
    tokenUpserted(tenancy, data.newSecret, {
      AccessorID: data.newAccessor,
      Description: data.Description || row.token.Description,
      Policies: source.Policies ?? [],
      Roles: source.Roles ?? [],
      ServiceIdentities: row.token.ServiceIdentities,
      NodeIdentities: row.token.NodeIdentities,
      Local: row.token.Local,
      AuthMethod: '',
      ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
      CreateTime: formatTime(at),
      CreateIndex: index,
      ModifyIndex: index
    })
  ]
}

const remove = (command: DeleteToken, views: Views): TokenEvent[] => {
  const { accessor } = command.data
  if (!isUuid(accessor)) throw invalid('Accessor ID is missing or an invalid UUID')
  if (accessor === ANONYMOUS_ACCESSOR) throw invalid('Delete operation not permitted on the anonymous token')
  const row = target(command, views, accessor)
  if (!row) return []
  if (row.token.AccessorID === command.caller.accessor)
    throw new Refusal('invalid', "Deletion of the request's authorization token is not permitted")
  return [tokenDeleted(row.tenancy, row.token)]
}

/** The token itself is the right to end it, also when it has expired but is not yet swept (auth.md §9). */
const logout = ({ data }: Logout, views: Views): TokenEvent[] => {
  const row = views.tokens.bySecret(data.secret)
  if (!row) throw unknownToken()
  if (row.token.AuthMethod === '')
    throw new Refusal('denied', 'Permission denied: only a token that a login made can log out')
  return [tokenDeleted(row.tenancy, row.token)]
}

/** A token that was made again with the accessor of one that is gone may come due for both at once. */
const expire = ({ data, at }: ExpireTokens, views: Views): TokenEvent[] => {
  const rows = new Set(data.accessors.map(accessor => views.tokens.get(accessor)))
  return [...rows].flatMap(row => (row && !row.isValid(at) ? [tokenDeleted(row.tenancy, row.token)] : []))
}

/** @throws Refusal `invalid`; `denied` where the token to clone does not exist */
export const decideToken = (command: TokenCommand, views: Views, index: number): TokenEvent[] => {
  switch (command.name) {
    case 'CreateToken':
      return create(command, views, index)
    case 'UpdateToken':
      return update(command, views, index)
    case 'CloneToken':
      return clone(command, views, index)
    case 'DeleteToken':
      return remove(command, views)
    case 'Logout':
      return logout(command, views)
    case 'ExpireTokens':
      return expire(command, views)
  }
}
