import { inject, Lifecycle, scoped, type DependencyContainer } from 'tsyringe'
import type { Logger } from 'pino'
import { Committer } from '../../../actors/committer.js'
import { factory } from '../../../actors/factories.js'
import { IS_DECIDING } from '../../../actors/ports.js'
import { recovery } from '../../../events/errors.js'
import { SharedUnreachable } from '../../../events/log/cluster/shared-log.js'
import { isSnapshotEvent, SNAPSHOT_TOPIC } from '../../../events/snapshot.js'
import { Timers } from '../../../actors/clock.js'
import { Views } from '../../../projections/read-models.js'
import { ARCHIVE_SHELF, LOGGER, SETTINGS } from '../../settings/ports.js'
import type { InternalRestores } from '../../../http/routes/internal/cluster.js'
import { DiskArchiveStore } from '../../../http/routes/snapshot/disk-archive-store.js'
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import { INTERNAL_RESTORES } from './register-cluster.js'
import { ReplicatedArchiveStore } from './replicated-archive-store.js'
import { SHARED_LOG } from './shared-log.js'
import { SignedRequests } from './signed-requests.js'

/** Time in which this server must fetch an archive for another one. */
const FETCH_MS = 60_000

/** Registers archives that other members store, too. */
export const replicateArchives = (scope: DependencyContainer): void => {
  const store = factory(
    [DiskArchiveStore, SHARED_LOG, SignedRequests, Timers, SETTINGS],
    (disk, shared, signed, timers, { node_id: own, cluster }) =>
      new ReplicatedArchiveStore({ disk, shared, signed, timers, own, copies: cluster.copies })
  )
  scope.register(ReplicatedArchiveStore, store)
  scope.register(ARCHIVE_SHELF, { useToken: ReplicatedArchiveStore })
  scope.register(
    INTERNAL_RESTORES,
    factory([DiskArchiveStore, CLUSTER, ReplicatedArchiveStore, Timers], internalRestores)
  )
}

const internalRestores = (
  disk: DiskArchiveStore,
  cluster: ClusterPort,
  archives: ReplicatedArchiveStore,
  timers: Timers
): InternalRestores => ({
  file: digest => disk.file(digest),
  fetch: async digest => {
    // An earlier restore may have used the same archive, and its end must be applied first.
    const isNewest = await cluster.fence().then(
      () => true,
      recovery(SharedUnreachable, () => false)
    )
    return isNewest && (await archives.fetch(digest, timers.abortAfter(FETCH_MS))) === 'here'
  }
})

/** Deletes an archive when its restore has ended. The leader deletes its own copy once the end is durable. */
@scoped(Lifecycle.ContainerScoped)
export class RestoredArchives {
  constructor(
    private readonly disk: DiskArchiveStore,
    private readonly views: Views,
    private readonly committer: Committer,
    @inject(IS_DECIDING) private readonly decides: () => boolean,
    @inject(LOGGER) private readonly logger: Logger
  ) {}

  start(): void {
    if (!this.views.restore.current) this.#drop()
    this.committer.on(SNAPSHOT_TOPIC, event => {
      if (!this.decides() && isSnapshotEvent(event) && event.Type === 'SnapshotRestoreEnded')
        this.#drop(event.Payload.Restore.Digest)
    })
  }

  #drop(digest?: string): void {
    this.disk
      .drop(digest)
      .catch(error =>
        this.logger.warn({ err: error }, 'the archive of a restore that has ended could not be removed')
      )
  }
}
