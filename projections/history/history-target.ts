// The resource of a history request, its versions and watch keys.
import { isCheckEvent } from '../../events/check.js'
import type { Commit, Event } from '../../events/envelope.js'
import { isEventOf, type ResourceKey } from '../../events/log/log.js'
import { isServiceEvent } from '../../events/service.js'
import { catalogKeys } from '../catalog/reader.js'
import { kvWatchKey } from '../kv/kv.js'
import { sessionsWatchKey } from '../sessions/sessions.js'
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
export const watchKeysOf = ({ topic, partition, namespace, key }: ResourceKey): readonly WatchKey[] => {
  const tenancy = { partition, namespace: namespace || 'default' }
  switch (topic) {
    case 'KV':
      return [kvWatchKey(tenancy, key)]
    case 'ACLToken':
      return [`token/${key.toLowerCase()}`]
    case 'ACLPolicy':
      return [`policy/${key.toLowerCase()}`]
    case 'ACLRole':
      return [`role/${key.toLowerCase()}`]
    case 'ACLAuthMethod':
      return ['auth-methods']
    case 'ACLBindingRule':
      return [`binding-rule/${key.toLowerCase()}`]
    case 'Session':
      return [sessionsWatchKey(tenancy)]
    case 'PreparedQuery':
      return ['queries']
    case 'ConfigEntry':
      return ['config']
    case 'Namespace':
      return [`namespaces/${partition}`]
    case 'Partition':
      return ['partitions']
    case 'Node':
      return [catalogKeys.nodes(partition)]
    case 'Service':
      return [catalogKeys.services(tenancy)]
    case 'Check':
      return [catalogKeys.checks(tenancy)]
    case 'Cursor':
      return ['cursors']
    default:
      return []
  }
}

/**
 * Removes the secrets of a deleted check, which are part of its view. Tokens, auth methods and queries have their secrets in
 * fields of their own, which their views omit.
 */
export const withoutDeletedSecrets = (event: Event, { catalog }: Views): Event => {
  if (event.Secrets === undefined || !isCheckEvent(event)) return event
  const { Node, CheckID } = event.Payload.Check
  const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
  if (catalog.check(tenancy, Node, CheckID)) return event
  const { Secrets: _, ...shown } = event
  return shown
}
