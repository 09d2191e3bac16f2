// The aggregate of KV entries.
import type { Aggregate } from '../aggregate.js'
import type { KvCommand } from './commands.js'
import { decideKv } from './decide.js'
import { kvLife } from './machine.js'

export const kvAggregate: Aggregate<KvCommand> = { life: kvLife, decide: decideKv }
