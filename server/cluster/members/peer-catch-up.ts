import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Committer } from '../../../actors/committer.js'
import type { PeerServers } from '../../../actors/ports.js'
import { Refusal } from '../../../actors/refusal.js'
import type { LogFiles } from '../../../actors/snapshot/log-files.js'
import { Timers } from '../../../actors/clock.js'
import type { LogReader } from '../../../events/log/log.js'
import type { LogFollowerDependencies } from '../../../events/log/cluster/log-follower.js'
import { SharedUnreachable, type SharedLog } from '../../../events/log/cluster/shared-log.js'
import type { Retention } from '../../../events/retention.js'
import type { SnapshotStores } from '../../../projections/restore-views.js'
import { BESIDE_LOG, EVENT_LOG, LOG_FILES, LOGGER, SETTINGS } from '../../settings/ports.js'
import { incomingLogFolder, type Settings } from '../../settings/settings.js'
import { HttpPeerLogs } from './peer-logs.js'
import { SHARED_LOG } from './shared-log.js'
import { SignedRequests } from './signed-requests.js'

/** The log follower's way to commits that the shared log no longer has. */
@scoped(Lifecycle.ContainerScoped)
export class PeerCatchUp implements Pick<LogFollowerDependencies, 'peers' | 'replace'> {
  readonly peers: HttpPeerLogs

  constructor(
    @inject(SETTINGS) private readonly settings: Settings,
    @inject(SHARED_LOG) private readonly shared: SharedLog,
    signed: SignedRequests,
    private readonly committer: Committer,
    private readonly timers: Timers,
    @inject(EVENT_LOG) private readonly log: LogReader,
    @inject(LOG_FILES) private readonly files: LogFiles,
    @inject(BESIDE_LOG) private readonly beside: SnapshotStores,
    @inject(LOGGER) private readonly logger: Logger
  ) {
    const { node_id: own } = settings
    this.peers = new HttpPeerLogs({
      others: async () => (await shared.members()).live.filter(({ id }) => id !== own),
      signed
    })
  }

  async replace(signal: AbortSignal): Promise<void> {
    const foundation = await this.shared.clusterSeed()
    if (!foundation) throw new SharedUnreachable('the cluster no longer exists')
    const began = performance.now()
    const { durableIndex } = this.log
    await this.peers.copyFiles(incomingLogFolder(this.settings.data_dir), foundation, durableIndex, signal)
    await this.committer.writable()
    signal.throwIfAborted()
    try {
      await this.committer.exchange(() => this.files.takeOver())
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new SharedUnreachable(`the log cannot be replaced now: ${error.message}`, { cause: error })
    }
    this.logger.info(
      { ms: Math.round(performance.now() - began) },
      'the log continues with the files of another server'
    )
  }

  /** Returns the other servers as pruning uses them: they fetch base snapshots. */
  serversFor(decides: () => boolean): PeerServers {
    const fetchBase = async ({ Index, Base }: Retention, signal: AbortSignal): Promise<void> =>
      this.beside.bases.take(Index, Base, this.peers.base(Index, signal))
    return { decides, fetchBase, timers: this.timers }
  }
}
