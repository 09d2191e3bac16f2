// Starts a replica: a server that follows the log of a source, and answers reads from what it has verified.
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import { factory } from '../../actors/factories.js'
import { IS_DECIDING } from '../../actors/ports.js'
import { noteKey, type NoteKey } from '../../events/log/evidence/note-keys.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import { identityOf, originOf } from '../../events/log/evidence/signed-checkpoint.js'
import type { SegmentEventLog, SegmentLogOptions } from '../../events/log/segments/segment-event-log.js'
import { SERVERS, singleServer, type Connectivity } from '../../http/routes/operator/cluster-servers.js'
import { CHECKPOINT_NOTES, LogEvidence } from '../../http/wire/log-evidence.js'
import { REMOTE_TOKEN_RESOLUTION } from '../../http/wire/remote-token-resolution.js'
import { REQUEST_ROUTING } from '../../http/wire/request-routing.js'
import { Views } from '../../projections/read-models.js'
import { TOKEN_AUTHORITY } from '../cluster/datacenters/primary-tokens.js'
import { RemoteTokenCache } from '../cluster/datacenters/remote-token-cache.js'
import { RequestRouter, ROUTING_POLICY } from '../cluster/members/request-router.js'
import { component, type Component } from '../component.js'
import { Listeners, replicaComponents, RequestDrain } from '../components.js'
import { snapshotStoresOf } from '../compose.js'
import { openLog } from '../open-log.js'
import { registerLeaderProcesses } from '../leader-process-registration.js'
import { readHead } from '../publication/verified-tree.js'
import { runServer, type RunningServer } from '../running-server.js'
import type { LiveSettings, Settings } from '../settings/settings.js'
import { LOGGER, OWN_LOG, SETTINGS } from '../settings/ports.js'
import { ServerSnapshots } from '../snapshots/server-snapshots.js'
import { Metrics } from '../telemetry/metrics/metrics.js'
import { beginReplicaLog } from './begin-replica-log.js'
import { ReceivedCheckpoints } from './received-checkpoints.js'
import { ReplicaFollower } from './replica-follower.js'
import { claimReplicaFolder } from './replica-folder.js'
import { REPLICA, ReplicaPolicy, type ReplicaParts } from './replica-policy.js'
import type { ReplicaSource } from './replica-source.js'
import { SourceTokens, type AccessorOf } from './source-tokens.js'

export interface ReplicaOptions {
  readonly source: ReplicaSource
  /** Public key of the log. */
  readonly key: NoteKey
  /** Time between two reads of the checkpoint, in ms. */
  readonly interval: number
  /** Authenticates tokens; undefined if access control is off. */
  readonly accessorOf: AccessorOf | undefined
  readonly report?: SegmentLogOptions['report']
  readonly fatal?: SegmentLogOptions['fatal']
  /** Called once if the source cannot be followed any more. */
  readonly onRefused: (error: unknown) => void
  /** Replaces registrations, for tests. */
  readonly override?: (scope: DependencyContainer) => void
}

/** Opens the log of the data folder. A new one begins as that of the source, with its base snapshot if commits were pruned. @throws as `beginReplicaLog`; SettingsError for the folder of a server; as `readHead` */
const openReplicaLog = async (
  settings: Settings,
  { source, key, report, fatal }: ReplicaOptions
): Promise<SegmentEventLog> => {
  const { head } = await readHead(source.files, [key])
  const begunAs = identityOf(head.origin)
  if (!begunAs) throw new ProofFailed(`${source.files.place} has no log of Annals, but ${head.origin}`)
  await claimReplicaFolder(settings)
  await beginReplicaLog(settings, { source, head, identity: begunAs })
  return openLog(settings, {
    begunAs,
    ...(report && { report }),
    ...(fatal && { fatal })
  })
}

/** Commits are retained, and erased ones are skipped in a replay: neither needs another base snapshot. */
class ReplicaSnapshots extends ServerSnapshots {
  protected override createRetention(): undefined {}

  protected override async repairBase(): Promise<void> {}
}

const NOT_STARTED: Connectivity = {
  isSound: false,
  reasons: ['this replica has not started to follow its source']
}

const register = (scope: DependencyContainer, log: SegmentEventLog, options: ReplicaOptions): void => {
  const { key, accessorOf } = options
  const parts: ReplicaParts = { follower: undefined }
  registerLeaderProcesses(scope)
  scope.registerInstance(REPLICA, parts)
  scope.registerInstance(IS_DECIDING, () => false)
  const received = new ReceivedCheckpoints(noteKey(originOf(log.identity), key.publicKey))
  scope.registerInstance(CHECKPOINT_NOTES, received)
  scope.register(ROUTING_POLICY, { useToken: ReplicaPolicy })
  scope.register(REQUEST_ROUTING, { useToken: RequestRouter })
  const snapshots = factory(
    [SETTINGS, OWN_LOG, LOGGER],
    (settings, own, logger) => new ReplicaSnapshots(settings, own, snapshotStoresOf(own), logger)
  )
  scope.register(ServerSnapshots, snapshots)
  const follower = factory(
    [Committer, Views, LogEvidence, Clock, LOGGER],
    (committer, views, evidence, clock, logger) =>
      new ReplicaFollower({
        ...options,
        log,
        committer,
        views,
        received,
        clock,
        logger,
        evidence: () => evidence.required,
        onRefused: error => {
          logger.fatal({ err: error }, 'the source of this replica cannot be trusted: the replica ends')
          options.onRefused(error)
        }
      })
  )
  scope.register(ReplicaFollower, follower)
  scope.register(
    SERVERS,
    factory([SETTINGS, Views, Committer], (settings, views, committer) => ({
      ...singleServer(settings, views, committer),
      connectivity: () => parts.follower?.connectivity() ?? NOT_STARTED
    }))
  )
  if (!accessorOf) return
  scope.register(
    TOKEN_AUTHORITY,
    factory([Views], views => new SourceTokens(views, accessorOf))
  )
  scope.register(REMOTE_TOKEN_RESOLUTION, { useToken: RemoteTokenCache })
}

const tokens = component([RemoteTokenCache, Views], {
  start: (cache, { resolver }) => resolver.lookElsewhere(cache)
})

const following = component([ReplicaFollower, REPLICA, Metrics], {
  needs: [Committer, LogEvidence, RequestDrain, Listeners],
  start: (follower, parts, metrics) => {
    parts.follower = follower
    metrics.gauge(
      'annals_replica_behind_commits',
      'Commits that the source of this replica has signed and that are not shown yet',
      () => follower.behind
    )
    metrics.gauge(
      'annals_replica_last_contact_seconds',
      'For how long nothing has proved that this replica shows all that its source has signed',
      () => (follower.lastContact ?? 0) / 1000
    )
    follower.start()
  },
  stop: follower => follower.stop()
})

/** Starts a replica, which listens before it has caught up. @throws ProofFailed MalformedNote SourceUnavailable LogUnusable ListenError */
export const startReplica = async (live: LiveSettings, options: ReplicaOptions): Promise<RunningServer> => {
  const log = await openReplicaLog(live.current, options)
  const components = (settings: Settings, more: object): readonly Component[] =>
    replicaComponents(settings, { tokens: options.accessorOf ? [tokens] : [], following }, more)
  return runServer(live, log, {
    register: scope => register(scope, log, options),
    components,
    override: options.override
  })
}
