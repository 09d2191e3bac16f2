// Has a server know the other datacenters that its settings name. Nothing of this is loaded where they name none.
import { instanceCachingFactory, type DependencyContainer, Lifecycle, scoped } from 'tsyringe'
import { REMOTE_LOOKUPS } from '../../dns/remote-lookups.js'
import { FEDERATION } from '../../../http/routes/internal/federation.js'
import { DATACENTERS, LOGGER, SETTINGS } from '../../settings/ports.js'
import { DATACENTER_LIST } from '../../../http/routes/catalog/datacenter-list.js'
import type { Closers } from '../../closers.js'
import { Reload } from '../../settings/reload.js'
import { LiveSettings } from '../../settings/live-settings.js'
import { DATACENTER_ROUTING, type DatacenterRouting } from '../../../http/wire/datacenter-routing.js'
import { LiveMaterial } from '../../../http/wire/tls/live-material.js'
import { DatacenterForwarding } from './datacenter-forwarding.js'
import { DatacenterRequests } from './datacenter-requests.js'
import { FederationStates } from './federation-states.js'
import { RemoteNames } from './remote-names.js'
import { RoundTrips } from './round-trips.js'
import { Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { Datacenters, RemoteRun } from '../../../projections/queries/failover.js'
import type { Instance } from '../../../projections/queries/instance.js'
import { INTERNAL_QUERY } from '../../../http/routes/internal/query.js'
import { RemoteJsonRequests, type RemoteJsonRequest } from './remote-json-requests.js'
import { instancesIn } from './remote-instances.js'
import { Views } from '../../../projections/read-models.js'
import { internalTokenRoutes } from '../../../http/routes/internal/acl-token.js'
import { remotePrimary } from '../../settings/datacenters.js'
import { DATACENTER_ROUTES } from '../../../http/wire/route.js'
import { REMOTE_TOKEN_RESOLUTION } from '../../../http/wire/remote-token-resolution.js'
import { RemoteTokenCache } from './remote-token-cache.js'

/** Has the primary tell of its tokens, and others ask it that do not replicate them. To be called before the routes are made. */
const registerTokenResolution = (scope: DependencyContainer): void => {
  const settings = scope.resolve(SETTINGS)
  if (remotePrimary(settings) === undefined) scope.registerInstance(DATACENTER_ROUTES, internalTokenRoutes)
  else if (!settings.acl.enable_token_replication) {
    const tokens = scope.resolve(RemoteTokenCache)
    scope.registerInstance(REMOTE_TOKEN_RESOLUTION, tokens)
    scope.resolve(Views).resolver.lookElsewhere(tokens)
  }
}

/** Queries that fail over: which datacenters there are, nearest first, and what they find (spec: queries.md §6.4). */
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
    // The attempt could take as long again as the one before.
    if (this.trips.isUnresponsive(datacenter))
      throw new Refusal(
        'unreachable',
        `No path to datacenter: "${datacenter}" did not answer, and no probe has succeeded since`
      )
    // Neither fails over from there, nor is a node there that `Near` could mean.
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

/**
 * Has requests sent to the other datacenters where they belong, and keeps the certificates for each as its files have them. To be
 * called before anything listens. @throws SettingsError when they cannot be used
 */
export const registerDatacenters = (scope: DependencyContainer, closers: Closers): void => {
  registerTokenResolution(scope)
  const requests = scope.resolve(DatacenterRequests)
  const services = {
    live: scope.resolve(LiveSettings),
    reload: scope.resolve(Reload),
    logger: scope.resolve(LOGGER)
  }
  // Which datacenters there are changes only with a restart.
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
    useFactory: instanceCachingFactory<DatacenterRouting>(made => made.resolve(DatacenterForwarding))
  })
  closers.add(() => {
    for (const { connections } of requests.remotes) connections.close()
  })
  const federation = scope.resolve(FederationStates)
  scope.registerInstance(FEDERATION, federation)
  for (const part of [trips, federation]) {
    closers.add(() => part.stop())
    part.start()
  }
}
