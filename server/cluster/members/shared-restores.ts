import { instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { abortAfter } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { IS_DECIDING } from '../../../actors/ports.js'
import type { SharedLog } from '../../../events/log/cluster/shared-log.js'
import { isSnapshotEvent } from '../../../events/snapshot.js'
import { Views } from '../../../projections/read-models.js'
import { ARCHIVE_SHELF, LOGGER } from '../../settings/ports.js'
import type { InternalRestores } from '../../../http/routes/internal/cluster.js'
import { DiskArchiveStore } from '../../../http/routes/snapshot/disk-archive-store.js'
import type { Settings } from '../../settings/settings.js'
import { CLUSTER } from './cluster-port.js'
import { ReplicatedArchiveStore } from './replicated-archive-store.js'
import { SignedRequests } from './signed-requests.js'

/** Time in which this server must fetch an archive for another one. */
const FETCH_MS = 60_000

/** Must be called before a restore begins. */
export const replicateArchives = (
  scope: DependencyContainer,
  shared: SharedLog,
  settings: Settings
): void => {
  const { node_id: own, cluster } = settings
  const store = (container: DependencyContainer): ReplicatedArchiveStore =>
    new ReplicatedArchiveStore({
      disk: container.resolve(DiskArchiveStore),
      shared,
      signed: container.resolve(SignedRequests),
      own,
      copies: cluster.copies
    })
  scope.register(ReplicatedArchiveStore, { useFactory: instanceCachingFactory(store) })
  scope.register(ARCHIVE_SHELF, { useFactory: container => container.resolve(ReplicatedArchiveStore) })
}

export const internalRestores = (scope: DependencyContainer): InternalRestores => ({
  file: digest => scope.resolve(DiskArchiveStore).file(digest),
  fetch: async digest => {
    // An earlier restore may have used the same archive, and its end must be applied first.
    await scope.resolve(CLUSTER).fence()
    return (await scope.resolve(ReplicatedArchiveStore).fetch(digest, abortAfter(FETCH_MS))) === 'here'
  }
})

/** Deletes an archive when its restore has ended. The leader deletes its own copy once the end is durable. */
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
