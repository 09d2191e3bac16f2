// Registers what a server needs to work with the other datacenters. Loaded only if the settings name some.
import { instanceCachingFactory, type DependencyContainer, Lifecycle, scoped, inject } from 'tsyringe'
import { REMOTE_LOOKUPS } from '../../dns/remote-lookups.js'
import {
  FEDERATION,
  FEDERATION_KEY,
  type Federation,
  type FederationState,
  FEDERATION_STATE
} from '../../../http/routes/internal/federation-states.js'
import { DATACENTERS, LOGGER, SETTINGS } from '../../settings/ports.js'
import { DATACENTER_LIST } from '../../../http/routes/catalog/datacenter-list.js'
import type { Closers } from '../../closers.js'
import { Reload } from '../../settings/reload.js'
import { LiveSettings } from '../../settings/live-settings.js'
import { DATACENTER_ROUTING, type DatacenterRouting } from '../../../http/wire/datacenter-routing.js'
import { LiveMaterial } from '../../../http/wire/tls/material.js'
import { DatacenterForwarding } from './datacenter-forwarding.js'
import { DatacenterRequests } from './datacenter-requests.js'
import { RemoteNames } from './remote-names.js'
import { RoundTrips } from './round-trips.js'
import { Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { Datacenters, RemoteRun } from '../../../projections/queries/execute.js'
import type { Instance } from '../../../projections/queries/instance.js'
import { INTERNAL_QUERY } from '../../../http/routes/internal/datacenter.js'
import { RemoteJsonRequests, type RemoteJsonRequest } from './remote-json-requests.js'
import { instancesIn, remoteInstance } from './remote-instances.js'
import { Views } from '../../../projections/read-models.js'
import { internalTokenRoutes } from '../../../http/routes/internal/acl-token.js'
import { remotePrimary } from '../../settings/datacenters.js'
import { DATACENTER_ROUTES } from '../../../http/wire/route.js'
import { REMOTE_TOKEN_RESOLUTION } from '../../../http/wire/remote-token-resolution.js'
import { RemoteTokenCache } from './remote-token-cache.js'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Logger } from 'pino'
import { Clock } from '../../../actors/clock.js'
import { Timers } from '../../../actors/timers.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
import type { Settings } from '../../settings/settings.js'
import { DatacenterPoller } from './datacenter-poller.js'

/** The answer of another datacenter about its mesh gateways. */
const stateAnswer = Compile(
  Type.Object({
    State: Type.Object({
      Datacenter: Type.String(),
      MeshGateways: Type.Array(remoteInstance),
      ModifyIndex: Type.Integer()
    })
  })
)

@scoped(Lifecycle.ContainerScoped)
class FederationStates implements Federation {
  readonly #states = new Map<string, FederationState>()
  readonly #poller: DatacenterPoller

  constructor(
    @inject(SETTINGS) { datacenters }: Settings,
    private readonly answers: RemoteJsonRequests,
    private readonly agentTokens: AgentTokens,
    private readonly views: Views,
    private readonly clock: Clock,
    timers: Timers,
    @inject(LOGGER) logger: Logger
  ) {
    this.#poller = new DatacenterPoller(Object.keys(datacenters), timers, {
      ask: name => this.#ask(name),
      onSilent: (datacenter, why) =>
        logger.info({ ...why, datacenter }, 'a datacenter does not report its mesh gateways'),
      onBack: datacenter => logger.info({ datacenter }, 'a datacenter reports its mesh gateways again')
    })
  }

  start(): void {
    this.#poller.start()
  }

  stop(): void {
    this.#poller.stop()
  }

  others(): readonly FederationState[] {
    return [...this.#states.values()]
  }

  /** A datacenter that does not answer keeps its last known gateways. */
  async #ask(name: string): Promise<void> {
    const secret = this.agentTokens.secretFor(name) ?? this.agentTokens.fallback
    const url = `${FEDERATION_STATE}/${encodeURIComponent(name)}`
    this.#take(name, await this.answers.ask(name, { url, secret }))
  }

  #take(name: string, answer: unknown): void {
    if (!stateAnswer.Check(answer)) throw new Error('another datacenter sent an invalid federation state')
    const { MeshGateways, ModifyIndex: modifyIndex } = answer.State
    const gateways = MeshGateways.map(one => ({
      node: one.Node.Node,
      service: one.Service.Service,
      json: JSON.stringify(one)
    }))
    const known = this.#states.get(name)
    if (known && JSON.stringify(known.gateways) === JSON.stringify(gateways)) return
    const updatedAt = new Date(this.clock.now()).toISOString()
    this.#states.set(name, { datacenter: name, gateways, updatedAt, modifyIndex })
    this.views.watch.touch(FEDERATION_KEY)
  }
}

/** In the primary datacenter, serves token resolutions. Elsewhere, requests them unless tokens are replicated. Must precede the routes. */
const registerTokenResolution = (scope: DependencyContainer): void => {
  const settings = scope.resolve(SETTINGS)
  if (remotePrimary(settings) === undefined) scope.registerInstance(DATACENTER_ROUTES, internalTokenRoutes)
  else if (!settings.acl.enable_token_replication) {
    const tokens = scope.resolve(RemoteTokenCache)
    scope.registerInstance(REMOTE_TOKEN_RESOLUTION, tokens)
    scope.resolve(Views).resolver.lookElsewhere(tokens)
  }
}

/** Runs failover queries in other datacenters, nearest first (spec: queries.md §6.4). */
@scoped(Lifecycle.ContainerScoped)
class RemoteQueries implements Datacenters {
  constructor(
    private readonly answers: RemoteJsonRequests,
    private readonly trips: RoundTrips
  ) {}

  nearest(): readonly string[] {
    return this.trips.nearest()
  }

  async run(
    datacenter: string,
    { service, connect, limit, secret }: RemoteRun
  ): Promise<readonly Instance[]> {
    // Another attempt could take as long as the one that failed.
    if (this.trips.isUnresponsive(datacenter))
      throw new Refusal(
        'unreachable',
        `No path to datacenter: "${datacenter}" did not answer, and no probe has succeeded since`
      )
    // The remote datacenter neither fails over nor has the node that `Near` names.
    const { Failover: _here, Near: _also, ...Service } = service
    const body = { Query: { Service }, Connect: connect, Limit: limit }
    const answered = await this.#ask(datacenter, { url: INTERNAL_QUERY, secret, body })
    const namespace = service.Namespace?.toLowerCase() || DEFAULT_TENANCY.namespace
    return instancesIn(answered, { ...DEFAULT_TENANCY, namespace })
  }

  async #ask(datacenter: string, question: RemoteJsonRequest): Promise<unknown> {
    try {
      return await this.answers.ask(datacenter, question)
    } catch (error) {
      if (error instanceof Refusal) this.trips.noteUnresponsive(datacenter)
      throw error
    }
  }
}

/** Routes requests to other datacenters and reloads their certificates. Call it before listening. @throws SettingsError for unusable certificates */
export const registerDatacenters = (scope: DependencyContainer, closers: Closers): void => {
  registerTokenResolution(scope)
  const requests = scope.resolve(DatacenterRequests)
  const services = {
    live: scope.resolve(LiveSettings),
    reload: scope.resolve(Reload),
    logger: scope.resolve(LOGGER)
  }
  // The set of datacenters changes only with a restart.
  const { datacenters } = scope.resolve(SETTINGS)
  for (const remote of requests.remotes) {
    const side = { path: `datacenters.${remote.name}`, files: () => datacenters[remote.name] ?? {} }
    const certificates = new LiveMaterial(services, side, material => remote.useCertificates(material))
    closers.add(() => certificates.close())
  }
  const trips = scope.resolve(RoundTrips)
  scope.registerInstance(DATACENTERS, scope.resolve(RemoteQueries))
  scope.registerInstance(DATACENTER_LIST, trips)
  scope.registerInstance(REMOTE_LOOKUPS, scope.resolve(RemoteNames))
  scope.register(DATACENTER_ROUTING, {
    useFactory: instanceCachingFactory<DatacenterRouting>(container =>
      container.resolve(DatacenterForwarding)
    )
  })
  closers.add(() => {
    for (const { connections } of requests.remotes) connections.close()
  })
  const federation = scope.resolve(FederationStates)
  scope.registerInstance(FEDERATION, federation)
  for (const service of [trips, federation]) {
    closers.add(() => service.stop())
    service.start()
  }
}
