// What may be written where: nothing into a namespace or partition that does not exist, and only deletions into one that
// is being deleted (spec: tenancy.md §3, §4.3, §5.4). Checked where commands are decided, so that no write slips in
// between the end of a namespace and a request that was read before it.
import type { Tenancy } from '../events/envelope.js'
import type { Views } from '../projections/views.js'
import { SERVER, type Command } from './command.js'
import { invalid, Refusal } from './refusal.js'

/** What the commands of an aggregate are on: things of a namespace, things of a partition, or of the whole cluster. */
export type Scope = 'namespace' | 'partition' | 'cluster'

/** What a write does to what is there; deletions are let into what is being deleted. */
export type WriteKind = 'change' | 'deletion'

/** A command that only takes away says so by its verb. */
const TAKES_AWAY = /^(?:Cas)?(?:Delete|Destroy|Deregister|Expire|Remove|End)/

const kindOf = ({ name }: Command): WriteKind => (TAKES_AWAY.test(name) ? 'deletion' : 'change')

/**
 * Refuses a command into a tenancy that cannot take it. The server's own commands act on what is there, also on what is
 * left of a tenancy that is going.
 * @throws Refusal `invalid` when the tenancy does not exist, `conflict` when it is being deleted
 */
export const checkTenancy = (command: Command, scope: Scope, views: Views): void => {
  if (command.caller === SERVER) return
  const why = whyNotWritable(command.tenancy, scope, kindOf(command), views)
  if (why) throw why
}

/**
 * Why nothing may be written into this tenancy; undefined when it may. Costs two look-ups. `default` of `default` can
 * always be written to, and so can `*`, where an entry for all namespaces of a partition is kept.
 */
export const whyNotWritable = (
  { partition, namespace }: Tenancy,
  scope: Scope,
  kind: WriteKind,
  views: Views
): Refusal | undefined => {
  if (scope === 'cluster') return undefined
  if (partition !== 'default') {
    const row = views.partitions.get(partition)
    if (!row) return invalid(`Partition "${partition}" does not exist`)
    if (row.isEnding && kind === 'change')
      return new Refusal('conflict', `Partition "${partition}" is being deleted`)
  }
  const isAlwaysThere = namespace === '*' || (namespace === 'default' && partition === 'default')
  if (scope === 'partition' || isAlwaysThere) return undefined
  const row = views.namespaces.get({ partition, namespace })
  if (!row) return invalid(`Namespace "${namespace}" does not exist`)
  return row.isEnding && kind === 'change'
    ? new Refusal('conflict', `Namespace "${namespace}" is being deleted`)
    : undefined
}
