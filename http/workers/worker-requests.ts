// Where the requests of a worker are answered: here, as soon as it shows everything that was acknowledged, or by the main process.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../actors/refusal.js'
import { Clock } from '../../actors/clock.js'
import { parseMilliseconds } from '../../events/duration.js'
import { CLUSTER, type ClusterPort } from '../cluster/cluster-port.js'
import { Forwarding } from '../cluster/forwarding.js'
import { hereOnceKnown } from '../cluster/known-token.js'
import { OWN_CONTACT, type Contact, type Forwarded } from '../wire/cluster-contact.js'
import type { ForLeader, ForTunnel, InCluster, Place } from '../wire/in-cluster.js'
import type { ApiRequest } from '../wire/request.js'
import { runsOf, type Route } from '../wire/route.js'
import { isOfMain } from './main-routes.js'

@scoped(Lifecycle.ContainerScoped)
export class WorkerRequests implements InCluster {
  readonly #main: ClusterPort
  readonly #forwarding: Forwarding
  readonly #clock: Clock

  constructor(@inject(CLUSTER) main: ClusterPort, forwarding: Forwarding, clock: Clock) {
    this.#main = main
    this.#forwarding = forwarding
    this.#clock = clock
  }

  get patience(): number {
    return this.#clock.elapsed() + this.#main.hold
  }

  /** Nobody sends requests to a worker but clients. */
  senderFault(): undefined {
    return undefined
  }

  senderOf(): Forwarded | undefined {
    return undefined
  }

  placeOf(route: Route, request: ApiRequest): Place | Promise<Place> {
    if (runsOf(route, request) !== 'anywhere' || isOfMain(route, request)) return 'leader'
    if (this.#main.role() !== 'following') return 'leader'
    if (this.#main.mayAnswer()) return 'here'
    if (takesOld(request)) return hereOnceKnown(route, request, () => this.newest())
    return this.newest().then(() => 'here')
  }

  isLeading(): boolean {
    return this.#main.mayAnswer()
  }

  async newest(): Promise<void> {
    try {
      await this.#main.fence()
    } catch {
      throw new Refusal('unavailable', 'This worker is too far behind the main process: try again')
    }
  }

  forward(asked: ForLeader): Promise<number | 'here'> {
    return this.#forwarding.forward(asked)
  }

  tunnel(asked: ForTunnel): Promise<number | 'here'> {
    return this.#forwarding.tunnel(asked)
  }

  contact(): Contact {
    return OWN_CONTACT
  }

  isCountedElsewhere(): boolean {
    return false
  }

  forDns(): Promise<void> | undefined {
    return this.#main.mayAnswer() ? undefined : this.newest()
  }
}

/** Whether a reader takes what is shown here, however old that is. */
const takesOld = ({ query }: ApiRequest): boolean => {
  if (query.isEmpty || query.has('consistent')) return false
  return query.has('stale') || (parseMilliseconds(query.get('max_stale') ?? '') ?? 0) > 0
}
