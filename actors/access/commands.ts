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
export type AccessCommand = Bootstrap | CreateBuiltinPolicy | CreateAnonymousToken | CreateInitialManagement
