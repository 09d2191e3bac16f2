// Guesses at secrets: failures of tokens and logins are counted by the address they come from, and above a rate they are
// answered 429. Only failures: a credential is looked at first, and a valid one never comes here.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../../actors/clock.js'
import { CredentialRefused } from '../../../actors/refusal.js'
import { Metrics } from '../../../server/telemetry/metrics/metrics.js'
import { LOGGER } from '../../../server/settings/ports.js'
import { LiveSettings } from '../../../server/settings/live-settings.js'
import { TooManyRequests } from '../too-many.js'
import { AddressAllowances } from './address-allowances.js'

/** Too many credentials of one address were refused (429). */
export class TooManyFailures extends TooManyRequests {
  constructor(perSecond: number) {
    super(
      `Too many failures of tokens or logins from this address: the limit is ${perSecond} a second (limits.auth_failures)`,
      Math.ceil(1 / perSecond)
    )
  }
}

@scoped(Lifecycle.ContainerScoped)
export class AuthFailures {
  readonly #count: (credential: string) => void
  readonly #countRefused: (credential: string) => void
  readonly #allowances: AddressAllowances
  #counted: ((address: string) => void) | undefined

  constructor(
    private readonly settings: LiveSettings,
    @inject(LOGGER) private readonly logger: Logger,
    clock: Clock,
    metrics: Metrics
  ) {
    this.#allowances = new AddressAllowances(clock)
    this.#count = metrics.counter(
      'annals_auth_failures_total',
      'Tokens and logins that were refused because the credential is not valid',
      'credential'
    )
    this.#countRefused = metrics.counter(
      'annals_auth_failures_limited_total',
      'Failures of tokens and logins that were answered 429',
      'credential'
    )
  }

  /** Addresses that are kept. */
  get size(): number {
    return this.#allowances.size
  }

  /**
   * Counts a failure, when the error is one.
   * @returns the error, or in its place a `TooManyFailures`
   */
  judge(error: unknown, address: string): unknown {
    if (!(error instanceof CredentialRefused)) return error
    this.#count(error.credential)
    const { auth_failures: perSecond, auth_failures_burst: burst } = this.settings.current.limits
    if (perSecond === 0) return error
    const allowance = this.#allowances.of(address, { perSecond, burst })
    if (allowance.left >= 1) {
      allowance.left--
      this.#counted?.(address)
      return error
    }
    this.#countRefused(error.credential)
    if (!allowance.isLogged) {
      allowance.isLogged = true
      this.logger.warn({ address }, 'too many failures of tokens or logins from one address')
    }
    return new TooManyFailures(perSecond)
  }

  /** Counts a failure that another process of this server has answered. */
  countElsewhere(address: string): void {
    const { auth_failures: perSecond, auth_failures_burst: burst } = this.settings.current.limits
    if (perSecond === 0) return
    const allowance = this.#allowances.of(address, { perSecond, burst })
    allowance.left = Math.max(0, allowance.left - 1)
  }

  /** Calls with the address of each failure that is counted here from now on. For one listener. */
  onCounted(listener: (address: string) => void): void {
    this.#counted = listener
  }
}
