// The services that the probes of health checks connect with.
import type { Destinations } from '../outgoing/destinations.js'
import type { OutgoingTls } from '../outgoing/outgoing-tls.js'

export interface ProbeServices {
  readonly tls: OutgoingTls
  /** Where checks may connect to. */
  readonly destinations: Pick<Destinations, 'mayReach'>
}
