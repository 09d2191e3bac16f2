// Decides the commands on configuration entries (spec: config.md §1.5, §5).
import type { ConfigContent, ConfigEntryEvent } from '../../events/config-entry.js'
import type { ServiceIntentions } from '../../events/config/access.js'
import type { Tenancy } from '../../events/envelope.js'
import { tenancyNamed } from '../../projections/config/names.js'
import { partitionsNamed } from '../../projections/config/partitions.js'
import type { Views } from '../../projections/views.js'
import { invalid } from '../refusal.js'
import { checkAfter, makeChange, planDelete, planSet, type Planned } from './change.js'
import type { ConfigEntryCommand, RemoveConfigEntry } from './commands.js'
import { configEntryDeleted, configEntryUpserted } from './events.js'
import { withIntention, withoutIntention } from './intentions.js'

/** What the intentions on a destination become; a destination without any has no entry. */
const planIntentions = (
  content: ServiceIntentions | undefined,
  tenancy: Tenancy,
  views: Views,
  index: number
): Planned | undefined => {
  if (!content) return undefined
  return content.Sources.length === 0
    ? planDelete(views.config, 'service-intentions', content.Name, tenancy, undefined)
    : planSet(views.config, content, tenancy, undefined, index)
}

const plan = (
  command: Exclude<ConfigEntryCommand, RemoveConfigEntry>,
  views: Views,
  index: number
): Planned | undefined => {
  const { tenancy } = command
  switch (command.name) {
    case 'SetConfigEntry':
      checkPlaces(command.data.content, tenancy, views)
      return planSet(views.config, command.data.content, tenancy, command.data.cas, index)
    case 'DeleteConfigEntry':
      return planDelete(views.config, command.data.kind, command.data.name, tenancy, command.data.cas)
    case 'SetIntention':
    case 'CreateIntention':
    case 'UpdateIntention':
      checkPlaces(command.data.written, tenancy, views)
      return planIntentions(withIntention(command, views.config), tenancy, views, index)
    case 'DeleteIntention':
    case 'DeleteIntentionById':
      return planIntentions(withoutIntention(command, views.config), tenancy, views, index)
  }
}

/** The event of a planned change. */
export const eventOf = ({ change, entry }: Planned): ConfigEntryEvent =>
  change.isDeleted ? configEntryDeleted(change.tenancy, entry) : configEntryUpserted(change.tenancy, entry)

/**
 * The partitions that an entry names must be there, and who an intention is about must be able to exist (tenancy.md §6.1).
 * @throws Refusal `invalid`, naming the field
 */
export const checkPlaces = (
  content: ConfigContent,
  own: Tenancy,
  views: Pick<Views, 'namespaces' | 'partitions'>
): void => {
  for (const { field, partition } of partitionsNamed(content))
    if (partition !== 'default' && !views.partitions.get(partition))
      throw invalid(`${field}: Partition "${partition}" does not exist`)
  if (content.Kind !== 'service-intentions') return
  for (const source of content.Sources) {
    const tenancy = tenancyNamed(source, own)
    const isKnown =
      tenancy.namespace === 'default' || tenancy.namespace === '*' || views.namespaces.get(tenancy)
    if (!isKnown)
      throw invalid(`Sources: Namespace "${tenancy.namespace}" of "${source.Name}" does not exist`)
  }
}

const remove = ({ data, tenancy }: RemoveConfigEntry, views: Views): ConfigEntryEvent[] => {
  const row = views.config.row(data.kind, data.name, tenancy)
  // Entries of which a partition has one are found from every namespace and end with that of their own alone.
  return row?.tenancy.namespace === tenancy.namespace ? [configEntryDeleted(row.tenancy, row.entry)] : []
}

/** No event when there is nothing to change or a check-and-set does not hold. @throws Refusal `invalid` */
export const decideConfigEntry = (
  command: ConfigEntryCommand,
  views: Views,
  index: number
): ConfigEntryEvent[] => {
  if (command.name === 'RemoveConfigEntry') return remove(command, views)
  const planned = plan(command, views, index)
  if (!planned) return []
  const draft = views.config.draft()
  makeChange(draft, planned, index)
  checkAfter(draft, [planned], views.settings.datacenter)
  return [eventOf(planned)]
}
