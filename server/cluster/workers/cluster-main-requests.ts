// Routes requests of a cluster member's main process. Requests that its workers forward count as those of the original sender.
import type { IncomingMessage } from 'node:http'
import type { ServerProofs } from '../members/server-proof.js'
import type { PeerContact, Forwarded, SenderFault } from '../../../http/wire/contact.js'
import type {
  LeaderRequest,
  LeaderSocketRequest,
  RequestRouting,
  AnswerLocation
} from '../../../http/wire/request-routing.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import type { Route } from '../../../http/wire/route.js'

export class ClusterMainRequests implements RequestRouting {
  /** @param workers verifies proofs with the workers' secret */
  constructor(
    private readonly asServer: RequestRouting,
    private readonly workers: ServerProofs
  ) {}

  get deadline(): number {
    return this.asServer.deadline
  }

  senderFault(request: IncomingMessage): SenderFault | undefined {
    if (this.workers.faultOf(request) === undefined) return undefined
    return this.asServer.senderFault(request)
  }

  senderOf(request: IncomingMessage): Forwarded | undefined {
    return this.workers.of(request) ?? this.asServer.senderOf(request)
  }

  locationOf(route: Route, request: RequestContext): AnswerLocation | Promise<AnswerLocation> {
    return this.asServer.locationOf(route, request)
  }

  isLeading(): boolean {
    return this.asServer.isLeading()
  }

  untilNewest(): Promise<void> {
    return this.asServer.untilNewest()
  }

  forward(asked: LeaderRequest): Promise<number | 'here'> {
    return this.asServer.forward(asked)
  }

  tunnel(asked: LeaderSocketRequest): Promise<number | 'here'> {
    return this.asServer.tunnel(asked)
  }

  contact(): PeerContact {
    return this.asServer.contact()
  }

  isCountedBySender(request: IncomingMessage): boolean {
    return this.workers.of(request) !== undefined
  }

  forDns(): Promise<void> | undefined {
    return this.asServer.forDns()
  }
}
