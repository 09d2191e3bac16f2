// The command that applies a transaction, and its operations.
import type { Command } from '../command.js'
import { kvAct, type KvOperation } from './kv.js'
import type { Act, Rights } from './operation.js'

/** One operation. A further kind is one more member here and one more case below. */
export type Operation = { readonly kind: 'KV'; readonly operation: KvOperation }

export const actOf = ({ operation }: Operation): Act => kvAct(operation)

export type ApplyTransaction = Command<
  'ApplyTransaction',
  {
    readonly operations: readonly Operation[]
    /** What the caller may do, asked for each operation. */
    readonly rights: Rights
  }
>
