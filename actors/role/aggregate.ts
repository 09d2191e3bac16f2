// The aggregate of ACL roles.
import type { Aggregate } from '../aggregate.js'
import type { RoleCommand } from './commands.js'
import { decideRole } from './decide.js'
import { roleLife } from './machine.js'

export const roleAggregate: Aggregate<RoleCommand> = { life: roleLife, decide: decideRole }
