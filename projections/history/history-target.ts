import { isCheckEvent } from '../../events/check.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { isEventOf, type ResourceKey } from '../../events/log/log.js'
import { isServiceEvent } from '../../events/service.js'
import { catalogKeys } from '../catalog/reader.js'
import { kvWatchKey } from '../kv/kv.js'
import { sessionsWatchKey } from '../sessions/sessions.js'
import { namespacedTenancyOf } from '../tenancy-view.js'
import type { WatchKey } from '../watch.js'
import type { Views } from '../read-models.js'

/** Services and checks of several nodes may have the same key. */
export interface HistoryTarget extends ResourceKey {
  /** Name of the node of a service or check, in any letter case; undefined for any node. */
  readonly node?: string
}

const nodeOf = (event: Event): string | undefined => {
  if (event.Erased) return undefined
  if (isServiceEvent(event)) return event.Payload.Service.Node
  if (isCheckEvent(event)) return event.Payload.Check.Node
  return undefined
}

export const concerns = (event: Event, resource: HistoryTarget): boolean =>
  isEventOf(event, resource) &&
  (resource.node === undefined || nodeOf(event)?.toLowerCase() === resource.node.toLowerCase())

export interface ResourceVersion {
  readonly commit: Commit
  readonly event: Event
  /** True for the version in the base snapshot, whose caller is unknown because its commits were pruned. */
  readonly isBase?: true
}

/**
 * The watch keys of which each change of the resource touches one; changes of other resources may touch them too. Topics
 * without a watch key have none: their changes appear when the wait is over.
 */
export const watchKeysOf = (resource: ResourceKey): readonly WatchKey[] => {
  const { namespace, partition } = resource
  const watchKey = WATCH_KEYS.get(resource.topic)
  return watchKey ? [watchKey({ partition, namespace: namespace || 'default' }, resource.key)] : []
}

const WATCH_KEYS: ReadonlyMap<string, (tenancy: Tenancy, key: string) => WatchKey> = new Map([
  ['KV', kvWatchKey],
  ['ACLToken', (_, key) => `token/${key.toLowerCase()}`],
  ['ACLPolicy', (_, key) => `policy/${key.toLowerCase()}`],
  ['ACLPolicyProposal', (_, key) => `policy-proposal/${key.toLowerCase()}`],
  ['ACLRole', (_, key) => `role/${key.toLowerCase()}`],
  ['ACLAuthMethod', () => 'auth-methods'],
  ['ACLBindingRule', (_, key) => `binding-rule/${key.toLowerCase()}`],
  ['Session', sessionsWatchKey],
  ['PreparedQuery', () => 'queries'],
  ['ConfigEntry', () => 'config'],
  ['Namespace', ({ partition }) => `namespaces/${partition}`],
  ['Partition', () => 'partitions'],
  ['Node', ({ partition }) => catalogKeys.nodes(partition)],
  ['Service', catalogKeys.services],
  ['Check', catalogKeys.checks],
  ['Cursor', () => 'cursors'],
  ['LegalHold', () => 'legal-holds']
])

/** Removes the secrets of a deleted check, which its view includes. Those of tokens, auth methods and queries are in fields that their views omit. */
export const withoutDeletedSecrets = (event: Event, { catalog }: Views): Event => {
  if (event.Secrets === undefined || !isCheckEvent(event)) return event
  const { Node, CheckID } = event.Payload.Check
  if (catalog.check(namespacedTenancyOf(event), Node, CheckID)) return event
  const { Secrets: _, ...shown } = event
  return shown
}
