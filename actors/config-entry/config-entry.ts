// Configuration entries (spec: config.md §1).
import {
  CONFIG_ENTRY_TOPIC,
  type ConfigContent,
  type ConfigEntryEvent,
  configEntryEvents,
  type ConfigKind
} from '../../events/config-entry.js'
import type { ServiceIntentions } from '../../events/config/access.js'
import type { Tenancy } from '../../events/envelope.js'
import { mayConflict } from '../../projections/config/checks.js'
import { tenancyNamed } from '../../projections/config/names.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Command } from '../aggregate.js'
import { twoStateLifecycle } from '../lifecycle.js'
import { type ActorRef, inNamespace } from '../ref.js'
import { invalid } from '../refusal.js'
import { checkAfter, draftOf, planDelete, type PlannedChange, planSet } from './entry-change.js'
import { type IntentionCommand, intentionRemovals, withIntention, withoutIntention } from './intentions.js'

interface NamedPartition {
  /** The path, as in `Routes[0].Destination.Partition`. */
  readonly field: string
  readonly partition: string
}

/** `at` returns the path of a part. */
const ofParts = (
  parts: readonly ({ readonly Partition?: string } | undefined)[] | null | undefined,
  at: (index: number) => string
): readonly NamedPartition[] =>
  (parts ?? []).flatMap((part, i) =>
    part?.Partition === undefined ? [] : [{ field: `${at(i)}.Partition`, partition: part.Partition }]
  )

/** Lists the partitions that the parts name, in their order (spec: config.md §4.10). Cost: the size of the entry. */
const partitionsNamed = (entry: ConfigContent): readonly NamedPartition[] => {
  switch (entry.Kind) {
    case 'service-router': {
      const destinations = (entry.Routes ?? []).map(({ Destination }) => Destination)
      return ofParts(destinations, i => `Routes[${i}].Destination`)
    }
    case 'service-splitter':
      return ofParts(entry.Splits, i => `Splits[${i}]`)
    case 'service-resolver': {
      const failovers = Object.entries(entry.Failover ?? {})
      return [
        ...ofParts([entry.Redirect], () => 'Redirect'),
        ...failovers.flatMap(([subset, part]) => ofParts([part], () => `Failover.${subset}`))
      ]
    }
    case 'service-intentions':
      return ofParts(entry.Sources, i => `Sources[${i}]`)
    case 'ingress-gateway':
      return (entry.Listeners ?? []).flatMap(({ Services }, i) =>
        ofParts(Services, j => `Listeners[${i}].Services[${j}]`)
      )
    case 'terminating-gateway':
      return ofParts(entry.Services, i => `Services[${i}]`)
    case 'service-defaults':
      return ofParts(entry.UpstreamConfig?.Overrides, i => `UpstreamConfig.Overrides[${i}]`)
    case 'exported-services':
      return entry.Services.flatMap(({ Consumers }, i) =>
        ofParts(Consumers, j => `Services[${i}].Consumers[${j}]`)
      )
    case 'proxy-defaults':
    case 'mesh':
      return []
  }
}

/** `cas`: undefined writes always, 0 requires no entry, any other value its ModifyIndex. */
type SetConfigEntry = Command<
  'SetConfigEntry',
  { readonly content: ConfigContent; readonly cas: number | undefined }
>

/** `cas`: undefined deletes always; otherwise it must equal the entry's ModifyIndex. */
type DeleteConfigEntry = Command<
  'DeleteConfigEntry',
  { readonly kind: ConfigKind; readonly name: string; readonly cas: number | undefined }
>

/** Deletes an entry with its namespace, without checking the discovery chains. */
type RemoveConfigEntry = Command<'RemoveConfigEntry', { readonly kind: ConfigKind; readonly name: string }>

type ConfigEntryCommand = SetConfigEntry | DeleteConfigEntry | RemoveConfigEntry | IntentionCommand

// Decisions (spec: config.md §1.5, §5)

const planIntentions = (
  content: ServiceIntentions | undefined,
  tenancy: Tenancy,
  views: Views,
  index: number
): PlannedChange | undefined => {
  if (!content) return undefined
  return content.Sources.length === 0
    ? planDelete(views.config, 'service-intentions', content.Name, tenancy, undefined)
    : planSet(views.config, content, tenancy, undefined, index)
}

const plan = (
  command: Exclude<ConfigEntryCommand, RemoveConfigEntry>,
  views: Views,
  index: number
): PlannedChange | undefined => {
  const { tenancy } = command
  switch (command.name) {
    case 'SetConfigEntry':
      checkEntryTenancies(command.data.content, tenancy, views)
      return planSet(views.config, command.data.content, tenancy, command.data.cas, index)
    case 'DeleteConfigEntry':
      return planDelete(views.config, command.data.kind, command.data.name, tenancy, command.data.cas)
    case 'SetIntention':
    case 'CreateIntention':
    case 'UpdateIntention':
      checkEntryTenancies(command.data.written, tenancy, views)
      return planIntentions(withIntention(command, views.config), tenancy, views, index)
    case 'DeleteIntention':
    case 'DeleteIntentionById':
      return planIntentions(withoutIntention(command, views.config), tenancy, views, index)
  }
}

export const eventOf = ({ change, entry }: PlannedChange): ConfigEntryEvent =>
  configEntryEvents.create(
    change.isDeleted ? 'ConfigEntryDeleted' : 'ConfigEntryUpserted',
    change.tenancy,
    entry
  )

/** Checks that the partitions and the intentions' source namespaces exist (tenancy.md §6.1). @throws Refusal `invalid`, naming the field */
export const checkEntryTenancies = (
  content: ConfigContent,
  own: Tenancy,
  views: Pick<Views, 'namespaces' | 'partitions'>
): void => {
  for (const { field, partition } of partitionsNamed(content))
    if (partition !== 'default' && !views.partitions.get(partition))
      throw invalid('config.invalid', `${field}: Partition "${partition}" does not exist`)
  if (content.Kind !== 'service-intentions') return
  for (const source of content.Sources) {
    const tenancy = tenancyNamed(source, own)
    const isKnown =
      tenancy.namespace === 'default' || tenancy.namespace === '*' || views.namespaces.get(tenancy)
    if (!isKnown)
      throw invalid(
        'config.invalid',
        `Sources: Namespace "${tenancy.namespace}" of "${source.Name}" does not exist`
      )
  }
}

const remove = ({ data, tenancy }: RemoveConfigEntry, views: Views): ConfigEntryEvent[] => {
  const row = views.config.row(data.kind, data.name, tenancy)
  // Kinds with one entry per partition are found from every namespace, but end only with their own.
  return row?.tenancy.namespace === tenancy.namespace
    ? [configEntryEvents.create('ConfigEntryDeleted', row.tenancy, row.entry)]
    : []
}

/** Returns no event without a change or when the check-and-set index differs. @throws Refusal `invalid` */
export const decideConfigEntry = (
  command: ConfigEntryCommand,
  views: Views,
  index: number
): ConfigEntryEvent[] => {
  if (command.name === 'RemoveConfigEntry') return remove(command, views)
  const planned = plan(command, views, index)
  if (!planned) return []
  if (views.checksEntries && mayConflict(planned.entry))
    checkAfter(draftOf(views.config, planned, index), [planned.change], views.settings.datacenter)
  return [eventOf(planned)]
}

export const configEntryAggregate: Aggregate<ConfigEntryCommand> = {
  lifecycle: twoStateLifecycle(configEntryEvents, ({ config }, { partition, namespace, key }) => {
    const slash = key.indexOf('/')
    const entryTenancy = { partition, namespace: namespace || 'default' }
    return config.find(key.slice(0, slash), key.slice(slash + 1), entryTenancy)
  }),
  removals: ['DeleteConfigEntry', 'RemoveConfigEntry', ...intentionRemovals],
  decide: decideConfigEntry
}

/** Returns the actor of an entry; with `*` as the namespace, one for all namespaces of its partition. */
export const configEntryRef = (
  tenancy: Tenancy,
  kind: ConfigKind,
  name: string
): ActorRef<typeof CONFIG_ENTRY_TOPIC> =>
  inNamespace(CONFIG_ENTRY_TOPIC, tenancy, `${kind}/${name.toLowerCase()}`)

export const intentionsRef = (tenancy: Tenancy, destination: string): ActorRef<typeof CONFIG_ENTRY_TOPIC> =>
  configEntryRef(tenancy, 'service-intentions', destination)
