// What a server counts about its part in a cluster.
import type { SharedRoom } from '../../../actors/processes/shared-room.js'
import type { Metrics } from '../../telemetry/metrics/metrics.js'
import type { ServerCluster } from './server-cluster.js'

export const measureCluster = (metrics: Metrics, cluster: ServerCluster): void => {
  metrics.gauge('annals_cluster_leading', '1 on the server that leads the cluster, 0 on the others', () =>
    cluster.role() === 'leading' ? 1 : 0
  )
  metrics.gauge(
    'annals_cluster_last_contact_seconds',
    'For how long nothing has proved that what this server shows is the newest',
    () => cluster.lastContact() / 1000
  )
  metrics.gauge(
    'annals_cluster_behind_commits',
    'Commits of the cluster that this server lacks',
    () => cluster.behind
  )
  metrics.gauge(
    'annals_cluster_clock_offset_seconds',
    'How far the clock of this server is ahead of that of the leader; on the leader, of the median of all clocks',
    () => cluster.clockOffset() / 1000
  )
  metrics.gauge(
    'annals_cluster_servers',
    'Servers of the cluster that are heard of',
    () => cluster.servers.list().filter(({ isLive }) => isLive).length
  )
}

/** @param quota in bytes */
export const measureRoom = (metrics: Metrics, room: SharedRoom, quota: number): void => {
  metrics.gauge('annals_cluster_etcd_bytes', 'What etcd holds, as the leader sees it', () => room.bytes)
  metrics.gauge('annals_cluster_etcd_quota_bytes', 'What it may hold (`cluster.etcd.quota`)', () => quota)
  metrics.gauge('annals_cluster_etcd_short', '1 on the leader while it takes only deletions for that', () =>
    room.isShort ? 1 : 0
  )
}
