// Registers what a server needs to work with the other datacenters. Loaded only if the settings name some.
import { type DependencyContainer, Lifecycle, scoped, inject } from 'tsyringe'
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
import { component, type Component } from '../../component.js'
import { OutgoingCertificates } from '../../outgoing.js'
import { Reload } from '../../settings/reload.js'
import { LiveSettings, type Settings } from '../../settings/settings.js'
import { USAGE_DATACENTERS } from '../../../http/wire/collected-usage.js'
import { DatacenterUsage } from './datacenter-usage.js'
import { DATACENTER_ROUTING } from '../../../http/wire/datacenter-routing.js'
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
import { MORE_ROUTES } from '../../../http/wire/route.js'
import { REMOTE_TOKEN_RESOLUTION } from '../../../http/wire/remote-token-resolution.js'
import { PrimaryTokens, TOKEN_AUTHORITY } from './primary-tokens.js'
import { RemoteTokenCache } from './remote-token-cache.js'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Logger } from 'pino'
import { Clock, Timers } from '../../../actors/clock.js'
import { AgentTokens } from '../../settings/agent-tokens.js'
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
        'datacenter.unreachable',
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

/** The certificates and connections to other datacenters. The set of datacenters changes only with a restart. */
@scoped(Lifecycle.ContainerScoped)
class DatacenterConnections {
  #certificates: readonly LiveMaterial[] = []

  constructor(
    private readonly requests: DatacenterRequests,
    readonly live: LiveSettings,
    readonly reload: Reload,
    @inject(LOGGER) readonly logger: Logger,
    @inject(SETTINGS) private readonly settings: Settings
  ) {}

  /** @throws SettingsError for unusable certificates */
  start(): void {
    const { datacenters } = this.settings
    for (const remote of this.requests.remotes) {
      const side = { path: `datacenters.${remote.name}`, files: () => datacenters[remote.name] ?? {} }
      const material = new LiveMaterial(this, side, current => remote.useCertificates(current))
      this.#certificates = [...this.#certificates, material]
    }
  }

  stop(): void {
    for (const { connections } of this.requests.remotes) connections.close()
    for (const material of this.#certificates) material.close()
  }
}

const isInPrimary = (settings: Settings): boolean => remotePrimary(settings) === undefined
/** Outside the primary datacenter, tokens are requested there unless they are replicated. */
const requestsTokens = (settings: Settings): boolean =>
  !isInPrimary(settings) && !settings.acl.enable_token_replication

/** Routes requests to other datacenters, and answers theirs. */
export const registerDatacenters = (scope: DependencyContainer, settings: Settings): void => {
  if (isInPrimary(settings)) scope.registerInstance(MORE_ROUTES, internalTokenRoutes)
  if (requestsTokens(settings)) {
    scope.register(TOKEN_AUTHORITY, { useToken: PrimaryTokens })
    scope.register(REMOTE_TOKEN_RESOLUTION, { useToken: RemoteTokenCache })
  }
  scope.register(DATACENTERS, { useToken: RemoteQueries })
  scope.register(DATACENTER_LIST, { useToken: RoundTrips })
  scope.register(REMOTE_LOOKUPS, { useToken: RemoteNames })
  scope.register(DATACENTER_ROUTING, { useToken: DatacenterForwarding })
  scope.register(FEDERATION, { useToken: FederationStates })
  scope.register(USAGE_DATACENTERS, { useToken: DatacenterUsage })
}

export const datacenterComponents = (settings: Settings): readonly Component[] => [
  ...(requestsTokens(settings)
    ? [
        component([RemoteTokenCache, Views], {
          start: (tokens, { resolver }) => resolver.lookElsewhere(tokens)
        })
      ]
    : []),
  component([DatacenterConnections], {
    needs: [OutgoingCertificates],
    start: connections => connections.start(),
    stop: connections => connections.stop()
  }),
  component([RoundTrips], {
    needs: [DatacenterConnections],
    start: trips => trips.start(),
    stop: trips => trips.stop()
  }),
  component([FederationStates], {
    needs: [DatacenterConnections],
    start: states => states.start(),
    stop: states => states.stop()
  })
]
