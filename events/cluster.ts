// The ACL bootstrap (spec: acl.md §2.2, §2.3), autopilot settings, and the ID of the cluster (spec: config.md §6.1).
import type { Event } from './envelope.js'

export const AUTOPILOT_TOPIC = 'Autopilot'
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

export type AutopilotUpserted = Event<
  typeof AUTOPILOT_TOPIC,
  'AutopilotUpserted',
  { readonly Autopilot: Autopilot }
>

export const isAutopilotUpserted = (event: Event): event is AutopilotUpserted =>
  event.Topic === AUTOPILOT_TOPIC && event.Type === 'AutopilotUpserted'

export const OPERATOR_TOPIC = 'Operator'
export const ACCESS_KEY = 'acl'

/** `ResetIndex` is the index of this commit: the number that a reset of the bootstrap must name. */
export interface Bootstrap {
  readonly AccessorID: string
  readonly ResetIndex: number
}

export type AccessBootstrapped = Event<
  typeof OPERATOR_TOPIC,
  'ACLBootstrapped',
  { readonly ACLBootstrap: Bootstrap }
>

export const isAccessBootstrapped = (event: Event): event is AccessBootstrapped =>
  event.Topic === OPERATOR_TOPIC && event.Type === 'ACLBootstrapped'

export const CLUSTER_TOPIC = 'Cluster'
export const CLUSTER_KEY = 'cluster'

interface Cluster {
  /** UUID, part of target names in discovery chains. */
  readonly ID: string
}

export type ClusterIdentified = Event<
  typeof CLUSTER_TOPIC,
  'ClusterIdentified',
  { readonly Cluster: Cluster }
>

export const isClusterIdentified = (event: Event): event is ClusterIdentified =>
  event.Topic === CLUSTER_TOPIC && event.Type === 'ClusterIdentified'
