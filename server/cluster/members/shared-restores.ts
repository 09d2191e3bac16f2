// Has the restore of a snapshot go on with whoever leads: its archive lies on several servers as long as it is under way.
import { instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { abortAfter } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { IS_DECIDING } from '../../../actors/ports.js'
import type { SharedLog } from '../../../events/log/cluster/shared-log.js'
import { isSnapshotEvent } from '../../../events/snapshot.js'
import { Views } from '../../../projections/read-models.js'
import { ARCHIVE_SHELF, LOGGER } from '../../settings/ports.js'
import type { InternalRestores } from '../../../http/routes/internal/restores.js'
import { DiskArchiveStore } from '../../../http/routes/snapshot/disk-archive-store.js'
import type { Settings } from '../../settings/settings.js'
import { CLUSTER } from './cluster-port.js'
import { ReplicatedArchiveStore } from './replicated-archive-store.js'
import { SignedRequests } from './signed-requests.js'

/** How long this server may take to get an archive of which another one has told it, in ms. */
const FETCH_MS = 60_000

/** Has archives kept by the servers of a cluster. To be called before anything is restored. */
export const replicateArchives = (
  scope: DependencyContainer,
  shared: SharedLog,
  settings: Settings
): void => {
  const { node_id: own, cluster } = settings
  const shelf = (made: DependencyContainer): ReplicatedArchiveStore =>
    new ReplicatedArchiveStore({
      disk: made.resolve(DiskArchiveStore),
      shared,
      signed: made.resolve(SignedRequests),
      own,
      copies: cluster.copies
    })
  scope.register(ReplicatedArchiveStore, { useFactory: instanceCachingFactory(shelf) })
  scope.register(ARCHIVE_SHELF, { useFactory: made => made.resolve(ReplicatedArchiveStore) })
}

/** What other servers ask of the archives of this one. */
export const internalRestores = (scope: DependencyContainer): InternalRestores => ({
  file: digest => scope.resolve(DiskArchiveStore).file(digest),
  fetch: async digest => {
    // The end of the restore before it may concern the same archive, and is to be met before that comes anew.
    await scope.resolve(CLUSTER).fence()
    return (await scope.resolve(ReplicatedArchiveStore).fetch(digest, abortAfter(FETCH_MS))) === 'here'
  }
})

/** Forgets an archive here when its restore has ended; the leader does so itself, once that is certain. */
export const deleteRestoredArchives = (scope: DependencyContainer): void => {
  const [disk, logger, decides] = [
    scope.resolve(DiskArchiveStore),
    scope.resolve(LOGGER),
    scope.resolve(IS_DECIDING)
  ]
  const drop = (digest?: string): void => {
    disk
      .drop(digest)
      .catch(error =>
        logger.warn({ err: error }, 'the archive of a restore that has ended could not be removed')
      )
  }
  if (!scope.resolve(Views).restore.current) drop()
  scope.resolve(Committer).signals.on('applied', ({ Events }) => {
    if (decides()) return
    for (const event of Events)
      if (isSnapshotEvent(event) && event.Type === 'SnapshotRestoreEnded') drop(event.Payload.Restore.Digest)
  })
}
