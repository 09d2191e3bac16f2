// Declares the processes of a leader. A server without a cluster always leads.
import { reportResponsesRetained } from './core.js'
import type { DependencyContainer, InjectionToken } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../actors/clock.js'
import { serverCommand } from '../actors/aggregate.js'
import { factory, registerAll, type Provider } from '../actors/factories.js'
import { ResponseExpiration } from '../actors/processes/response-expiration.js'
import { CoordinateBatches } from '../actors/processes/coordinate-batches.js'
import { CursorLeases } from '../actors/processes/cursor-leases.js'
import { CursorPositions } from '../actors/processes/cursor-positions.js'
import {
  ExpirationProcess,
  oidcRequestExpiry,
  policyProposalExpiry,
  tokenExpiry
} from '../actors/processes/expiration-process.js'
import type { LeaderProcess } from '../actors/processes/leader-processes.js'
import { NamespaceDeletion } from '../actors/processes/namespace-deletion/namespace-deletion.js'
import { SessionExpiration } from '../actors/processes/session-expiration.js'
import { Refusal } from '../actors/refusal.js'
import { REPLICATION } from '../actors/replication/replication.js'
import { SnapshotRestores } from '../actors/snapshot/restores.js'
import { ActorSystem } from '../actors/system.js'
import { Views } from '../projections/read-models.js'
import { OwnNode } from '../http/routes/agent/own-node.js'
import { remotePrimary } from './settings/datacenters.js'
import { LiveSettings, type Settings } from './settings/settings.js'
import { ConsumerGroups } from '../http/stream/groups/consumer-groups.js'
import { Webhooks } from '../http/webhooks/webhooks.js'
import { LOGGER, SETTINGS } from './settings/ports.js'
import { InitialResources } from '../http/initial-resources.js'

/** The processes that run while this server leads, in the order of their start. */
export const LEADER_PROCESS: InjectionToken<LeaderProcess> = Symbol('LeaderProcess')

/** Clears the replication position, so that a later change of the primary compares all resources. */
const leavePrimary = factory(
  [SETTINGS, Views, Clock, ActorSystem, LOGGER],
  (settings: Settings, views: Views, clock: Clock, system: ActorSystem, logger: Logger): LeaderProcess => ({
    start: async () => {
      if (remotePrimary(settings) !== undefined || !views.replication.position) return
      await system.ask(REPLICATION, serverCommand('LeavePrimary', null, clock.now()))
      logger.info('this datacenter is its own primary: it no longer follows another one')
    },
    stop: () => {}
  })
)

const initialResources = factory([InitialResources], (seed): LeaderProcess => ({
  start: () => seed.plant(),
  stop: () => {}
}))

/** The node of a server without a cluster. */
const ownNode = factory([OwnNode], (node): LeaderProcess => ({
  start: async () => {
    await node.register()
    node.keep()
  },
  stop: () => node.stop()
}))

const whileFollowed = (follow: () => () => void): LeaderProcess => {
  let stop = (): void => {}
  return { start: () => void (stop = follow()), stop: () => stop() }
}

/** Deletes expired idempotent responses at intervals. */
const responseExpiration = factory(
  [ResponseExpiration, LiveSettings, LOGGER],
  (expiration, live, logger): LeaderProcess => {
    const onFailure = reportResponsesRetained(logger)
    const window = (): number => live.current.idempotency.window
    return { start: () => expiration.start({ window, onFailure }), stop: () => expiration.stop() }
  }
)

/** Continues an interrupted restore. Other requests are served meanwhile. */
const restores = factory([SnapshotRestores, Views, LOGGER], (made, views, logger): LeaderProcess => ({
  start: () => {
    made.start()
    void resumeRestore(made, views, logger)
  },
  stop: () =>
    void made.stop(
      new Refusal(
        'cluster.outcome-unknown',
        'This server no longer leads: if the restore of the snapshot had begun, the next leader continues it'
      )
    )
}))

const resumeRestore = async (made: SnapshotRestores, views: Views, logger: Logger): Promise<void> => {
  const { current } = views.restore
  if (current) logger.info({ digest: current.restore.Digest }, 'the restore of a snapshot continues')
  try {
    const result = await made.resume()
    if (result === 'complete') logger.info('the restore of the snapshot is complete')
    if (result === 'lost')
      logger.error(
        'the archive of an interrupted restore is missing: the state is partly that of the snapshot'
      )
  } catch (error) {
    logger.error({ err: error }, 'the restore of a snapshot failed')
  }
}

/** Registers the processes in the order of their start. @param nodes registers the nodes of the servers */
export const registerLeaderProcesses = (
  scope: DependencyContainer,
  nodes: readonly Provider<LeaderProcess>[] = [ownNode]
): void =>
  registerAll(scope, LEADER_PROCESS, [
    leavePrimary,
    initialResources,
    ...nodes,
    factory([ExpirationProcess], expiry => whileFollowed(() => expiry.follow(tokenExpiry))),
    factory([ExpirationProcess], expiry => whileFollowed(() => expiry.follow(oidcRequestExpiry))),
    factory([ExpirationProcess], expiry => whileFollowed(() => expiry.follow(policyProposalExpiry))),
    { useToken: CoordinateBatches },
    { useToken: SessionExpiration },
    { useToken: CursorPositions },
    { useToken: CursorLeases },
    { useToken: ConsumerGroups },
    responseExpiration,
    { useToken: NamespaceDeletion },
    restores,
    { useToken: Webhooks }
  ])
