// The aggregate of configuration entries.
import type { Tenancy } from '../../events/envelope.js'
import type { Aggregate } from '../aggregate.js'
import type { ConfigEntryCommand } from './commands.js'
import { decideConfigEntry } from './decide.js'
import { configEntryLifecycle } from './machine.js'

export const configEntryAggregate: Aggregate<ConfigEntryCommand> = {
  lifecycle: configEntryLifecycle,
  decide: decideConfigEntry
}

/** For intentions on all namespaces of a partition, which are in none. */
const wildcardAggregate: Aggregate<ConfigEntryCommand> = { ...configEntryAggregate, scope: 'partition' }

/** The aggregate for entries in a tenancy, whose namespace may be `*`. */
export const entriesOf = ({ namespace }: Tenancy): Aggregate<ConfigEntryCommand> =>
  namespace === '*' ? wildcardAggregate : configEntryAggregate
