// `annals cluster restore-head`: creates the cluster again from the log of one server.
import type { ClusterFounding, SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Settings } from '../settings/settings.js'
import { withShared } from './cluster-status.js'
import { confirm } from '../../clients/cli/terminal.js'
import { type Console, UsageError } from '../../clients/cli/console.js'
import { withLog } from './open-log.js'

/**
 * @param isSure the user has already agreed
 * @throws UsageError if another server is known to have more; SharedMismatch if the shared log changes meanwhile; SharedUnreachable LogUnusable
 */
export const restoreHead = (settings: Settings, console: Console, isSure: boolean): Promise<void> =>
  withShared(settings, shared =>
    withLog(settings, { withSecrets: true }, async log => {
      const { out } = console
      const index = log.durableIndex
      const instead = await refuseLess(shared, settings, index)
      out.write(
        `The cluster under ${settings.cluster.etcd.prefix} will continue from commit ${index} (${log.headHash}), the newest of ${settings.data_dir}.\nCommits that only other servers have are lost to it: those servers will refuse to continue.\n`
      )
      if (!isSure && !(await confirm(console, 'Create it again?'))) {
        out.write('Nothing was changed.\n')
        return
      }
      const { clusterSeedOf } = await import('../../events/log/cluster/cluster-identity.js')
      const head = { index, hash: Buffer.from(log.headHash, 'hex') }
      await shared.restoreHead({ foundation: await clusterSeedOf(log), head }, instead)
      out.write('Done: start the servers, or start them again.\n')
    })
  )

/** Protects what etcd has, and what other servers have announced. @returns the shared state, if any */
const refuseLess = async (
  shared: SharedLog,
  { node_id: own }: Settings,
  index: number
): Promise<ClusterFounding | undefined> => {
  const { joined } = await shared.members()
  const ahead = joined.filter(({ id, flushed }) => id !== own && flushed > index)
  const [first] = ahead.toSorted((a, b) => b.flushed - a.flushed)
  if (first)
    throw new UsageError(
      `${first.name} has announced commit ${first.flushed}, and this server ends at ${index}: run this on ${first.name}; if it is lost, forget it first with annals cluster leave --id ${first.id}`
    )
  const foundation = await shared.clusterSeed()
  if (!foundation) return undefined
  const { head } = await shared.read()
  if (head.index > index)
    throw new UsageError(
      `the cluster has commit ${head.index}, and this server ends at ${index}: start it, and it catches up`
    )
  return { foundation, head }
}
