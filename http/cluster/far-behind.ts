// What a server does that is behind everything that is still shared: it asks the others for what they have.
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import type { FollowParts } from '../../events/log/cluster/follow.js'
import { SharedUnreachable, type SharedLog } from '../../events/log/cluster/shared-log.js'
import { EVENT_LOG, LOG_FILES, LOGGER } from '../program/ports.js'
import { comingLogFolder, type Settings } from '../settings/settings.js'
import { LeaderConnections } from './leader-connections.js'
import { HttpPeerLogs } from './peer-logs.js'

/** How the log of a server gets what is not shared any more. @param secret of the cluster */
export const farBehind = (
  scope: DependencyContainer,
  {
    shared,
    settings,
    secret
  }: { readonly shared: SharedLog; readonly settings: Settings; readonly secret: Uint8Array }
): Pick<FollowParts, 'peers' | 'replace'> => {
  const { node_id: id, node_name: name, data_dir } = settings
  const peers = new HttpPeerLogs({
    others: async () => (await shared.members()).filter(member => member.id !== id),
    connections: scope.resolve(LeaderConnections),
    secret,
    self: { id, name },
    clock: scope.resolve(Clock)
  })
  const committer = scope.resolve(Committer)
  const logger = scope.resolve(LOGGER)
  const replace = async (signal: AbortSignal): Promise<void> => {
    const foundation = await shared.foundation()
    if (!foundation) throw new SharedUnreachable('there is no cluster any more')
    const began = performance.now()
    const { durableIndex } = scope.resolve(EVENT_LOG)
    await peers.copyFiles(comingLogFolder(data_dir), foundation, durableIndex, signal)
    await committer.writable()
    signal.throwIfAborted()
    await committer.exchange(() => scope.resolve(LOG_FILES).takeOver())
    logger.info(
      { ms: Math.round(performance.now() - began) },
      'the log goes on with the files of another server'
    )
  }
  return { peers, replace }
}
