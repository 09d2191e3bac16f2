// The rotation of a token: a replacement with a new accessor and secret, and a grace period for the replaced token.
import { currentLinks } from '../events/definition/forms/links.js'
import { formatTime, parseTime, ZERO_TIME } from '../events/time.js'
import { ANONYMOUS_ACCESSOR, type Token } from '../events/token.js'
import type { Views } from '../projections/read-models.js'
import { invalid } from './refusal.js'

type Content = Omit<Token, 'Hash' | 'SecretID'>

/** @throws Refusal `invalid` for a token that cannot be rotated */
const checkRotatable = ({ AccessorID, AuthMethod, RotatedTo }: Token): void => {
  if (AccessorID === ANONYMOUS_ACCESSOR)
    throw invalid('acl.token.built-in', 'Rotation is not permitted on the anonymous token')
  if (AuthMethod !== '')
    throw invalid(
      'acl.token.not-rotatable',
      'Cannot rotate a token created from an auth method: log in again'
    )
  if (RotatedTo !== undefined)
    throw invalid('acl.token.not-rotatable', `Cannot rotate ${AccessorID} again: ${RotatedTo} replaces it`)
}

/** Returns the earlier of the expiration of a token and the end of its grace period, as text. */
const graceEnd = ({ ExpirationTime }: Token, end: number): string =>
  ExpirationTime !== undefined &&
  ExpirationTime !== ZERO_TIME &&
  (parseTime(ExpirationTime) ?? Infinity) < end
    ? ExpirationTime
    : formatTime(end)

/** Returns the generated fields of a token that updates retain. */
export const generatedFields = ({ AuthMethodNamespace, RotatedFrom, RotatedTo }: Token) => ({
  ...(AuthMethodNamespace === undefined ? {} : { AuthMethodNamespace }),
  ...(RotatedFrom === undefined ? {} : { RotatedFrom }),
  ...(RotatedTo === undefined ? {} : { RotatedTo })
})

interface Rotation {
  readonly accessor: string
  /** Epoch ms. */
  readonly at: number
  readonly graceMs: number
  readonly index: number
}

/**
 * Returns the content of the replacement, with the links, description and expiration of the token, and the token as it is during the grace period.
 * @throws Refusal `invalid`
 */
export const rotatedTokens = (
  token: Token,
  { accessor, at, graceMs, index }: Rotation,
  views: Views
): { readonly replacement: Content; readonly replaced: Content } => {
  checkRotatable(token)
  const { SecretID: _secret, Hash: _hash, RotatedFrom: _from, ...content } = token
  const links = {
    Policies: currentLinks(content.Policies, id => views.policyName(id)),
    Roles: currentLinks(content.Roles, id => views.roleName(id))
  }
  return {
    replacement: {
      ...content,
      ...links,
      AccessorID: accessor,
      RotatedFrom: token.AccessorID,
      CreateTime: formatTime(at),
      CreateIndex: index,
      ModifyIndex: index
    },
    replaced: {
      ...content,
      ...links,
      ...(token.RotatedFrom === undefined ? {} : { RotatedFrom: token.RotatedFrom }),
      RotatedTo: accessor,
      // A token is valid at the very time of its expiration; without a grace period it has already ended.
      ExpirationTime: graceEnd(token, graceMs === 0 ? at - 1 : at + graceMs),
      ModifyIndex: index
    }
  }
}
