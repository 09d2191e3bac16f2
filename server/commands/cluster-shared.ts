// What the servers of a cluster share, for a command.
import type { SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Settings } from '../settings/settings.js'
import { UsageError } from '../../clients/cli/console.js'

/** Gives it to `use`, and closes it. @throws UsageError when the configuration names no etcd; SharedUnreachable */
export const withShared = async <T>(
  settings: Settings,
  use: (shared: SharedLog) => Promise<T>
): Promise<T> => {
  if (settings.cluster.etcd.endpoints.length === 0)
    throw new UsageError('the configuration names no etcd (cluster.etcd.endpoints); see --config')
  const { sharedLogOf } = await import('../cluster/members/clustered-log.js')
  const shared = await sharedLogOf(settings)
  try {
    return await use(shared)
  } finally {
    await shared.close()
  }
}
