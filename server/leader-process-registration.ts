// What a server does only while it leads: alone from its start to its end, in a cluster as long as it is the leader.
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../actors/clock.js'
import { SERVER } from '../actors/command.js'
import { ResponseExpiration } from '../actors/processes/response-expiration.js'
import { CoordinateBatches } from '../actors/processes/coordinate-batches.js'
import { CursorLeases } from '../actors/processes/cursor-leases.js'
import { CursorPositions } from '../actors/processes/cursor-positions.js'
import { ExpirationProcess, oidcRequestExpiry, tokenExpiry } from '../actors/processes/expiration-process.js'
import type { LeaderProcess } from '../actors/processes/leader-processes.js'
import { LeaderProcesses } from '../actors/processes/leader-processes.js'
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

/** Names it, in the order in which it begins. @param cluster of which the server is one */
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

/** Makes sure that everything is reconciled if this datacenter, its own primary now, follows another one later. */
const leavePrimary = async (scope: DependencyContainer): Promise<void> => {
  if (!scope.resolve(Views).replication.position) return
  const at = scope.resolve(Clock).now()
  const command = { name: 'LeavePrimary', tenancy: DEFAULT_TENANCY, caller: SERVER, at, data: null } as const
  await scope.resolve(ActorSystem).ask(REPLICATION, command)
  scope.resolve(LOGGER).info('this datacenter is its own primary: it no longer follows another one')
}

/** Forgets, every now and then, what was answered to writes long ago. */
const answerForgetting = (scope: DependencyContainer): LeaderProcess => {
  const forgetting = scope.resolve(ResponseExpiration)
  const live = scope.resolve(LiveSettings)
  const onFailure = reportResponsesRetained(scope)
  const window = (): number => live.current.idempotency.window
  return { start: () => forgetting.start({ window, onFailure }), stop: () => forgetting.stop() }
}

/** Tells that answers that nobody asks for any more are still there. */
export const reportResponsesRetained = (scope: DependencyContainer): ((error: unknown) => void) => {
  const logger = scope.resolve(LOGGER)
  return error => logger.warn({ err: error }, 'answers to writes could not be forgotten')
}

/** Goes on with the restore of a snapshot that was cut off; others are served meanwhile. */
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
          'This server leads no more: if the restore of the snapshot had begun, the next leader goes on with it'
        )
      )
  }
}

const resumeRestore = async (scope: DependencyContainer, made: SnapshotRestores): Promise<void> => {
  const logger = scope.resolve(LOGGER)
  const { current } = scope.resolve(Views).restore
  if (current) logger.info({ digest: current.restore.Digest }, 'the restore of a snapshot goes on')
  try {
    const result = await made.resume()
    if (result === 'complete') logger.info('the restore of the snapshot is complete')
    if (result === 'lost')
      logger.error('a restore was cut off and its archive is gone: the state is partly that of the snapshot')
  } catch (error) {
    logger.error({ err: error }, 'the restore of a snapshot did not come to its end')
  }
}

/** The node of a server that is alone. */
const nameOwnNode = (scope: DependencyContainer, processes: LeaderProcesses): void => {
  const ownNode = scope.resolve(OwnNode)
  const start = async (): Promise<void> => {
    await ownNode.register()
    ownNode.keep()
  }
  processes.whileLeading({ start, stop: () => ownNode.stop() })
}
