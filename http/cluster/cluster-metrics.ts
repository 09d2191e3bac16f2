// What a server counts about its part in a cluster.
import type { Metrics } from '../metrics/metrics.js'
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
    'annals_cluster_servers',
    'Servers of the cluster that are heard of',
    () => cluster.servers.list().filter(({ isLive }) => isLive).length
  )
}
