// The routing of a cluster member: it answers itself once it is up to date, or forwards to the leader.
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { notLeader } from '../../../actors/refusal.js'
import { otherServer } from '../../../http/wire/contact.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import type { AnswerLocation } from '../../../http/wire/request-routing.js'
import { isRead, runsOf, type Route } from '../../../http/wire/route.js'
import { ClusterCertificates } from '../../../http/wire/tls/cluster-certificates.js'
import { SETTINGS } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import { ServerProofs } from './server-proof.js'
import { acceptsStale, answerOnceTokenIsKnown, dnsAcceptsStale, Forwarding } from './forwarding.js'
import type { RoutingPolicy } from './request-router.js'

/** Verifies proofs with the secret of this server's workers. Registered only if it has some. */
export const WORKER_PROOFS: InjectionToken<ServerProofs> = Symbol('WorkerProofs')

@scoped(Lifecycle.ContainerScoped)
export class MemberPolicy implements RoutingPolicy {
  readonly notNewest =
    'No cluster leader: the server cannot prove that its state is current; ask with ?stale, or try again later'
  readonly servers: ServerProofs

  constructor(
    @inject(CLUSTER) readonly port: ClusterPort,
    private readonly committer: Committer,
    clock: Clock,
    readonly forwarding: Forwarding,
    @inject(SETTINGS) private readonly settings: Settings,
    certificates: ClusterCertificates,
    @inject(WORKER_PROOFS, { isOptional: true }) readonly workers: ServerProofs | undefined
  ) {
    this.servers = new ServerProofs(port.secret, clock, certificates)
  }

  get acceptsStaleDns(): boolean {
    return dnsAcceptsStale(this.settings, this.port.lastContact())
  }

  locationOf(
    route: Route,
    request: RequestContext,
    untilNewest: () => Promise<'here'>
  ): AnswerLocation | Promise<AnswerLocation> {
    const runs = runsOf(route, request)
    const role = this.port.role()
    const ofThisServer = (): AnswerLocation | Promise<AnswerLocation> =>
      role === 'following' || role === 'joining'
        ? answerOnceTokenIsKnown(route, request, untilNewest)
        : 'here'
    if (runs === 'here') return ofThisServer()
    const isLeading = role === 'leading'
    // A request is forwarded at most once: the forwarding server finds the new leader.
    if (!isLeading && otherServer(request.sender, this.settings.node_id)) throw notLeader()
    if (!isLeading && (runs === 'leader' || role !== 'following' || !this.committer.isReadable))
      return 'leader'
    if (isLeading && this.port.mayAnswer()) {
      if (!isRead(route)) return 'here'
      if (!request.query.has('consistent')) return 'leased'
    }
    if (runs === 'leader') return this.#hereWhileLeading(untilNewest())
    if (acceptsStale(request, this.port.lastContact())) return ofThisServer()
    return untilNewest()
  }

  /** Also a write that changes nothing tells the state, which may be outdated after the lease. */
  async #hereWhileLeading(newest: Promise<'here'>): Promise<AnswerLocation> {
    await newest
    return this.port.role() === 'leading' ? 'here' : 'leader'
  }
}
