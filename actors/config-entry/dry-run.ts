// Dry run of a write of an entry (spec: users.md 53). Pure.
import { recover } from '../../events/errors.js'
import { nameOfEntry, type ConfigContent, type ConfigEntry } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { faultsOf } from '../../projections/config/checks.js'
import { Faults } from '../../events/config/fields/decoder.js'
import type { DecodedEntry } from '../../projections/config/kinds/all.js'
import { tenancyOfKind, type ServiceName } from '../../projections/config/names.js'
import { chainDiffOf, type ChainDiff } from '../../projections/config/chain-diff.js'
import type { Views } from '../../projections/read-models.js'
import { Refusal } from '../refusal.js'
import { explainNotWritable } from '../tenancy.js'
import { checkEntryTenancies } from './config-entry.js'
import { draftOf, planSet, isSameContent } from './entry-change.js'

interface DryRun extends ChainDiff {
  /** `unchanged`: the entry is stored already. `stale`: the check-and-set index differs. */
  readonly Outcome: 'stored' | 'unchanged' | 'stale' | 'refused'
  readonly Entry: ConfigEntry | null
  readonly Errors: readonly string[]
}

const notStored = (Outcome: DryRun['Outcome'], Errors: readonly string[] = []): DryRun => ({
  Outcome,
  Entry: null,
  Errors,
  Chains: [],
  Unchecked: 0
})

const tenancyFaults = (views: Views, content: ConfigContent, tenancy: Tenancy): readonly string[] => {
  const refusal = explainNotWritable(
    tenancy,
    tenancy.namespace === '*' ? 'partition' : 'namespace',
    'change',
    views
  )
  if (refusal) return [refusal.message]
  const check = (): readonly string[] => {
    checkEntryTenancies(content, tenancy, views)
    return []
  }
  return recover(check, Refusal, ({ message }) => [message])
}

function* registeredIn({ catalog }: Views, partition: string): Iterable<ServiceName> {
  for (const namespace of catalog.namespaces(partition)) {
    const tenancy = { partition, namespace }
    for (const service of catalog.space(tenancy).byName.names()) yield { service, tenancy }
  }
}

/** Runs a write on a draft. Costs as much as the write, and the compilation of the affected chains. */
const dryRunSet = (
  views: Views,
  content: ConfigContent,
  tenancy: Tenancy,
  cas: number | undefined
): DryRun => {
  const { config, settings, cluster } = views
  const index = views.index + 1
  const planned = planSet(config, content, tenancy, cas, index)
  if (!planned) {
    const row = config.row(content.Kind, nameOfEntry(content), tenancyOfKind(content.Kind, tenancy))
    return notStored(isSameContent(row, content) ? 'unchanged' : 'stale')
  }
  const after = draftOf(config, planned, index)
  const errors = [
    ...tenancyFaults(views, content, planned.change.tenancy),
    ...faultsOf(after, [planned.change], settings.datacenter)
  ]
  const basis = { datacenter: settings.datacenter, clusterId: cluster.id }
  return {
    Outcome: errors.length === 0 ? 'stored' : 'refused',
    Entry: planned.entry,
    Errors: errors,
    ...chainDiffOf(config, after, [planned.change], basis, partition => registeredIn(views, partition))
  }
}

/** Returns the content and its dry run, which lists broken rules of the entry before it plans the write. */
export const dryRunEntry = (
  views: Views,
  entry: DecodedEntry,
  tenancy: Tenancy,
  cas: number | undefined
): { readonly content: ConfigContent; readonly dryRun: () => DryRun } => {
  const faults = new Faults()
  const content = entry.settle(tenancy, faults.check)
  faults.check(entry.checkBody)
  return {
    content,
    dryRun: () =>
      faults.texts.length > 0 ? notStored('refused', faults.texts) : dryRunSet(views, content, tenancy, cas)
  }
}
