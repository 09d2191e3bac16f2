// Where requests may go that the server makes because a caller said so. Checked with the address that is
// connected to.
import { isWithin, parseNetwork, reachOf, type Network } from '../../projections/ip-address.js'

/** On whose word a request is made: who configures an auth method, a webhook, or a witness. */
export type Initiator = 'auth method' | 'webhook' | 'witness'

export interface DestinationRules {
  /** Networks in CIDR notation; where any are given, they are the only ones. */
  readonly allow: readonly string[]
  /** Whether this server can be reached from its own machine alone, so that who calls it is on it already. */
  readonly isLocalServer: boolean
}

/** The addresses that requests for callers may be sent to. */
export class Destinations {
  #allowed: readonly Network[] = []
  #isLocalServer = false

  constructor(rules: DestinationRules) {
    this.use(rules)
  }

  /**
   * For connections from now on. Texts that are no networks are passed over; the settings refuse them before.
   */
  use({ allow, isLocalServer }: DestinationRules): void {
    this.#allowed = allow.map(parseNetwork).filter(network => network !== undefined)
    this.#isLocalServer = isLocalServer
  }

  /**
   * Whether a request may be sent to this IP address. Without configured networks a webhook or a witness is reached at
   * public addresses alone; an auth method all but link-local ones, where the metadata of cloud machines is, and
   * those of this machine only when its callers are there too.
   */
  mayReach(initiator: Initiator, address: string): boolean {
    if (this.#allowed.length > 0) return isWithin(address, this.#allowed)
    const reach = reachOf(address)
    if (initiator !== 'auth method') return reach === 'public'
    return reach === 'machine' ? this.#isLocalServer : reach !== 'link'
  }
}
