// Routes the requests of a process that does not answer all of them alone, by the policy of its kind: a cluster member, a worker, or the
// main process of workers.
import type { IncomingMessage } from 'node:http'
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Forwarded, PeerContact, SenderFault } from '../../../http/wire/contact.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import type {
  AnswerLocation,
  LeaderRequest,
  LeaderSocketRequest,
  RequestRouting
} from '../../../http/wire/request-routing.js'
import type { Route } from '../../../http/wire/route.js'
import { derivedOnce } from '../../../events/coalescer.js'
import type { ClusterPort } from './cluster-port.js'
import type { ServerProofs } from './server-proof.js'
import type { Forwarding } from './forwarding.js'

export interface RoutingPolicy {
  readonly port: Pick<ClusterPort, 'hold' | 'mayAnswer' | 'fence' | 'isLeaderKnown' | 'lastContact'>
  readonly forwarding: Pick<Forwarding, 'forward' | 'tunnel'>
  /** Verifies requests of this server's workers, which count as those of the original sender. */
  readonly workers?: ServerProofs | undefined
  /** Verifies requests of other servers. */
  readonly servers?: ServerProofs | undefined
  /** The message for requests that need the newest state while that is unknown. */
  readonly notNewest: string
  /** DNS may be answered from the current state, although it is stale. */
  readonly acceptsStaleDns: boolean

  /** See `RequestRouting`. @param untilNewest see there */
  locationOf(
    route: Route,
    request: RequestContext,
    untilNewest: () => Promise<'here'>
  ): AnswerLocation | Promise<AnswerLocation>
}

export const ROUTING_POLICY: InjectionToken<RoutingPolicy> = Symbol('RoutingPolicy')

@scoped(Lifecycle.ContainerScoped)
export class RequestRouter implements RequestRouting {
  /** Shared by all requests that share a fence. */
  readonly #hereAfter = derivedOnce((fence: Promise<void>) =>
    fence.then(
      (): 'here' => 'here',
      () => {
        throw new Refusal('cluster.unavailable', this.policy.notNewest)
      }
    )
  )

  constructor(
    @inject(ROUTING_POLICY) private readonly policy: RoutingPolicy,
    private readonly clock: Clock
  ) {}

  get deadline(): number {
    return this.clock.elapsed() + this.policy.port.hold
  }

  senderFault(request: IncomingMessage): SenderFault | undefined {
    const { workers, servers } = this.policy
    const fault = workers?.faultOf(request)
    if (workers && !fault) return undefined
    return servers ? servers.faultOf(request) : fault
  }

  senderOf(request: IncomingMessage): Forwarded | undefined {
    const { workers, servers } = this.policy
    return workers?.of(request) ?? servers?.of(request)
  }

  locationOf(route: Route, request: RequestContext): AnswerLocation | Promise<AnswerLocation> {
    return this.policy.locationOf(route, request, this.untilNewest)
  }

  isLeading(): boolean {
    return this.policy.port.mayAnswer()
  }

  readonly untilNewest = (): Promise<'here'> => this.#hereAfter(this.policy.port.fence())

  forward(asked: LeaderRequest): Promise<number | 'here'> {
    return this.policy.forwarding.forward(asked)
  }

  tunnel(asked: LeaderSocketRequest): Promise<number | 'here'> {
    return this.policy.forwarding.tunnel(asked)
  }

  contact(): PeerContact {
    const { port } = this.policy
    return { isLeaderKnown: port.isLeaderKnown(), lastContact: port.lastContact() }
  }

  isCountedBySender(request: IncomingMessage): boolean {
    return this.policy.workers?.of(request) !== undefined
  }

  forDns(): Promise<unknown> | undefined {
    const { acceptsStaleDns, port } = this.policy
    return acceptsStaleDns || port.mayAnswer() ? undefined : this.untilNewest()
  }
}
