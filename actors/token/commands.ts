// Commands on ACL tokens (spec: acl.md §3).
import type { NodeIdentity, ServiceIdentity } from '../../events/acl-links.js'
import type { Command } from '../command.js'

/** A link as a caller writes it: the ID alone decides when it is given (acl.md §6.1). */
export interface LinkDraft {
  readonly ID?: string
  readonly Name?: string
}

/** What tokens and roles have in common. */
export interface GrantDraft {
  readonly Policies: readonly LinkDraft[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
}

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
/** Deletes those of the tokens that have expired at the time of the command. */
export type ExpireTokens = Command<'ExpireTokens', { readonly accessors: readonly string[] }>
export type TokenCommand = CreateToken | UpdateToken | CloneToken | DeleteToken | ExpireTokens
