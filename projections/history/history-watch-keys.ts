// What somebody waits for who waits for the next version of a thing.
import type { ResourceKey } from '../../events/log/log.js'
import { catalogKeys } from '../catalog/keys.js'
import { kvWatchKey } from '../kv/kv.js'
import { sessionsWatchKey } from '../sessions/sessions.js'
import type { WatchKey } from '../watch.js'

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
