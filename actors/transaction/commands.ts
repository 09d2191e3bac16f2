// The command that applies a transaction, and its operations.
import type { Command } from '../command.js'
import { checkAct, type CheckOperation } from './check.js'
import { configEntryAct, type ConfigEntryOperation } from './config-entry.js'
import { kvAct, type KvOperation } from './kv.js'
import { nodeAct, type NodeOperation } from './node.js'
import type { Act, Rights } from './operation.js'
import { serviceAct, type ServiceOperation } from './service.js'

/** One operation. A further kind is one more member here and one more case below. */
export type Operation =
  | { readonly kind: 'KV'; readonly operation: KvOperation }
  | { readonly kind: 'Node'; readonly operation: NodeOperation }
  | { readonly kind: 'Service'; readonly operation: ServiceOperation }
  | { readonly kind: 'Check'; readonly operation: CheckOperation }
  | { readonly kind: 'ConfigEntry'; readonly operation: ConfigEntryOperation }

export const actOf = (one: Operation): Act => {
  switch (one.kind) {
    case 'KV':
      return kvAct(one.operation)
    case 'Node':
      return nodeAct(one.operation)
    case 'Service':
      return serviceAct(one.operation)
    case 'Check':
      return checkAct(one.operation)
    case 'ConfigEntry':
      return configEntryAct(one.operation)
  }
}

export type ApplyTransaction = Command<
  'ApplyTransaction',
  {
    readonly operations: readonly Operation[]
    /** What the caller may do, asked for each operation. */
    readonly rights: Rights
  }
>
