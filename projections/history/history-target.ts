// A thing as somebody asks for what became of it, and what did.
import { isCheckEvent } from '../../events/check.js'
import type { Commit, Event } from '../../events/envelope.js'
import { isEventOf } from '../../events/log/log.js'
import type { ResourceKey } from '../../events/log/log.js'
import { isServiceEvent } from '../../events/service.js'
import { catalogKeys } from '../catalog/reader.js'
import { kvWatchKey } from '../kv/kv.js'
import { sessionsWatchKey } from '../sessions/sessions.js'
import type { WatchKey } from '../watch.js'
import type { Views } from '../read-models.js'

/** Services and checks of several nodes may have the same key. */
export interface HistoryTarget extends ResourceKey {
  /** Name of the node that a service or check is on, in any letter case; undefined: whichever. */
  readonly node?: string
}

const nodeOf = (event: Event): string | undefined => {
  if (event.Erased) return undefined
  if (isServiceEvent(event)) return event.Payload.Service.Node
  if (isCheckEvent(event)) return event.Payload.Check.Node
  return undefined
}

/** Whether an event tells what became of a thing. */
export const concerns = (event: Event, resource: HistoryTarget): boolean =>
  isEventOf(event, resource) &&
  (resource.node === undefined || nodeOf(event)?.toLowerCase() === resource.node.toLowerCase())

/** What an event made of a thing. */
export interface ResourceVersion {
  readonly commit: Commit
  readonly event: Event
  /** It is what commits had made that were let go: nobody knows who asked for it. */
  readonly isBase?: true
}

/**
 * Keys of which one is touched by each change of the thing, and by others too where no key is of the thing alone. Of topics that no
 * read model tells the changes of there are none: who waits for those learns of them when the wait is over.
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
 * The event without the secrets of a check that is not there now: they are part of what is shown of it. Of tokens, auth methods and
 * queries secrets are fields of their own, which whoever shows them leaves out.
 */
export const withoutDeletedSecrets = (event: Event, { catalog }: Views): Event => {
  if (event.Secrets === undefined || !isCheckEvent(event)) return event
  const { Node, CheckID } = event.Payload.Check
  const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
  if (catalog.check(tenancy, Node, CheckID)) return event
  const { Secrets: _, ...shown } = event
  return shown
}
