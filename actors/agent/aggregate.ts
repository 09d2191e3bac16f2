// The agent: services and checks of the server's own node, which share their lifecycles with all others.
import type { Aggregate } from '../aggregate.js'
import { serviceLifecycle } from '../service/machine.js'
import type { AgentCommand } from './commands.js'
import { decideAgent } from './decide.js'

export const agentAggregate: Aggregate<AgentCommand> = { lifecycle: serviceLifecycle, decide: decideAgent }
