// The ID of the cluster (spec: config.md §6.1).
import type { Event } from './envelope.js'

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
