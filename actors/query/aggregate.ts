// The aggregate of prepared queries.
import type { Aggregate } from '../aggregate.js'
import type { QueryCommand } from './commands.js'
import { decideQuery } from './decide.js'
import { queryLife } from './machine.js'

export const queryAggregate: Aggregate<QueryCommand> = { life: queryLife, decide: decideQuery }
