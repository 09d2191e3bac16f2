// Read model of the cluster itself.
import { CLUSTER_KEY, CLUSTER_TOPIC, isClusterIdentified } from '../events/cluster.js'
import type { ClusterIdentified } from '../events/cluster.js'
import type { Commit, Event } from '../events/envelope.js'
import type { Projection } from './projection.js'
import { fact } from './saved-form.js'
import type { Fact } from './saved-form.js'
import { AUTOPILOT_KEY, AUTOPILOT_TOPIC, isAutopilotUpserted } from '../events/autopilot.js'
import type { Autopilot, AutopilotUpserted } from '../events/autopilot.js'
import { SECOND } from '../events/duration.js'

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

/** What holds until an operator sets something else: the reference's defaults. */
const DEFAULTS: Autopilot = {
  CleanupDeadServers: true,
  LastContactThreshold: 0.2 * SECOND,
  MaxTrailingLogs: 250,
  MinQuorum: 0,
  ServerStabilizationTime: 10 * SECOND,
  RedundancyZoneTag: '',
  DisableUpgradeMigration: false,
  UpgradeVersionTag: '',
  CreateIndex: 0,
  ModifyIndex: 0
}

/** All costs O(1). */
export class AutopilotConfiguration implements Projection {
  readonly topics = [AUTOPILOT_TOPIC]
  readonly memory = {}
  #current = DEFAULTS

  get current(): Autopilot {
    return this.#current
  }

  apply(event: Event): void {
    if (isAutopilotUpserted(event)) this.#current = event.Payload.Autopilot
  }

  reset(): void {
    this.#current = DEFAULTS
  }

  *facts(): Iterable<Fact> {
    if (this.#current === DEFAULTS) return
    yield fact<AutopilotUpserted>({
      Topic: AUTOPILOT_TOPIC,
      Type: 'AutopilotUpserted',
      Key: AUTOPILOT_KEY,
      Index: this.#current.ModifyIndex,
      Payload: { Autopilot: this.#current }
    })
  }
}
