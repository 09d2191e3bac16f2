// The aggregate of auth methods.
import type { Aggregate } from '../aggregate.js'
import type { AuthMethodCommand } from './commands.js'
import { decideAuthMethod } from './decide.js'
import { authMethodLifecycle } from './machine.js'

export const authMethodAggregate: Aggregate<AuthMethodCommand> = {
  lifecycle: authMethodLifecycle,
  decide: decideAuthMethod
}
