// The components of a main process, in the order of their start, and its listeners.
import { existsSync } from 'node:fs'
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import { Committer } from '../actors/committer.js'
import { Deadlines } from '../actors/clock.js'
import { ErasureProcess } from '../actors/erasure/erasure-process.js'
import { every } from '../actors/factories.js'
import { Logins } from '../actors/login/logins.js'
import { Destinations } from '../actors/outgoing/destinations.js'
import { GuardedClient } from '../actors/outgoing/guarded-client.js'
import { CheckRunners } from '../actors/processes/check-runners.js'
import { LeaderProcesses } from '../actors/processes/leader-processes.js'
import { SnapshotRestores } from '../actors/snapshot/restores.js'
import { ActorSystem } from '../actors/system.js'
import { DenialLog } from '../http/audit/denial-log.js'
import { AccessUsageStore } from '../http/wire/access-usage-store.js'
import { ErasureTargetsBesideLog } from '../http/audit/erasure-targets.js'
import { ImpactThread } from '../http/routes/acl/impact/impact-thread.js'
import { InitialResources } from '../http/initial-resources.js'
import { EventStreams } from '../http/stream/event-streams.js'
import { Webhooks } from '../http/webhooks/webhooks.js'
import { LogEvidence } from '../http/wire/log-evidence.js'
import { ShutdownSignal } from '../http/wire/shutdown-signal.js'
import type { Sharing } from '../http/wire/sockets/listen.js'
import { ClusterCertificates } from '../http/wire/tls/cluster-certificates.js'
import { HttpServer } from '../http/wire/sockets/server.js'
import { Views } from '../projections/read-models.js'
import { component, type Component } from './component.js'
import { DNS_SERVER, type DnsServer } from './dns/dns-server.js'
import { ErasureCheckpointFile } from './erasure-checkpoint-file.js'
import { LEADER_PROCESS } from './leader-process-registration.js'
import { logFileStampsIn } from './log-files.js'
import { LogWitnesses } from './log-witnesses.js'
import { ServerMetrics } from './observe.js'
import { OutgoingCertificates } from './outgoing.js'
import { reloadLogLevel, reloadTokens } from './reloadable.js'
import { AgentTokens } from './settings/agent-tokens.js'
import { LOGGER, OWN_LOG, SETTINGS } from './settings/ports.js'
import { Reload } from './settings/reload.js'
import { logFolder, type Settings } from './settings/settings.js'
import { ServerSnapshots } from './snapshots/server-snapshots.js'
import { LogLines } from './telemetry/logging/lines.js'
import {
  ownLog,
  readModels,
  outgoingCertificates,
  deadlines,
  denials,
  evidence,
  destinations,
  exposures,
  clockWatch,
  witnesses,
  checkRunners,
  cursorReports,
  responseErasure,
  accessUsage,
  tokenUses,
  logins,
  metrics,
  snapshots
} from './core.js'

export interface ServerPorts {
  /** Undefined if it is off. */
  readonly port: number | undefined
  readonly httpsPort: number | undefined
  readonly dnsPort: number | undefined
}

/** How the processes of a server share its ports. */
export const PORT_SHARING: InjectionToken<Sharing> = Symbol('PortSharing')

/** Ends together with the requests in flight: the workers of a main process. */
export const ENDS_WITH_REQUESTS: InjectionToken<() => Promise<void>> = Symbol('EndsWithRequests')

@scoped(Lifecycle.ContainerScoped)
export class Listeners {
  #ports: ServerPorts = { port: undefined, httpsPort: undefined, dnsPort: undefined }

  constructor(
    private readonly server: HttpServer,
    @inject(DNS_SERVER, { isOptional: true }) private readonly dns: DnsServer | undefined,
    @inject(PORT_SHARING) private readonly sharing: Sharing
  ) {}

  /** The ports after the start. */
  get ports(): ServerPorts {
    return this.#ports
  }

  /** @throws ListenError */
  async start(): Promise<void> {
    const ports = await this.server.listen(this.sharing)
    this.#ports = { ...ports, dnsPort: await this.dns?.listen(this.sharing) }
  }
}

@scoped(Lifecycle.ContainerScoped)
export class RequestDrain {
  constructor(
    private readonly closing: ShutdownSignal,
    private readonly views: Views,
    private readonly streams: EventStreams,
    private readonly restores: SnapshotRestores,
    private readonly processes: LeaderProcesses,
    private readonly server: HttpServer,
    @inject(DNS_SERVER, { isOptional: true }) private readonly dns: DnsServer | undefined,
    @inject(ENDS_WITH_REQUESTS, { isOptional: true })
    private readonly endOthers: (() => Promise<void>) | undefined
  ) {}

  /** Resolves after the requests in flight. */
  async stop(): Promise<void> {
    this.closing.begin()
    // Woken blocking queries notice the shutdown.
    this.views.watch.touchAll()
    const ended = [this.streams.close(), this.restores.stop()]
    // Waits for a cursor end immediately.
    this.processes.end()
    await Promise.all([...ended, this.server.close(), this.dns?.close(), this.endOthers?.()])
  }
}

export const clusterCertificates = component([ClusterCertificates], {
  start: certificates => certificates.open(),
  stop: certificates => certificates.close()
})

/** Its certificates are read before the server leads. */
export const httpServer = component([HttpServer], { start: server => server.open() })

/** @param needs what requests in flight need until their end */
export const requestDrain = (needs: Component['needs']): Component =>
  component([RequestDrain], {
    needs: [Committer, Deadlines, DenialLog, HttpServer, ServerMetrics, ...needs],
    stop: drain => drain.stop()
  })

/** @param needs what requests need beyond the drain */
export const listeners = (needs: Component['needs']): Component =>
  component([Listeners], { needs: [RequestDrain, ...needs], start: all => all.start() })

const erasures = component(
  [
    ErasureProcess,
    ServerSnapshots,
    Views,
    EventStreams,
    ErasureTargetsBesideLog,
    AccessUsageStore,
    SETTINGS,
    OWN_LOG,
    LOGGER
  ],
  {
    needs: [Committer, Deadlines, ServerSnapshots],
    start: (process, writer, views, streams, targets, usage, settings, log, logger) =>
      process.start({
        secretsAfter: settings.erasure.secrets_after,
        supersede: (index, needsBase) => writer.supersede(views, index, needsBase),
        ...targets.host,
        eraseElsewhere: async orders => {
          await targets.host.eraseElsewhere(orders)
          for (const { erasure } of orders) await usage.erase(erasure)
        },
        onErased: () => streams.forget(),
        onFailure: error =>
          logger.error({ err: error }, 'an erasure failed: its contents are still in the files of the log'),
        files: () => logFileStampsIn(logFolder(settings.data_dir)),
        checkpoint: new ErasureCheckpointFile(settings.data_dir, () =>
          // A log in memory has no folder.
          existsSync(logFolder(settings.data_dir)) ? log.identity : undefined
        )
      }),
    stop: (process, writer) => {
      // It may be waiting for another server's base snapshot.
      writer.stop()
      return process.stop()
    }
  }
)

const impacts = component([ImpactThread], { stop: thread => thread.close() })

/** They stop before the streams that they read. */
const webhooks = component([Webhooks], { needs: [RequestDrain], stop: all => all.stop() })

/** @param isLeader whether this server leads without an election */
const leaderProcesses = (isLeader: boolean, needs: Component['needs'] = []): Component =>
  component([LeaderProcesses, every(LEADER_PROCESS)], {
    needs: [RequestDrain, Webhooks, ...needs],
    start: (processes, all) => {
      for (const process of all) processes.whileLeading(process)
      return isLeader ? processes.begin() : undefined
    }
  })

const reloads = component([Reload, LOGGER, LogLines, AgentTokens, InitialResources, ActorSystem], {
  needs: [Destinations, Listeners],
  start: (reload, logger, lines, tokens, seed, system) => {
    reloadLogLevel(reload, logger, lines)
    reloadTokens(reload, tokens, seed, system)
  }
})

/** The components of the capabilities that the settings switch on. */
export interface OptionalComponents {
  readonly tracing?: readonly Component[] | undefined
  readonly datacenters?: readonly Component[] | undefined
  readonly workers?: readonly Component[] | undefined
}

export interface MemberComponents {
  /** Stops after everything but the log. */
  readonly sharedLog: Component
  readonly dependencies: Component
  readonly membership: Component
}

/** What a main process runs before it leads. The list decides the order of components that do not need each other. */
const foundation = (
  settings: Settings,
  { tracing = [], datacenters = [] }: OptionalComponents,
  shared: readonly Component[] = []
): readonly Component[] => [
  ownLog,
  ...shared,
  ...tracing,
  evidence,
  readModels([LogEvidence]),
  destinations,
  outgoingCertificates,
  ...datacenters,
  component([GuardedClient], { needs: [Destinations, OutgoingCertificates], stop: client => client.close() }),
  exposures,
  deadlines,
  clockWatch,
  witnesses,
  checkRunners,
  cursorReports,
  responseErasure,
  ...(existsSync(logFolder(settings.data_dir)) ? [tokenUses] : []),
  accessUsage(existsSync(logFolder(settings.data_dir))),
  logins,
  metrics,
  snapshots,
  erasures,
  denials,
  httpServer,
  impacts,
  requestDrain([
    CheckRunners,
    ErasureProcess,
    GuardedClient,
    ImpactThread,
    LogWitnesses,
    Logins,
    ServerSnapshots
  ])
]

/** A server without a cluster leads before it listens. */
export const standaloneComponents = (
  settings: Settings,
  more: OptionalComponents = {}
): readonly Component[] => [
  ...foundation(settings, more),
  webhooks,
  leaderProcesses(true),
  listeners([LeaderProcesses]),
  ...(more.workers ?? []),
  reloads
]

/** A replica follows its source after it listens. */
export const replicaComponents = (
  settings: Settings,
  { tokens, following }: { readonly tokens: readonly Component[]; readonly following: Component },
  more: OptionalComponents = {}
): readonly Component[] => [
  ...foundation(settings, more),
  ...tokens,
  webhooks,
  leaderProcesses(false),
  listeners([LeaderProcesses]),
  following,
  reloads
]

/** A member of a cluster joins it after it listens. */
export const memberComponents = (
  settings: Settings,
  { sharedLog, dependencies, membership }: MemberComponents,
  more: OptionalComponents = {}
): readonly Component[] => [
  ...foundation(settings, more, [clusterCertificates, sharedLog]),
  dependencies,
  webhooks,
  leaderProcesses(false, [dependencies.token]),
  listeners([LeaderProcesses]),
  membership,
  ...(more.workers ?? []),
  reloads
]
