// `annals cluster join` and `leave`: whether a server is one of a cluster.
import type { ClusterSeed, SharedLog } from '../../events/log/cluster/shared-log.js'
import { keepNodeId } from '../settings/node-id.js'
import { logFolder, type Settings } from '../settings/settings.js'
import { withShared } from './cluster-shared.js'
import { type Console, UsageError } from '../../clients/cli/console.js'
import { keyOf } from './open-log.js'

/**
 * Checks that the server of a configuration can take part, and makes its folder ready if it has no log yet.
 * @throws UsageError SharedUnreachable LogUnusable; JoinRefused when it may not take part or does not reach another server
 */
export const clusterJoin = (settings: Settings, { out }: Console): Promise<void> =>
  withShared(settings, async shared => {
    if (!settings.cluster.enabled)
      throw new UsageError('the server would not take part: set cluster.enabled in its configuration')
    const { checkJoin } = await import('../cluster/members/cluster-join.js')
    await checkJoin(settings, shared)
    const foundation = await shared.clusterSeed()
    out.write(
      foundation
        ? await joining(settings, shared, foundation)
        : `There is no cluster under ${settings.cluster.etcd.prefix} yet: the start of this server founds it, with the log of ${settings.data_dir}.\n`
    )
  })

/** What a start would do. @throws LogUnusable when it could not */
const joining = async (settings: Settings, shared: SharedLog, foundation: ClusterSeed): Promise<string> => {
  const path = logFolder(settings.data_dir)
  const [{ prepareLogFolder: prepareFolder }, { SegmentEventLog }] = await Promise.all([
    import('../../events/log/cluster/cluster-identity.js'),
    import('../../events/log/segments/segment-event-log.js')
  ])
  keepNodeId(settings)
  await prepareFolder(path, foundation)
  // Proves the key, too.
  const log = await SegmentEventLog.open({ path, key: keyOf(settings), begunAs: foundation.log })
  try {
    const { verifySharedLog: checkShared } = await import('../../events/log/cluster/log-follower.js')
    const head = await checkShared(log, shared)
    const missing = head - log.durableIndex
    return `This server can join: it has ${log.durableIndex} of ${head} commits, and gets ${missing} from the others when it starts.\n`
  } finally {
    await log.close()
  }
}

/** Forgets a server. @throws UsageError when it is not known, or still there; SharedUnreachable */
export const clusterLeave = (settings: Settings, { out }: Console, id: string): Promise<void> =>
  withShared(settings, async shared => {
    const [live, joined] = await Promise.all([shared.members(), shared.joined()])
    const known = joined.find(member => member.id === id)
    if (!known)
      throw new UsageError(`no server of the cluster has the node ID ${id}: see annals cluster status`)
    if (live.some(member => member.id === id))
      throw new UsageError(`${known.name} is still there: stop it before it leaves the cluster`)
    await shared.forget(id)
    out.write(`${known.name} is forgotten.\n`)
  })
