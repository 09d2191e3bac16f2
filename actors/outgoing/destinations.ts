// Allowed destinations of requests that the server makes for a caller, checked against the connected address.
import { isWithin, parseNetwork, reachOf, type Network } from '../../projections/ip-address.js'
import { lookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import tls from 'node:tls'
import { createSecureContext, type SecureContext } from 'node:tls'
import { Lifecycle, scoped } from 'tsyringe'

/** The configuration that causes a request: an auth method, a webhook, a witness or a health check. */
export type Initiator = 'auth method' | 'webhook' | 'witness' | 'check'

/** Returns the setting with the networks of an initiator. */
const settingOf = (initiator: Initiator): 'outgoing.allow' | 'outgoing.checks' =>
  initiator === 'check' ? 'outgoing.checks' : 'outgoing.allow'

export interface DestinationRules {
  /** Networks in CIDR notation; when set, the only allowed ones. */
  readonly allow: readonly string[]
  readonly checks: readonly string[]
  /** True when only its own machine can reach this server, so that callers are on it already. */
  readonly isLocalServer: boolean
}

const networksOf = (texts: readonly string[]): readonly Network[] =>
  texts.map(parseNetwork).filter(network => network !== undefined)

/** Link-local addresses, and addresses of the metadata services of clouds. */
const METADATA = networksOf(['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254', '100.100.100.200'])

export class Destinations {
  #allowed: readonly Network[] = []
  #allowedForChecks: readonly Network[] = []
  #isLocalServer = false

  constructor(rules: DestinationRules) {
    this.use(rules)
  }

  /** Replaces the rules for new connections. The settings have rejected invalid networks. */
  use({ allow, checks, isLocalServer }: DestinationRules): void {
    this.#allowed = networksOf(allow)
    this.#allowedForChecks = networksOf(checks)
    this.#isLocalServer = isLocalServer
  }

  /**
   * Checks an IP address. Configured networks are the only allowed ones. Without them, metadata and
   * link-local addresses are forbidden. Webhooks and witnesses then reach public addresses only, auth methods
   * reach this machine only when their callers are on it too, and checks reach all other addresses.
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

type Setting = ReturnType<typeof settingOf>

/** The address, or every address of the name, is not allowed. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused'

  constructor(setting: Setting, host: string, addresses: readonly string[]) {
    super(`${setting} keeps requests from ${[...new Set([host, ...addresses])].join(', ')}`)
  }
}

export type ResolveAll = (
  host: string,
  options: { readonly all: true },
  /** Without addresses after an error. */
  done: (error: Error | null, addresses?: LookupAddress[]) => void
) => void

export interface Guard {
  readonly mayReach: (address: string) => boolean
  /** The setting that allows them. */
  readonly setting: Setting
}

export const guardOf = (destinations: Pick<Destinations, 'mayReach'>, initiator: Initiator): Guard => ({
  mayReach: address => destinations.mayReach(initiator, address),
  setting: settingOf(initiator)
})

/** Returns the reason why an address may not be connected to; undefined for names, which `guardedLookup` checks. */
export const refusedAddress = ({ mayReach, setting }: Guard, host: string): DestinationRefused | undefined =>
  isIP(host) !== 0 && !mayReach(host) ? new DestinationRefused(setting, host, []) : undefined

/** Returns a `lookup` for sockets that resolves to allowed addresses only. */
export const guardedLookup =
  ({ mayReach, setting }: Guard, resolve: ResolveAll = lookup): LookupFunction =>
  (host, options, done) =>
    resolve(host, { ...options, all: true }, (error, found = []) => {
      if (error) return done(error, [])
      const [first, ...others] = found.filter(({ address }) => mayReach(address))
      if (first === undefined)
        done(
          new DestinationRefused(
            setting,
            host,
            found.map(({ address }) => address)
          ),
          []
        )
      else if (options.all) done(null, [first, ...others])
      else done(null, first.address, first.family)
    })

/** PEM texts; absent ones are not configured. */
export interface TlsMaterial {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** Absent before Node 22.15, which lists only its bundled authorities. */
const { getCACertificates }: Partial<typeof tls> = tls

/** Authorities that connections trust by default. */
const defaultAuthorities = (): readonly string[] => getCACertificates?.('default') ?? tls.rootCertificates

@scoped(Lifecycle.ContainerScoped)
export class OutgoingTls {
  #material: TlsMaterial = {}
  #defaultContext: SecureContext | undefined

  /** Another object after each change. */
  get material(): TlsMaterial {
    return this.#material
  }

  /** Applies to new connections. */
  use(material: TlsMaterial): void {
    this.#material = material
    this.#defaultContext = undefined
  }

  /**
   * Returns the context of a connection. Servers must be signed by `ca` if set, otherwise by an authority of
   * the material or one that the system trusts. Undefined when the system's defaults apply.
   */
  contextFor(ca: string): SecureContext | undefined {
    const { ca: own, ...identity } = this.#material
    if (ca !== '') return createSecureContext({ ...identity, ca })
    if (own === undefined && identity.cert === undefined) return undefined
    this.#defaultContext ??= createSecureContext({
      ...identity,
      ...(own === undefined ? {} : { ca: [...defaultAuthorities(), own] })
    })
    return this.#defaultContext
  }
}
