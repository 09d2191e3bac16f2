// Routes the requests of a worker: it answers itself once it is current, or forwards to the main process.
import type { IncomingMessage } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'
import { Clock } from '../../../actors/clock.js'
import { Forwarding, dnsAcceptsStale, acceptsStale, answerOnceTokenIsKnown } from '../members/forwarding.js'
import { ServerProofs } from '../members/server-proof.js'
import { SETTINGS } from '../../settings/ports.js'
import { clusterSecret, type Settings } from '../../settings/settings.js'
import type { PeerContact, Forwarded, SenderFault } from '../../../http/wire/contact.js'
import type {
  LeaderRequest,
  LeaderSocketRequest,
  RequestRouting,
  AnswerLocation
} from '../../../http/wire/request-routing.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import { runsOf, type Route } from '../../../http/wire/route.js'
import { ClusterCertificates } from '../../../http/wire/tls/cluster-certificates.js'
import { WorkerPort } from './worker-port.js'

/** Returns true for requests that only the main process answers. */
const isForMain = (route: Route, request: RequestContext): boolean => {
  const { query } = request
  const isOfPast = !query.isEmpty && (query.has('at') || query.has('diff'))
  return isOfPast || route.process === 'main' || runsOf(route, request) !== 'anywhere'
}

@scoped(Lifecycle.ContainerScoped)
export class WorkerRequests implements RequestRouting {
  /** In a cluster, other servers may connect to a worker instead of the main process. */
  readonly #servers: ServerProofs | undefined

  constructor(
    private readonly main: WorkerPort,
    private readonly forwarding: Forwarding,
    private readonly clock: Clock,
    @inject(SETTINGS) private readonly settings: Settings,
    certificates: ClusterCertificates
  ) {
    const { enabled } = settings.cluster
    if (enabled) this.#servers = new ServerProofs(clusterSecret(settings), clock, certificates)
  }

  get deadline(): number {
    return this.clock.elapsed() + this.main.hold
  }

  senderFault(request: IncomingMessage): SenderFault | undefined {
    return this.#servers?.faultOf(request)
  }

  senderOf(request: IncomingMessage): Forwarded | undefined {
    return this.#servers?.of(request)
  }

  locationOf(route: Route, request: RequestContext): AnswerLocation | Promise<AnswerLocation> {
    if (isForMain(route, request) || request.sender) return 'leader'
    if (this.main.role() !== 'following') return 'leader'
    if (this.main.mayAnswer()) return 'here'
    if (acceptsStale(request, this.main.lastContact()))
      return answerOnceTokenIsKnown(route, request, () => this.untilNewest())
    return this.untilNewest().then(() => 'here')
  }

  isLeading(): boolean {
    return this.main.mayAnswer()
  }

  async untilNewest(): Promise<void> {
    try {
      await this.main.fence()
    } catch {
      throw new Refusal(
        'cluster.unavailable',
        'This worker cannot prove that its state is current: try again, or ask with ?stale'
      )
    }
  }

  forward(asked: LeaderRequest): Promise<number | 'here'> {
    return this.forwarding.forward(asked)
  }

  tunnel(asked: LeaderSocketRequest): Promise<number | 'here'> {
    return this.forwarding.tunnel(asked)
  }

  contact(): PeerContact {
    const { isLeaderKnown } = this.main
    return { isLeaderKnown, lastContact: this.main.lastContact() }
  }

  isCountedBySender(): boolean {
    return false
  }

  forDns(): Promise<void> | undefined {
    const isRecent = this.main.isInCluster && dnsAcceptsStale(this.settings, this.main.lastContact())
    return isRecent || this.main.mayAnswer() ? undefined : this.untilNewest()
  }
}
