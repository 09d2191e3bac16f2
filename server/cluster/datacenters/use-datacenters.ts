// Has a server know the other datacenters that its settings name. Nothing of this is loaded where they name none.
import { instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { ELSEWHERE } from '../../dns/elsewhere.js'
import { FEDERATION } from '../../../http/routes/internal/federation.js'
import { DATACENTERS, LOGGER, SETTINGS } from '../../settings/ports.js'
import { WIDE_AREA } from '../../../http/routes/catalog/wide-area.js'
import type { Closers } from '../../closers.js'
import { Reload } from '../../settings/reload.js'
import { LiveSettings } from '../../settings/live-settings.js'
import { IN_DATACENTERS, type InDatacenters } from '../../../http/wire/in-datacenters.js'
import { LiveMaterial } from '../../../http/wire/tls/live-material.js'
import { DatacenterForwarding } from './datacenter-forwarding.js'
import { DatacenterRequests } from './datacenter-requests.js'
import { FederationStates } from './federation-states.js'
import { RemoteNames } from './remote-names.js'
import { RemoteQueries } from './remote-queries.js'
import { RoundTrips } from './round-trips.js'
import { useTokensElsewhere } from './use-tokens-elsewhere.js'

/**
 * Has requests sent to the other datacenters where they belong, and keeps the certificates for each as its files have them. To be
 * called before anything listens. @throws SettingsError when they cannot be used
 */
export const beginDatacenters = (scope: DependencyContainer, closers: Closers): void => {
  useTokensElsewhere(scope)
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
  scope.registerInstance(WIDE_AREA, trips)
  scope.registerInstance(ELSEWHERE, scope.resolve(RemoteNames))
  scope.register(IN_DATACENTERS, {
    useFactory: instanceCachingFactory<InDatacenters>(made => made.resolve(DatacenterForwarding))
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
