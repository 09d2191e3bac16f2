// Read model of the cluster itself.
import { CLUSTER_KEY, CLUSTER_TOPIC, isClusterIdentified, type ClusterIdentified } from '../events/cluster.js'
import type { Commit, Event } from '../events/envelope.js'
import type { Projection } from './projection.js'
import { fact, type Fact } from './saved-form.js'

/** The cluster's ID. All costs O(1). */
export class ClusterIdentity implements Projection {
  readonly topics = [CLUSTER_TOPIC]
  readonly memory = {}
  #id = ''
  #index = 0

  /** UUID, fixed for the life of the cluster; empty until the first start has given it. */
  get id(): string {
    return this.#id
  }

  apply(event: Event, { Index }: Commit): void {
    if (!isClusterIdentified(event)) return
    this.#id = event.Payload.Cluster.ID
    this.#index = Index
  }

  reset(): void {
    this.#id = ''
    this.#index = 0
  }

  *facts(): Iterable<Fact> {
    if (this.#id !== '')
      yield fact<ClusterIdentified>({
        Topic: CLUSTER_TOPIC,
        Type: 'ClusterIdentified',
        Key: CLUSTER_KEY,
        Index: this.#index,
        Payload: { Cluster: { ID: this.#id } }
      })
  }
}
