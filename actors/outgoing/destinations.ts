// Where requests may go that the server makes because a caller said so. Checked with the address that is
// connected to.
import { isWithin, parseNetwork, reachOf, type Network } from '../../projections/ip-address.js'

/** On whose word a request is made: who configures an auth method, a webhook, a witness, or a health check. */
export type Initiator = 'auth method' | 'webhook' | 'witness' | 'check'

/** The setting that names the networks of an initiator. */
export const settingOf = (initiator: Initiator): 'outgoing.allow' | 'outgoing.checks' =>
  initiator === 'check' ? 'outgoing.checks' : 'outgoing.allow'

export interface DestinationRules {
  /** Networks in CIDR notation; where any are given, they are the only ones. */
  readonly allow: readonly string[]
  /** The same for health checks. */
  readonly checks: readonly string[]
  /** Whether this server can be reached from its own machine alone, so that who calls it is on it already. */
  readonly isLocalServer: boolean
}

const networksOf = (texts: readonly string[]): readonly Network[] =>
  texts.map(parseNetwork).filter(network => network !== undefined)

/** Link-local addresses, and those under which clouds serve the metadata and credentials of a machine. */
const METADATA = networksOf(['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254', '100.100.100.200'])

/** The addresses that requests for callers may be sent to. */
export class Destinations {
  #allowed: readonly Network[] = []
  #allowedForChecks: readonly Network[] = []
  #isLocalServer = false

  constructor(rules: DestinationRules) {
    this.use(rules)
  }

  /**
   * For connections from now on. Texts that are no networks are passed over; the settings refuse them before.
   */
  use({ allow, checks, isLocalServer }: DestinationRules): void {
    this.#allowed = networksOf(allow)
    this.#allowedForChecks = networksOf(checks)
    this.#isLocalServer = isLocalServer
  }

  /**
   * Whether a request may be sent to this IP address. Configured networks are the only ones. Without them no request
   * reaches metadata or link-local addresses. A webhook or a witness is then reached at public addresses alone, an auth
   * method on this machine only when its callers are there too, and a check anywhere else.
   */
  mayReach(initiator: Initiator, address: string): boolean {
    const allowed = initiator === 'check' ? this.#allowedForChecks : this.#allowed
    if (allowed.length > 0) return isWithin(address, allowed)
    if (isWithin(address, METADATA)) return false
    const reach = reachOf(address)
    switch (initiator) {
      case 'check':
        return true
      case 'auth method':
        return reach !== 'machine' || this.#isLocalServer
      case 'webhook':
      case 'witness':
        return reach === 'public'
    }
  }
}
