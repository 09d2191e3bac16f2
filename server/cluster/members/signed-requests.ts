import type { KeyObject } from 'node:crypto'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock, Timers } from '../../../actors/clock.js'
import { SETTINGS } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import type { Forwarded } from '../../../http/wire/contact.js'
import { CLUSTER, type ClusterPort } from './cluster-port.js'
import type { RequestAttempt, OutgoingRequest } from '../transport/server-connections.js'
import { FORWARDED_HEADER, serverProof } from './server-proof.js'
import { OutgoingTls } from '../../../actors/outgoing/destinations.js'
import { ClusterCertificates } from '../../../http/wire/tls/cluster-certificates.js'
import { ServerConnections } from '../transport/server-connections.js'

/** Connections to the other servers, with the certificates of the cluster, or else those for outgoing connections. */
@scoped(Lifecycle.ContainerScoped)
export class LeaderConnections extends ServerConnections {
  constructor(tls: OutgoingTls, timers: Timers, ofCluster: ClusterCertificates) {
    const outgoing = {
      get material() {
        return tls.material
      },
      context: () => tls.contextFor('')
    }
    super(ofCluster.isOn ? ofCluster : outgoing, timers)
  }
}

type UnsignedRequest = Pick<OutgoingRequest, 'method' | 'url' | 'headers'>

/** Returns the request with a proof of its sender. @param at epoch ms */
export const signedBy = <R extends UnsignedRequest>(
  secret: KeyObject | undefined,
  outgoing: R,
  from: Forwarded,
  at: number
): R & Required<UnsignedRequest> => ({
  ...outgoing,
  headers: [...(outgoing.headers ?? []), FORWARDED_HEADER, serverProof(secret, outgoing, from, at)]
})

@scoped(Lifecycle.ContainerScoped)
export class SignedRequests {
  constructor(
    @inject(CLUSTER) private readonly cluster: ClusterPort,
    @inject(SETTINGS) private readonly settings: Settings,
    private readonly connections: LeaderConnections,
    private readonly clock: Clock
  ) {}

  /** Returns the request with its proof. @param from overrides fields of the sender: the client's address, or the server that forwarded the request here */
  sign<R extends UnsignedRequest>(outgoing: R, from: Partial<Forwarded> = {}): R & Required<UnsignedRequest> {
    const { node_id: id, node_name: node } = this.settings
    const { secret } = this.cluster
    return signedBy(secret, outgoing, { id, node, address: '', ...from }, this.clock.now())
  }

  /** Sends a request once. @param from see `sign` */
  send(
    to: string,
    outgoing: OutgoingRequest,
    signal: AbortSignal,
    from?: Partial<Forwarded>
  ): Promise<RequestAttempt> {
    return this.connections.send(to, this.sign(outgoing, from), signal)
  }
}
