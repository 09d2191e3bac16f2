// Routes the requests of a cluster member: it answers itself once it is up to date, or forwards to the leader.
import type { IncomingMessage } from 'node:http'
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { notLeader, Refusal } from '../../../actors/refusal.js'
import { SETTINGS } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import { otherServer } from '../../../http/wire/contact.js'
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
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import { Forwarding, dnsAcceptsStale, acceptsStale, answerOnceTokenIsKnown } from './forwarding.js'
import { ServerProofs } from './server-proof.js'

const notNewest = (): Refusal =>
  new Refusal(
    'cluster.unavailable',
    'No cluster leader: the server cannot prove that its state is current; ask with ?stale, or try again later'
  )

/** Verifies proofs with the secret of this server's workers. Registered only if it has some. */
export const WORKER_PROOFS: InjectionToken<ServerProofs> = Symbol('WorkerProofs')

@scoped(Lifecycle.ContainerScoped)
export class ClusterRequests implements RequestRouting {
  readonly #senders: ServerProofs

  constructor(
    @inject(CLUSTER) private readonly cluster: ClusterPort,
    private readonly committer: Committer,
    private readonly clock: Clock,
    private readonly forwarding: Forwarding,
    @inject(SETTINGS) private readonly settings: Settings,
    certificates: ClusterCertificates,
    @inject(WORKER_PROOFS, { isOptional: true }) private readonly workers: ServerProofs | undefined
  ) {
    this.#senders = new ServerProofs(cluster.secret, clock, certificates)
  }

  get deadline(): number {
    return this.clock.elapsed() + this.cluster.hold
  }

  senderFault(request: IncomingMessage): SenderFault | undefined {
    // A request of a worker counts as one of the original sender.
    if (this.workers && this.workers.faultOf(request) === undefined) return undefined
    return this.#senders.faultOf(request)
  }

  senderOf(request: IncomingMessage): Forwarded | undefined {
    return this.workers?.of(request) ?? this.#senders.of(request)
  }

  locationOf(route: Route, request: RequestContext): AnswerLocation | Promise<AnswerLocation> {
    const runs = runsOf(route, request)
    const role = this.cluster.role()
    const ofThisServer = (): AnswerLocation | Promise<AnswerLocation> =>
      role === 'following' || role === 'joining'
        ? answerOnceTokenIsKnown(route, request, () => this.untilNewest())
        : 'here'
    if (runs === 'here') return ofThisServer()
    const isLeading = role === 'leading'
    // A request is forwarded at most once: the forwarding server finds the new leader.
    if (!isLeading && otherServer(request.sender, this.settings.node_id)) throw notLeader()
    if (runs === 'leader') return isLeading ? 'here' : 'leader'
    if (!isLeading && (role !== 'following' || !this.committer.isReadable)) return 'leader'
    if (isLeading && this.cluster.mayAnswer() && !request.query.has('consistent')) return 'leased'
    if (acceptsStale(request, this.cluster.lastContact())) return ofThisServer()
    return this.untilNewest().then(() => 'here')
  }

  isLeading(): boolean {
    return this.cluster.mayAnswer()
  }

  async untilNewest(): Promise<void> {
    try {
      await this.cluster.fence()
    } catch {
      throw notNewest()
    }
  }

  forward(asked: LeaderRequest): Promise<number | 'here'> {
    return this.forwarding.forward(asked)
  }

  tunnel(asked: LeaderSocketRequest): Promise<number | 'here'> {
    return this.forwarding.tunnel(asked)
  }

  contact(): PeerContact {
    const lastContact = this.cluster.lastContact()
    const isLeaderKnown = this.cluster.leader() !== undefined && lastContact <= this.cluster.maxStale
    return { isLeaderKnown, lastContact }
  }

  /** Each server has its own metrics. Workers count the requests that they forward. */
  isCountedBySender(request: IncomingMessage): boolean {
    return this.workers?.of(request) !== undefined
  }

  forDns(): Promise<void> | undefined {
    const isRecent = dnsAcceptsStale(this.settings, this.cluster.lastContact())
    return isRecent || this.cluster.mayAnswer() ? undefined : this.untilNewest()
  }
}
