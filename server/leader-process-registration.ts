// Registers the processes of a leader. A server without a cluster always leads.
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../actors/clock.js'
import { SERVER } from '../actors/aggregate.js'
import { ResponseExpiration } from '../actors/processes/response-expiration.js'
import { CoordinateBatches } from '../actors/processes/coordinate-batches.js'
import { CursorLeases } from '../actors/processes/cursor-leases.js'
import { CursorPositions } from '../actors/processes/cursor-positions.js'
import { ExpirationProcess, oidcRequestExpiry, tokenExpiry } from '../actors/processes/expiration-process.js'
import { LeaderProcesses, type LeaderProcess } from '../actors/processes/leader-processes.js'
import { NamespaceDeletion } from '../actors/processes/namespace-deletion/namespace-deletion.js'
import { SessionExpiration } from '../actors/processes/session-expiration.js'
import { Refusal } from '../actors/refusal.js'
import { REPLICATION } from '../actors/replication/replication.js'
import { SnapshotRestores } from '../actors/snapshot/restores.js'
import { ActorSystem } from '../actors/system.js'
import { DEFAULT_TENANCY } from '../events/envelope.js'
import { Views } from '../projections/read-models.js'
import { OwnNode } from '../http/routes/agent/own-node.js'
import { remotePrimary } from './settings/datacenters.js'
import { LiveSettings } from './settings/live-settings.js'
import { Webhooks } from '../http/webhooks/webhooks.js'
import type { ClusterHost } from './cluster/members/cluster-port.js'
import { LOGGER, SETTINGS } from './settings/ports.js'
import { InitialResources } from '../http/initial-resources.js'

/** Registers the processes in the order of their start. @param cluster the server's cluster, if any */
export const registerLeaderProcesses = (
  scope: DependencyContainer,
  cluster?: Pick<ClusterHost, 'nameLeaderWork'>
): void => {
  const processes = scope.resolve(LeaderProcesses)
  const seed = scope.resolve(InitialResources)
  if (remotePrimary(scope.resolve(SETTINGS)) === undefined)
    processes.whileLeading({ start: () => leavePrimary(scope), stop: () => {} })
  processes.whileLeading({ start: () => seed.plant(), stop: () => {} })
  if (cluster) cluster.nameLeaderWork(scope)
  else nameOwnNode(scope, processes)
  const expiry = scope.resolve(ExpirationProcess)
  for (const begin of [() => expiry.follow(tokenExpiry), () => expiry.follow(oidcRequestExpiry)]) {
    let stop = (): void => {}
    processes.whileLeading({ start: () => void (stop = begin()), stop: () => stop() })
  }
  processes.whileLeading(scope.resolve(CoordinateBatches))
  processes.whileLeading(scope.resolve(SessionExpiration))
  processes.whileLeading(scope.resolve(CursorPositions))
  processes.whileLeading(scope.resolve(CursorLeases))
  processes.whileLeading(answerForgetting(scope))
  processes.whileLeading(scope.resolve(NamespaceDeletion))
  processes.whileLeading(restores(scope))
  processes.whileLeading(scope.resolve(Webhooks))
}

/** Clears the replication position, so that a later change of the primary compares all resources. */
const leavePrimary = async (scope: DependencyContainer): Promise<void> => {
  if (!scope.resolve(Views).replication.position) return
  const at = scope.resolve(Clock).now()
  const command = { name: 'LeavePrimary', tenancy: DEFAULT_TENANCY, caller: SERVER, at, data: null } as const
  await scope.resolve(ActorSystem).ask(REPLICATION, command)
  scope.resolve(LOGGER).info('this datacenter is its own primary: it no longer follows another one')
}

/** Deletes expired idempotent responses at intervals. */
const answerForgetting = (scope: DependencyContainer): LeaderProcess => {
  const forgetting = scope.resolve(ResponseExpiration)
  const live = scope.resolve(LiveSettings)
  const onFailure = reportResponsesRetained(scope)
  const window = (): number => live.current.idempotency.window
  return { start: () => forgetting.start({ window, onFailure }), stop: () => forgetting.stop() }
}

/** Logs that expired idempotent responses could not be deleted. */
export const reportResponsesRetained = (scope: DependencyContainer): ((error: unknown) => void) => {
  const logger = scope.resolve(LOGGER)
  return error => logger.warn({ err: error }, 'answers to writes could not be forgotten')
}

/** Continues an interrupted restore. Other requests are served meanwhile. */
const restores = (scope: DependencyContainer): LeaderProcess => {
  const made = scope.resolve(SnapshotRestores)
  return {
    start: () => {
      made.start()
      void resumeRestore(scope, made)
    },
    stop: () =>
      void made.stop(
        new Refusal(
          'unknown',
          'This server no longer leads: if the restore of the snapshot had begun, the next leader continues it'
        )
      )
  }
}

const resumeRestore = async (scope: DependencyContainer, made: SnapshotRestores): Promise<void> => {
  const logger = scope.resolve(LOGGER)
  const { current } = scope.resolve(Views).restore
  if (current) logger.info({ digest: current.restore.Digest }, 'the restore of a snapshot continues')
  try {
    const result = await made.resume()
    if (result === 'complete') logger.info('the restore of the snapshot is complete')
    if (result === 'lost')
      logger.error('a restore was cut off and its archive is gone: the state is partly that of the snapshot')
  } catch (error) {
    logger.error({ err: error }, 'the restore of a snapshot did not come to its end')
  }
}

/** Registers the node of a server without a cluster. */
const nameOwnNode = (scope: DependencyContainer, processes: LeaderProcesses): void => {
  const ownNode = scope.resolve(OwnNode)
  const start = async (): Promise<void> => {
    await ownNode.register()
    ownNode.keep()
  }
  processes.whileLeading({ start, stop: () => ownNode.stop() })
}
