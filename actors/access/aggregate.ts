// The aggregate of the ACL system as a whole.
import type { Aggregate } from '../aggregate.js'
import type { AccessCommand } from './commands.js'
import { decideAccess } from './decide.js'
import { accessLife } from './machine.js'

export const accessAggregate: Aggregate<AccessCommand> = { life: accessLife, decide: decideAccess }
