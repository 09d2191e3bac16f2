import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../../../actors/committer.js'
import type { PeerServers } from '../../../actors/ports.js'
import { Refusal } from '../../../actors/refusal.js'
import { Timers } from '../../../actors/timers.js'
import type { LogFollowerDependencies } from '../../../events/log/cluster/log-follower.js'
import { SharedUnreachable, type SharedLog } from '../../../events/log/cluster/shared-log.js'
import type { Retention } from '../../../events/retention.js'
import { BESIDE_LOG, EVENT_LOG, LOG_FILES, LOGGER } from '../../settings/ports.js'
import { incomingLogFolder, type Settings } from '../../settings/settings.js'
import { HttpPeerLogs } from './peer-logs.js'
import { SignedRequests } from './signed-requests.js'

interface Cluster {
  readonly shared: SharedLog
  readonly settings: Settings
}

const peersOf = (scope: DependencyContainer, { shared, settings: { node_id: own } }: Cluster): HttpPeerLogs =>
  new HttpPeerLogs({
    others: async () => (await shared.members()).filter(({ id }) => id !== own),
    signed: scope.resolve(SignedRequests)
  })

/** The log follower's way to commits that the shared log no longer has. */
export const catchUpFromPeers = (
  scope: DependencyContainer,
  cluster: Cluster
): Pick<LogFollowerDependencies, 'peers' | 'replace'> => {
  const { shared, settings } = cluster
  const peers = peersOf(scope, cluster)
  const committer = scope.resolve(Committer)
  const logger = scope.resolve(LOGGER)
  const replace = async (signal: AbortSignal): Promise<void> => {
    const foundation = await shared.clusterSeed()
    if (!foundation) throw new SharedUnreachable('the cluster no longer exists')
    const began = performance.now()
    const { durableIndex } = scope.resolve(EVENT_LOG)
    await peers.copyFiles(incomingLogFolder(settings.data_dir), foundation, durableIndex, signal)
    await committer.writable()
    signal.throwIfAborted()
    try {
      await committer.exchange(() => scope.resolve(LOG_FILES).takeOver())
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new SharedUnreachable(`the log cannot be replaced now: ${error.message}`, { cause: error })
    }
    logger.info(
      { ms: Math.round(performance.now() - began) },
      'the log continues with the files of another server'
    )
  }
  return { peers, replace }
}

/** Fetches base snapshots from other servers. */
export const peerServersOf = (
  scope: DependencyContainer,
  cluster: Cluster,
  decides: () => boolean
): PeerServers => {
  const fetchBase = async ({ Index, Base }: Retention, signal: AbortSignal): Promise<void> => {
    const pieces = peersOf(scope, cluster).base(Index, signal)
    await scope.resolve(BESIDE_LOG).bases.take(Index, Base, pieces)
  }
  return { decides, fetchBase, timers: scope.resolve(Timers) }
}
