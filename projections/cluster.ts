// Read model of the cluster itself.
import { CLUSTER_TOPIC, isClusterIdentified } from '../events/cluster.js'
import type { Event } from '../events/envelope.js'
import type { Projection } from './projection.js'

/** The cluster's ID. All costs O(1). */
export class ClusterIdentity implements Projection {
  readonly topics = [CLUSTER_TOPIC]
  #id = ''

  /** UUID, fixed for the life of the cluster; empty until the first start has given it. */
  get id(): string {
    return this.#id
  }

  apply(event: Event): void {
    if (isClusterIdentified(event)) this.#id = event.Payload.Cluster.ID
  }

  reset(): void {
    this.#id = ''
  }

  *dump(): Iterable<unknown> {
    yield this.#id
  }
}
