// The aggregate of the settings by which the servers of the cluster are looked after.
import type { Aggregate } from '../aggregate.js'
import type { AutopilotCommand } from './commands.js'
import { decideAutopilot } from './decide.js'
import { autopilotLife } from './machine.js'

export const autopilotAggregate: Aggregate<AutopilotCommand> = {
  scope: 'cluster',
  life: autopilotLife,
  decide: decideAutopilot
}
