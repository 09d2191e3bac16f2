// ACL tokens (spec: acl.md §3).
import type { Tenancy } from '../events/envelope.js'
import { formatTime, parseTime, ZERO_TIME } from '../events/time.js'
import {
  ANONYMOUS_ACCESSOR,
  type Token,
  type TokenEvent,
  tokenEvents,
  type TokenInput,
  tokenDefinition
} from '../events/token.js'
import { currentLinks } from '../events/definition/forms/links.js'
import type { TokenRow } from '../projections/acl/token-row.js'
import type { Views, ViewOptions } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { contentsOf, hashesOf } from './content.js'
import { tokenGrantsOf } from './grants.js'
import { twoStateLifecycle } from './lifecycle.js'
import { aclNotFound, invalid, Refusal, unknownToken } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'
import { generatedFields, rotatedTokens } from './token-rotation.js'
import { isReserved, isUuid, RESERVED_TEXT } from './uuid.js'
import { formatDuration, MILLISECOND } from '../events/duration.js'

const checkBounds = (ns: number, { min, max }: ViewOptions['tokenLife']): void => {
  if (ns >= min && ns <= max) return
  const bound = ns < min ? `less than ${formatDuration(min)}` : `more than ${formatDuration(max)}`
  throw invalid(
    'acl.token.expiration-invalid',
    `ExpirationTime cannot be ${bound} in the future (was ${formatDuration(Math.round(ns))})`
  )
}

/**
 * Returns the expiration time of a token created at `at` (epoch milliseconds), as text; undefined when it
 * does not expire. `ttl` is in nanoseconds, 0 for none.
 * @throws Refusal `invalid`
 */
const expirationOf = (
  time: string | undefined,
  ttl: number,
  at: number,
  bounds: ViewOptions['tokenLife']
): string | undefined => {
  const written = time === ZERO_TIME ? undefined : time
  if (ttl < 0)
    throw invalid(
      'acl.token.expiration-invalid',
      `Token Expiration TTL '${formatDuration(ttl)}' should be > 0`
    )
  if (ttl > 0) {
    if (written !== undefined)
      throw invalid(
        'acl.token.expiration-invalid',
        'Token Expiration TTL and Expiration Time cannot both be set'
      )
    checkBounds(ttl, bounds)
    return formatTime(at + ttl / MILLISECOND)
  }
  if (written === undefined) return undefined
  const end = parseTime(written)
  if (end === undefined)
    throw invalid('acl.token.expiration-invalid', `ExpirationTime "${written}" is not an RFC 3339 time`)
  if (end < at) throw invalid('acl.token.expiration-invalid', 'ExpirationTime cannot be before CreateTime')
  checkBounds((end - at) * MILLISECOND, bounds)
  return written
}

/** Checks that a written expiration time, if any, is that of the stored token. */
const isSameExpiration = (written: string | undefined, stored: string | undefined): boolean =>
  written === undefined ||
  written === ZERO_TIME ||
  (stored !== undefined && parseTime(written) === parseTime(stored))

export type NewToken = { readonly newAccessor: string; readonly newSecret: string }

export type CreateToken = Command<'CreateToken', TokenInput & NewToken>
export type UpdateToken = Command<'UpdateToken', TokenInput & { readonly accessor: string }>
export type CloneToken = Command<
  'CloneToken',
  NewToken & { readonly accessor: string; readonly Description: string }
>
export type RotateToken = Command<
  'RotateToken',
  NewToken & { readonly accessor: string; readonly graceMs: number }
>
/** `caller.accessor` may not be the token itself. */
type DeleteToken = Command<'DeleteToken', { readonly accessor: string }>
/** Deletes the token of this secret, which a login must have created. */
type Logout = Command<'Logout', { readonly secret: string }>
/** Deletes those of the tokens that have expired at the time of the command. */
type ExpireTokens = Command<'ExpireTokens', { readonly accessors: readonly string[] }>
type Removal = DeleteToken | Logout | ExpireTokens
export type TokenCommand = CreateToken | UpdateToken | CloneToken | RotateToken | Removal

// Decisions (spec: acl.md §3.3 to §3.10)

/** Returns the token of a command if it is in the command's tenancy and valid. */
const target = (command: TokenCommand, views: Views, accessor: string): TokenRow | undefined => {
  const row = isWithinTenancy(views.tokens.get(accessor), command.tenancy)
  return row?.isValid(command.at) ? row : undefined
}

const checkNewId = (field: 'AccessorID' | 'SecretID', id: string, views: Views): void => {
  if (!isUuid(id)) throw invalid('acl.token.invalid', `Invalid Token: ${field} is not a valid UUID`)
  if (isReserved(id)) throw invalid('acl.token.invalid', `Invalid Token: ${field}: ${RESERVED_TEXT}`)
  if (views.tokens.get(id) || views.tokens.bySecret(id))
    throw invalid('acl.token.id-taken', `Invalid Token: ${field} is already in use`)
}

const create = (command: CreateToken, views: Views, index: number): TokenEvent[] => {
  const { data, tenancy, at } = command
  if (data.AccessorID !== '') checkNewId('AccessorID', data.AccessorID, views)
  if (data.SecretID !== '') checkNewId('SecretID', data.SecretID, views)
  if (data.AuthMethod !== '')
    throw invalid('acl.token.invalid', 'AuthMethod field is disallowed outside of Login')
  const ExpirationTime = expirationOf(data.ExpirationTime, data.ExpirationTTL, at, views.settings.tokenLife)
  const grants = tokenGrantsOf(data, tenancy, views)
  if (data.Rules !== '') throw invalid('acl.token.invalid', 'Rules cannot be specified for this token')
  const AccessorID = data.AccessorID || data.newAccessor
  return [
    tokenUpserted(
      tenancy,
      data.SecretID || data.newSecret,
      Object.assign(contentOf(data, { AccessorID, ...grants, ExpirationTime }), {
        CreateTime: formatTime(at),
        CreateIndex: index,
        ModifyIndex: index
      })
    )
  ]
}

const contentOf = contentsOf(tokenDefinition)

const checkImmutable = (input: TokenInput, { token, secret }: TokenRow): void => {
  const { AccessorID } = token
  if (input.SecretID !== '' && input.SecretID !== secret)
    throw invalid('acl.token.immutable', 'Changing a tokens SecretID is not permitted')
  if (input.Local !== token.Local)
    throw invalid('acl.token.immutable', `cannot toggle local mode of ${AccessorID}`)
  if (input.AuthMethod !== '' && input.AuthMethod !== token.AuthMethod)
    throw invalid('acl.token.immutable', `Cannot change AuthMethod of ${AccessorID}`)
  if (input.ExpirationTTL !== 0 || !isSameExpiration(input.ExpirationTime, token.ExpirationTime))
    throw invalid('acl.token.expiration-invalid', `Cannot change expiration time of ${AccessorID}`)
}

const update = (command: UpdateToken, views: Views, index: number): TokenEvent[] => {
  const { data, tenancy } = command
  if (!isUuid(data.accessor))
    throw invalid('acl.token.invalid', 'Invalid Token: AccessorID is not a valid UUID')
  const row = target(command, views, data.accessor)
  if (!row) throw invalid('acl.token.not-found', `Cannot find token "${data.accessor}"`)
  checkImmutable(data, row)
  const grants = tokenGrantsOf(data, tenancy, views)
  if (data.Rules !== '') throw invalid('acl.token.invalid', 'Rules cannot be specified for this token')
  const { AccessorID, AuthMethod, ExpirationTime, CreateTime, CreateIndex } = row.token
  const Specification = data.Specification || (row.token.Specification ?? '')
  return [
    tokenUpserted(tenancy, row.secret, {
      ...contentOf(data, { AccessorID, ...grants, AuthMethod, ExpirationTime, Specification }),
      ...generatedFields(row.token),
      CreateTime,
      CreateIndex,
      ModifyIndex: index
    })
  ]
}

const clone = (command: CloneToken, views: Views, index: number): TokenEvent[] => {
  const { data, tenancy, at } = command
  if (!isUuid(data.accessor))
    throw invalid('acl.token.invalid', 'Invalid Token: AccessorID is not a valid UUID')
  const row = target(command, views, data.accessor)
  if (!row) throw aclNotFound()
  if (row.token.AuthMethod !== '')
    throw invalid('acl.token.not-clonable', 'Cannot clone a token created from an auth method')
  if (row.token.Rules !== undefined)
    throw invalid('acl.token.not-clonable', 'Cannot clone a legacy ACL with this endpoint')
  const { SecretID: _secret, Hash: _hash, RotatedFrom: _from, RotatedTo: _to, ...content } = row.token
  const ExpirationTime = expirationOf(content.ExpirationTime, 0, at, views.settings.tokenLife)
  return [
    tokenUpserted(tenancy, data.newSecret, {
      ...content,
      AccessorID: data.newAccessor,
      Description: data.Description || content.Description,
      Policies: currentLinks(content.Policies, id => views.policyName(id)),
      Roles: currentLinks(content.Roles, id => views.roleName(id)),
      ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
      CreateTime: formatTime(at),
      CreateIndex: index,
      ModifyIndex: index
    })
  ]
}

/** One commit creates the replacement and gives the replaced token its grace period; it is deleted when that ends. */
const rotate = ({ data, at, ...command }: RotateToken, views: Views, index: number): TokenEvent[] => {
  const row = target({ data, at, ...command }, views, data.accessor)
  if (!row) throw aclNotFound()
  const rotation = { accessor: data.newAccessor, at, graceMs: data.graceMs, index }
  const { replacement, replaced } = rotatedTokens(row.token, rotation, views)
  const created = tokenUpserted(row.tenancy, data.newSecret, replacement)
  return [created, tokenUpserted(row.tenancy, row.secret, replaced)]
}

const remove = (command: DeleteToken, views: Views): TokenEvent[] => {
  const { accessor } = command.data
  if (!isUuid(accessor)) throw invalid('acl.token.invalid', 'Accessor ID is missing or an invalid UUID')
  if (accessor === ANONYMOUS_ACCESSOR)
    throw invalid('acl.token.built-in', 'Delete operation not permitted on the anonymous token')
  const row = target(command, views, accessor)
  if (!row) return []
  if (row.token.AccessorID === command.caller.accessor)
    throw new Refusal('acl.token.invalid', "Deletion of the request's authorization token is not permitted")
  return [tokenDeleted(row.tenancy, row.token)]
}

/** The secret itself authorizes its deletion, also between expiration and removal (auth.md §9). */
const logout = ({ data }: Logout, views: Views): TokenEvent[] => {
  const row = views.tokens.bySecret(data.secret)
  if (!row) throw unknownToken()
  if (row.token.AuthMethod === '')
    throw new Refusal(
      'acl.token.not-from-login',
      'Permission denied: only a token that a login made can log out'
    )
  return [tokenDeleted(row.tenancy, row.token)]
}

/** A token that reuses the accessor of a deleted one may be due for both at once. */
const expire = ({ data, at }: ExpireTokens, views: Views): TokenEvent[] => {
  const rows = new Set(data.accessors.map(accessor => views.tokens.get(accessor)))
  return [...rows].flatMap(row => (row && !row.isValid(at) ? [tokenDeleted(row.tenancy, row.token)] : []))
}

export type TokenContent = Omit<Token, 'Hash' | 'SecretID'>

const hashOf = hashesOf(tokenDefinition)

/** The secret is not part of the payload. `kind` is `management` for bootstrap tokens, whose hash differs from that of an equal user's token. */
export const tokenUpserted = (
  tenancy: Tenancy,
  SecretID: string,
  content: TokenContent,
  kind: '' | 'management' = ''
): TokenEvent => {
  const Hash = hashOf(content, [kind], [tenancy.partition, tenancy.namespace])
  return tokenEvents.create('ACLTokenUpserted', tenancy, { ...content, SecretID: '', Hash }, { SecretID })
}

export const tokenDeleted = (tenancy: Tenancy, token: Token): TokenEvent =>
  tokenEvents.create('ACLTokenDeleted', tenancy, token)

export const tokenAggregate: Aggregate<TokenCommand> = {
  lifecycle: twoStateLifecycle(tokenEvents, ({ tokens }, { key }) => tokens.get(key), {
    builtin: ANONYMOUS_ACCESSOR
  }),
  removals: ['DeleteToken', 'Logout', 'ExpireTokens'],
  decide: decideBy({
    CreateToken: create,
    UpdateToken: update,
    CloneToken: clone,
    RotateToken: rotate,
    DeleteToken: remove,
    Logout: logout,
    ExpireTokens: expire
  })
}
