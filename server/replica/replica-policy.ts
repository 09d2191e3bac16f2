// The routing of a replica: it answers reads itself, and refuses everything that only its source can do.
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import { Refusal } from '../../actors/refusal.js'
import type { RequestContext } from '../../http/wire/request-context.js'
import type { AnswerLocation } from '../../http/wire/request-routing.js'
import { runsOf, type Route } from '../../http/wire/route.js'
import type { RoutingPolicy } from '../cluster/members/request-router.js'
import type { ReplicaFollower } from './replica-follower.js'

export interface ReplicaParts {
  /** Undefined before the start. */
  follower: Pick<ReplicaFollower, 'lastContact' | 'connectivity'> | undefined
}

export const REPLICA: InjectionToken<ReplicaParts> = Symbol('Replica')

/** Reads that need secrets or the leader. */
const OF_SOURCE: ReadonlySet<string> = new Set(['/v1/snapshot'])

const refuse = (): Promise<never> =>
  Promise.reject(
    new Refusal(
      'replica.read-only',
      'This server is a replica: it answers reads of its verified copy only. Nothing was changed; send the request to its source'
    )
  )

@scoped(Lifecycle.ContainerScoped)
export class ReplicaPolicy implements RoutingPolicy {
  readonly notNewest = 'A replica cannot prove that its state is current'
  readonly acceptsStaleDns = true
  readonly forwarding = { forward: refuse, tunnel: refuse }
  readonly port: RoutingPolicy['port']

  constructor(@inject(REPLICA) parts: ReplicaParts) {
    this.port = {
      hold: 0,
      mayAnswer: () => true,
      fence: () => Promise.resolve(),
      isLeaderKnown: () => parts.follower?.lastContact !== undefined,
      lastContact: () => Math.round(parts.follower?.lastContact ?? 0)
    }
  }

  locationOf(route: Route, request: RequestContext): AnswerLocation {
    const isWrite = route.method !== 'GET' && route.idempotency !== 'nothing written'
    const isOfSource =
      isWrite ||
      runsOf(route, request) === 'leader' ||
      request.query.has('consistent') ||
      OF_SOURCE.has(route.path)
    return isOfSource ? 'leader' : 'here'
  }
}
