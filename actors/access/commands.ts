// Commands on the ACL system as a whole (spec: acl.md §2).
import type { Command } from '../command.js'
import type { NewToken } from '../token/commands.js'

/** `resetIndex` is the number in the reset file of the data directory; undefined when there is none to honour. */
export type Bootstrap = Command<'Bootstrap', NewToken & { readonly resetIndex: number | undefined }>
/** Makes the built-in policy unless it is there. */
export type CreateBuiltinPolicy = Command<'CreateBuiltinPolicy', null>
/** Makes the anonymous token unless it is there. */
export type CreateAnonymousToken = Command<'CreateAnonymousToken', null>
/** Makes the management token of the configuration unless its secret is known; counts as the bootstrap. */
export type CreateInitialManagement = Command<
  'CreateInitialManagement',
  { readonly newAccessor: string; readonly secret: string }
>
/** Makes a token of the former ACL system, with rules of its own, unless its secret is known (acl.md §13.2). */
export type CreateLegacyToken = Command<
  'CreateLegacyToken',
  {
    readonly newAccessor: string
    readonly secret: string
    readonly name: string
    /** In the legacy syntax: labels are prefixes. */
    readonly rules: string
  }
>
export type AccessCommand =
  Bootstrap | CreateBuiltinPolicy | CreateAnonymousToken | CreateInitialManagement | CreateLegacyToken
