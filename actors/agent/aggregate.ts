// The agent: services and checks of the server's own node, which share their lives with all others.
import type { Aggregate } from '../aggregate.js'
import { serviceLife } from '../service/machine.js'
import type { AgentCommand } from './commands.js'
import { decideAgent } from './decide.js'

export const agentAggregate: Aggregate<AgentCommand> = { life: serviceLife, decide: decideAgent }
