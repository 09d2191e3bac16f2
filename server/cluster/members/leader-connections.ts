// Connections to the other servers of the cluster, by the certificates that are for these, or for all that this server asks of others.
import { Lifecycle, scoped } from 'tsyringe'
import { OutgoingTls } from '../../../actors/outgoing/outgoing-tls.js'
import { Timers } from '../../../actors/timers.js'
import { ClusterCertificates } from '../../../http/wire/tls/cluster-certificates.js'
import { ServerConnections } from '../transport/server-connections.js'

@scoped(Lifecycle.ContainerScoped)
export class LeaderConnections extends ServerConnections {
  constructor(tls: OutgoingTls, timers: Timers, ofCluster: ClusterCertificates) {
    const shown = {
      get material() {
        return tls.material
      },
      context: () => tls.contextFor('')
    }
    super(ofCluster.isOn ? ofCluster : shown, timers)
  }
}
