// The routing of a worker: it answers itself once it is current, or forwards to the main process.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import type { AnswerLocation } from '../../../http/wire/request-routing.js'
import { runsOf, type Route } from '../../../http/wire/route.js'
import { ClusterCertificates } from '../../../http/wire/tls/cluster-certificates.js'
import { SETTINGS } from '../../settings/ports.js'
import { clusterSecret, type Settings } from '../../settings/settings.js'
import { ServerProofs } from '../members/server-proof.js'
import { WorkerPort } from './worker-port.js'
import { acceptsStale, answerOnceTokenIsKnown, dnsAcceptsStale, Forwarding } from '../members/forwarding.js'
import type { RoutingPolicy } from '../members/request-router.js'

/** Returns true for requests that only the main process answers. */
const isForMain = (route: Route, request: RequestContext): boolean => {
  const { query } = request
  const isOfPast = !query.isEmpty && (query.has('at') || query.has('diff'))
  return isOfPast || route.process === 'main' || runsOf(route, request) !== 'anywhere'
}

@scoped(Lifecycle.ContainerScoped)
export class WorkerPolicy implements RoutingPolicy {
  readonly notNewest = 'This worker cannot prove that its state is current: try again, or ask with ?stale'
  /** In a cluster, other servers may connect to a worker instead of the main process. */
  readonly servers: ServerProofs | undefined

  constructor(
    readonly port: WorkerPort,
    readonly forwarding: Forwarding,
    clock: Clock,
    @inject(SETTINGS) private readonly settings: Settings,
    certificates: ClusterCertificates
  ) {
    if (port.isInCluster) this.servers = new ServerProofs(clusterSecret(settings), clock, certificates)
  }

  get acceptsStaleDns(): boolean {
    return this.port.isInCluster && dnsAcceptsStale(this.settings, this.port.lastContact())
  }

  locationOf(
    route: Route,
    request: RequestContext,
    untilNewest: () => Promise<void>
  ): AnswerLocation | Promise<AnswerLocation> {
    if (isForMain(route, request) || request.sender) return 'leader'
    if (this.port.role() !== 'following') return 'leader'
    if (this.port.mayAnswer()) return 'here'
    if (acceptsStale(request, this.port.lastContact()))
      return answerOnceTokenIsKnown(route, request, untilNewest)
    return untilNewest().then(() => 'here')
  }
}
