import {
  type Autopilot,
  AUTOPILOT_KEY,
  AUTOPILOT_TOPIC,
  type AutopilotUpserted,
  CLUSTER_KEY,
  CLUSTER_TOPIC,
  type ClusterIdentified,
  isAutopilotUpserted,
  isClusterIdentified
} from '../events/cluster.js'
import type { Commit, Event } from '../events/envelope.js'
import type { Projection } from './projection.js'
import { fact, type Fact } from './saved-form.js'
import { SECOND } from '../events/duration.js'

/** The cluster's ID. All costs O(1). */
export class ClusterIdentity implements Projection {
  readonly topics = [CLUSTER_TOPIC]
  readonly memory = {}
  #id = ''
  #index = 0

  /** UUID, fixed for the life of the cluster; empty before the first start. */
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

/** The reference's defaults, until an operator changes them. */
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
