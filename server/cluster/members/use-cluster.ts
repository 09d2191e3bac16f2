// Has the parts of a server ask the cluster that it is one of.
import { instanceCachingFactory, type DependencyContainer, type InjectionToken } from 'tsyringe'
import { ASK_FINDING, type AskFinding } from '../../../actors/ports.js'
import { BESIDE_LOG, EVENT_LOG, LOG_FILES, LOGGER } from '../../settings/ports.js'
import { findingRoutes } from '../../../http/routes/internal/findings.js'
import { internalLogRoutes } from '../../../http/routes/internal/log.js'
import { reachRoutes, type CallBack } from '../../../http/routes/internal/reach.js'
import { internalRestoreRoutes } from '../../../http/routes/internal/restores.js'
import { Saving } from '../../../http/routes/snapshot/saving.js'
import { WHO_ANSWERS, type WhoAnswers } from '../../../http/wire/who-answers.js'
import { CLUSTER_ROUTES } from '../../../http/wire/route.js'
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import { ClusterRequests } from './cluster-requests.js'
import { Findings } from './findings.js'
import { internalRestores } from './restores.js'

/** Registered where a process takes part in the cluster. */
export const CALL_BACK: InjectionToken<CallBack> = Symbol('CallBack')

/** Has the requests of a server answered as one of a cluster. To be called before anything listens. */
export const useCluster = (scope: DependencyContainer, cluster: ClusterPort): void => {
  scope.registerInstance(CLUSTER, cluster)
  scope.register(WHO_ANSWERS, {
    useFactory: instanceCachingFactory<WhoAnswers>(made => made.resolve(ClusterRequests))
  })
  useClusterRoutes(scope)
  scope.register<AskFinding>(ASK_FINDING, {
    useFactory: instanceCachingFactory<AskFinding>(made => {
      const findings = made.resolve(Findings)
      return command => findings.ask(command)
    })
  })
}

/** Has a server know what other servers of its cluster ask it. */
export const useClusterRoutes = (scope: DependencyContainer): void => {
  scope.register(CLUSTER_ROUTES, {
    useFactory: instanceCachingFactory(made => [
      ...internalLogRoutes({
        log: made.resolve(EVENT_LOG),
        files: made.isRegistered(LOG_FILES) ? made.resolve(LOG_FILES) : undefined,
        beside: made.isRegistered(BESIDE_LOG) ? made.resolve(BESIDE_LOG) : undefined,
        saving: made.resolve(Saving),
        logger: made.resolve(LOGGER)
      }),
      ...findingRoutes,
      ...reachRoutes(() => made.resolve(CALL_BACK)),
      ...internalRestoreRoutes(() => internalRestores(made))
    ])
  })
}
