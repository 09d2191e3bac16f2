// The aggregate of configuration entries.
import type { Aggregate } from '../aggregate.js'
import type { ConfigEntryCommand } from './commands.js'
import { decideConfigEntry } from './decide.js'
import { configEntryLife } from './machine.js'

export const configEntryAggregate: Aggregate<ConfigEntryCommand> = {
  life: configEntryLife,
  decide: decideConfigEntry
}
