// Commands on ACL tokens (spec: acl.md §3).
import type { Command } from '../command.js'
import type { GrantDraft, LinkDraft } from '../grants/drafts.js'

/** What a caller may say of a token; empty texts stand for what was not said. */
export interface TokenDraft extends GrantDraft {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
  readonly Roles: readonly LinkDraft[]
  readonly Rules: string
  readonly Local: boolean
  readonly AuthMethod: string
  /** RFC 3339 as given, or undefined. */
  readonly ExpirationTime: string | undefined
  /** Nanoseconds; 0 when not given. */
  readonly ExpirationTTL: number
}

/** IDs for whoever does not bring its own. */
export interface NewToken {
  readonly newAccessor: string
  readonly newSecret: string
}

export type CreateToken = Command<'CreateToken', TokenDraft & NewToken>
export type UpdateToken = Command<'UpdateToken', TokenDraft & { readonly accessor: string }>
export type CloneToken = Command<
  'CloneToken',
  NewToken & { readonly accessor: string; readonly Description: string }
>
/** `caller.accessor` may not be the token itself. */
export type DeleteToken = Command<'DeleteToken', { readonly accessor: string }>
/** Deletes the token of this secret, which must have been made by a login. */
export type Logout = Command<'Logout', { readonly secret: string }>
/** Deletes those of the tokens that have expired at the time of the command. */
export type ExpireTokens = Command<'ExpireTokens', { readonly accessors: readonly string[] }>
export type TokenCommand = CreateToken | UpdateToken | CloneToken | DeleteToken | Logout | ExpireTokens
