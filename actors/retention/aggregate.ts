// The aggregate of the log itself.
import type { Aggregate } from '../aggregate.js'
import type { RetainLog } from './commands.js'
import { decideRetention } from './decide.js'
import { logLife } from './machine.js'

export const retentionAggregate: Aggregate<RetainLog> = { life: logLife, decide: decideRetention }
