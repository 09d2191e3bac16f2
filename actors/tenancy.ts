// Checks that namespaces and partitions exist and accept a command (spec: tenancy.md §3, §4.3, §5.4).
import type { Tenancy } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, type Effect, type Scope, SERVER } from './aggregate.js'
import { invalid, Refusal } from './refusal.js'

/**
 * Refuses a command in a tenancy that cannot accept it. The server's own commands are always accepted, for example during a deletion.
 * @throws Refusal `invalid` when the tenancy does not exist, `conflict` when it is being deleted
 */
export const checkTenancy = <C extends Command>(
  { scope = 'namespace', removals = [] }: Pick<Aggregate<C>, 'scope' | 'removals'>,
  command: C,
  views: Views
): void => {
  if (command.caller === SERVER) return
  const effect = removals.includes(command.name) ? 'removal' : 'change'
  const refusal = explainNotWritable(command.tenancy, scope, effect, views)
  if (refusal) throw refusal
}

/**
 * Returns the reason against a write in this tenancy; undefined when it is allowed. Costs two look-ups. Namespace `default` of partition `default` is
 * always writable, and so is `*`, which holds entries for all namespaces of a partition.
 */
export const explainNotWritable = (
  { partition, namespace }: Tenancy,
  scope: Scope,
  effect: Effect,
  views: Views
): Refusal | undefined => {
  if (scope === 'cluster') return undefined
  if (partition !== 'default') {
    const row = views.partitions.get(partition)
    if (!row) return invalid('tenancy.unknown', `Partition "${partition}" does not exist`)
    if (row.isEnding && effect === 'change')
      return new Refusal('tenancy.deleting', `Partition "${partition}" is being deleted`)
  }
  const isAlwaysThere = namespace === '*' || (namespace === 'default' && partition === 'default')
  if (scope === 'partition' || isAlwaysThere) return undefined
  const row = views.namespaces.get({ partition, namespace })
  if (!row) return invalid('tenancy.unknown', `Namespace "${namespace}" does not exist`)
  return row.isEnding && effect === 'change'
    ? new Refusal('tenancy.deleting', `Namespace "${namespace}" is being deleted`)
    : undefined
}

// Names of namespaces and partitions (spec: tenancy.md §1.1).

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const RESERVED: ReadonlySet<string> = new Set(['system', 'universal', 'operator', 'root'])

/** Checks a lower-case name of a namespace or partition: a DNS label of at most 63 characters. */
export const isTenancyName = (name: string): boolean => NAME.test(name)

/** @throws Refusal `invalid` */
export const checkNewName = (what: 'Namespace' | 'Partition', name: string): void => {
  if (name === '') throw invalid('tenancy.invalid', `Invalid ${what}: Must specify a Name`)
  if (!isTenancyName(name))
    throw invalid(
      'tenancy.invalid',
      `Invalid ${what}: Name ${JSON.stringify(name)} must be a DNS label of 1 to 63 letters, digits and hyphens`
    )
  if (RESERVED.has(name))
    throw invalid(
      'tenancy.invalid',
      `Invalid ${what}: Name ${JSON.stringify(name)} is reserved for future internal use`
    )
}

// IDs are unique over all tenancies, but a resource is found only in its own (spec: tenancy.md §6).

/** Returns the row if it belongs to this tenancy; with `*` as the namespace, to any of the partition. */
export const isWithinTenancy = <Row extends { readonly tenancy: Tenancy }>(
  row: Row | undefined,
  { partition, namespace }: Tenancy
): Row | undefined =>
  row && row.tenancy.partition === partition && (namespace === '*' || row.tenancy.namespace === namespace)
    ? row
    : undefined
