// A write of an entry tried and not done (spec: users.md 53). Pure.
import { nameOfEntry, type ConfigContent, type ConfigEntry } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { faultsOf } from '../../projections/config/checks.js'
import { Faults } from '../../projections/config/fields/decoder.js'
import type { DecodedEntry } from '../../projections/config/kinds/all.js'
import { tenancyOfKind, type ServiceName } from '../../projections/config/names.js'
import { chainDiffOf, type ChainDiff } from '../../projections/config/chain-diff.js'
import type { Views } from '../../projections/read-models.js'
import { Refusal } from '../refusal.js'
import { explainNotWritable } from '../tenancy.js'
import { checkEntryTenancies } from './config-entry.js'
import { applyChange, planSet, isSameContent } from './entry-change.js'

/** What a write would do. */
interface Trial extends ChainDiff {
  /** `unchanged` when the entry is stored already; `stale` when the check-and-set does not hold. */
  readonly Outcome: 'stored' | 'unchanged' | 'stale' | 'refused'
  /** The entry as it would be stored; null when nothing would be. */
  readonly Entry: ConfigEntry | null
  /** Everything that stands against the write. */
  readonly Errors: readonly string[]
}

const without = (Outcome: Trial['Outcome'], Errors: readonly string[] = []): Trial => ({
  Outcome,
  Entry: null,
  Errors,
  Chains: [],
  Unchecked: 0
})

/** What is wrong with the namespaces and partitions that an entry is in or speaks of. */
const placeFaults = (views: Views, content: ConfigContent, tenancy: Tenancy): readonly string[] => {
  const why = explainNotWritable(
    tenancy,
    tenancy.namespace === '*' ? 'partition' : 'namespace',
    'change',
    views
  )
  if (why) return [why.message]
  try {
    checkEntryTenancies(content, tenancy, views)
    return []
  } catch (error) {
    if (error instanceof Refusal) return [error.message]
    throw error
  }
}

function* registeredIn({ catalog }: Views, partition: string): Iterable<ServiceName> {
  for (const namespace of catalog.namespaces(partition)) {
    const tenancy = { partition, namespace }
    for (const service of catalog.space(tenancy).byName.names()) yield { service, tenancy }
  }
}

/**
 * Tries a write at the state of now. Costs what the write costs, and the compilation of the chains it
 * concerns.
 */
const trySet = (views: Views, content: ConfigContent, tenancy: Tenancy, cas: number | undefined): Trial => {
  const { config, settings, cluster } = views
  const index = views.index + 1
  const planned = planSet(config, content, tenancy, cas, index)
  if (!planned) {
    const row = config.row(content.Kind, nameOfEntry(content), tenancyOfKind(content.Kind, tenancy))
    return without(isSameContent(row, content) ? 'unchanged' : 'stale')
  }
  const after = config.overlay()
  applyChange(after, planned)
  const errors = [
    ...placeFaults(views, content, planned.change.tenancy),
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

/** Tries a write of an entry whose own rules are checked first: if it breaks any, all of them are told. */
export const dryRunEntry = (
  views: Views,
  entry: DecodedEntry,
  tenancy: Tenancy,
  cas: number | undefined
): { readonly content: ConfigContent; readonly trial: () => Trial } => {
  const faults = new Faults()
  const content = entry.settle(tenancy, faults.check)
  faults.check(entry.checkBody)
  return {
    content,
    trial: () =>
      faults.texts.length > 0 ? without('refused', faults.texts) : trySet(views, content, tenancy, cas)
  }
}
