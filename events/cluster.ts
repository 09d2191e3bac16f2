// The ACL bootstrap (spec: acl.md §2.2, §2.3), autopilot settings, and the ID of the cluster (spec: config.md §6.1).
import { resourceEvents, type EventOf } from './envelope.js'

export const AUTOPILOT_KEY = 'autopilot'

/** Durations are in nanoseconds. */
export interface AutopilotSettings {
  readonly CleanupDeadServers: boolean
  readonly LastContactThreshold: number
  readonly MaxTrailingLogs: number
  readonly MinQuorum: number
  readonly ServerStabilizationTime: number
  readonly RedundancyZoneTag: string
  readonly DisableUpgradeMigration: boolean
  readonly UpgradeVersionTag: string
}

export interface Autopilot extends AutopilotSettings {
  /** Both are 0 until an operator changes a setting. */
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const autopilotEvents = resourceEvents({
  topic: 'Autopilot',
  types: ['AutopilotUpserted'],
  payloadOf: (settings: Autopilot) => ({ Autopilot: settings }),
  keyOf: () => AUTOPILOT_KEY
})
export type AutopilotUpserted = EventOf<typeof autopilotEvents>

export const ACCESS_KEY = 'acl'

/** `ResetIndex` is the index of this commit: the number that a reset of the bootstrap must name. */
export interface Bootstrap {
  readonly AccessorID: string
  readonly ResetIndex: number
}

export const accessEvents = resourceEvents({
  topic: 'Operator',
  types: ['ACLBootstrapped'],
  payloadOf: (bootstrap: Bootstrap) => ({ ACLBootstrap: bootstrap }),
  keyOf: () => ACCESS_KEY
})
export type AccessBootstrapped = EventOf<typeof accessEvents>

export const CLUSTER_KEY = 'cluster'

interface Cluster {
  /** UUID, part of target names in discovery chains. */
  readonly ID: string
}

export const clusterEvents = resourceEvents({
  topic: 'Cluster',
  types: ['ClusterIdentified'],
  payloadOf: (cluster: Cluster) => ({ Cluster: cluster }),
  keyOf: () => CLUSTER_KEY
})
export type ClusterIdentified = EventOf<typeof clusterEvents>
