// The command by which a login that was accepted makes its token (spec: auth.md §8).
import type { Identity } from '../../projections/acl/identity.js'
import type { Command } from '../command.js'
import type { NewToken } from '../token.js'

export type Login = Command<
  'Login',
  NewToken & {
    /** Name of the auth method, in any letter case; the command's tenancy is the method's. */
    readonly method: string
    /** ModifyIndex of the method by whose Config the identity was verified. */
    readonly methodIndex: number
    readonly identity: Identity
    readonly description: string
  }
>
