// Read models of one value: the one in the latest event of a type. All costs are O(1).
import {
  type AccessBootstrapped,
  accessEvents,
  type Autopilot,
  autopilotEvents,
  type AutopilotUpserted,
  type Bootstrap,
  clusterEvents,
  type ClusterIdentified
} from '../events/cluster.js'
import { SECOND } from '../events/duration.js'
import type { Commit, Event } from '../events/envelope.js'
import { type ReplicationEvent, replicationEvents, type ReplicationPosition } from '../events/replication.js'
import { type LogRetained, type Retention, retentionEvents } from '../events/retention.js'
import {
  isSnapshotEvent,
  SNAPSHOT_TOPIC,
  type SnapshotRestore,
  type SnapshotRestoreBegun
} from '../events/snapshot.js'
import { type Projection, fact, type Fact } from './projection.js'

interface Options<E extends Event> {
  readonly events: { readonly topic: string; readonly is: (event: Event) => event is E }
  /** A topic whose events may end the stored one. */
  readonly endTopic?: string
  /** Returns true if an event ends the stored one. */
  readonly ends?: (event: Event) => boolean
  /** The index of the fact; 0 by default. `index` is that of the commit. */
  readonly indexOf?: (event: E, index: number) => number
}

abstract class LatestEvent<E extends Event> implements Projection {
  readonly topics: readonly string[]
  readonly memory = {}
  #event: E | undefined
  #index = 0

  protected constructor(private readonly options: Options<E>) {
    const { events, endTopic } = options
    this.topics = endTopic === undefined ? [events.topic] : [events.topic, endTopic]
  }

  protected get payload(): E['Payload'] | undefined {
    return this.#event?.Payload
  }

  /** The index of the commit with the event. */
  protected get index(): number {
    return this.#index
  }

  apply(event: Event, { Index }: Commit): void {
    const { events, ends } = this.options
    if (ends?.(event)) this.reset()
    else if (events.is(event)) {
      this.#event = event
      this.#index = Index
    }
  }

  reset(): void {
    this.#event = undefined
  }

  *facts(): Iterable<Fact> {
    if (!this.#event) return
    const { Topic, Type, Key, Payload } = this.#event
    const Index = this.options.indexOf?.(this.#event, this.#index) ?? 0
    yield fact<E>({ Topic, Type, Key, Index, Payload })
  }
}

/** The last bootstrap of the ACL system. */
export class BootstrapState extends LatestEvent<AccessBootstrapped> {
  constructor() {
    super({ events: accessEvents, indexOf: ({ Payload }) => Payload.ACLBootstrap.ResetIndex })
  }

  /** Undefined if the system was never bootstrapped. */
  get bootstrap(): Bootstrap | undefined {
    return this.payload?.ACLBootstrap
  }
}

export class ClusterIdentity extends LatestEvent<ClusterIdentified> {
  constructor() {
    super({ events: clusterEvents, indexOf: (_, index) => index })
  }

  /** UUID, fixed for the life of the cluster; empty before the first start. */
  get id(): string {
    return this.payload?.Cluster.ID ?? ''
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

export class AutopilotConfiguration extends LatestEvent<AutopilotUpserted> {
  constructor() {
    super({ events: autopilotEvents, indexOf: ({ Payload }) => Payload.Autopilot.ModifyIndex })
  }

  get current(): Autopilot {
    return this.payload?.Autopilot ?? DEFAULTS
  }
}

export class LogRetentionState extends LatestEvent<LogRetained> {
  constructor() {
    super({ events: retentionEvents })
  }

  /** Undefined if every commit is retained. */
  get retention(): Retention | undefined {
    return this.payload?.Retention
  }
}

const isRestoreBegun = (event: Event): event is SnapshotRestoreBegun =>
  isSnapshotEvent(event) && event.Type === 'SnapshotRestoreBegun'

export class PendingRestore extends LatestEvent<SnapshotRestoreBegun> {
  constructor() {
    super({
      events: { topic: SNAPSHOT_TOPIC, is: isRestoreBegun },
      ends: event => !isRestoreBegun(event),
      indexOf: (_, index) => index
    })
  }

  /** Undefined without a current restore run. */
  get current(): { readonly restore: SnapshotRestore; readonly begun: number } | undefined {
    return this.payload && { restore: this.payload.Restore, begun: this.index }
  }
}

export class Replication extends LatestEvent<ReplicationEvent> {
  constructor() {
    super({
      events: replicationEvents,
      endTopic: SNAPSHOT_TOPIC,
      ends: ({ Topic, Type }) => Topic === SNAPSHOT_TOPIC || Type === 'ReplicationEnded'
    })
  }

  /** Undefined before the first reconciliation, in the primary datacenter, and after the restore of a snapshot. */
  get position(): ReplicationPosition | undefined {
    return this.payload?.Replication
  }
}
