// The aggregate of ACL policies.
import type { Aggregate } from '../aggregate.js'
import type { PolicyCommand } from './commands.js'
import { decidePolicy } from './decide.js'
import { policyLife } from './machine.js'

export const policyAggregate: Aggregate<PolicyCommand> = { life: policyLife, decide: decidePolicy }
