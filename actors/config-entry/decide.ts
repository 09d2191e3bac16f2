// Decides the commands on configuration entries (spec: config.md §1.5, §5).
import type { ConfigEntryEvent } from '../../events/config-entry.js'
import type { Views } from '../../projections/views.js'
import { checkAfter, makeChange, planDelete, planSet, type Planned } from './change.js'
import type { ConfigEntryCommand } from './commands.js'
import { configEntryDeleted, configEntryUpserted } from './events.js'

const plan = (command: ConfigEntryCommand, views: Views, index: number): Planned | undefined => {
  const { tenancy } = command
  switch (command.name) {
    case 'SetConfigEntry':
      return planSet(views.config, command.data.content, tenancy, command.data.cas, index)
    case 'DeleteConfigEntry':
      return planDelete(views.config, command.data.kind, command.data.name, tenancy, command.data.cas)
  }
}

/** The event of a planned change. */
export const eventOf = ({ change, entry }: Planned): ConfigEntryEvent =>
  change.isDeleted ? configEntryDeleted(change.tenancy, entry) : configEntryUpserted(change.tenancy, entry)

/** No event when there is nothing to change or a check-and-set does not hold. @throws Refusal `invalid` */
export const decideConfigEntry = (
  command: ConfigEntryCommand,
  views: Views,
  index: number
): ConfigEntryEvent[] => {
  const planned = plan(command, views, index)
  if (!planned) return []
  const draft = views.config.draft()
  makeChange(draft, planned, index)
  checkAfter(draft, [planned], views.settings.datacenter)
  return [eventOf(planned)]
}
