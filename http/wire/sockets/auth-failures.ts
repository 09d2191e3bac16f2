// Rate limit on failed tokens and logins per client address, answered 429. Valid credentials are never limited.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../../actors/clock.js'
import { CredentialRefused } from '../../../actors/refusal.js'
import { Metrics } from '../../../server/telemetry/metrics/metrics.js'
import { LOGGER } from '../../../server/settings/ports.js'
import { LiveSettings } from '../../../server/settings/settings.js'
import { TooManyRequests } from '../response.js'
import { AddressAllowances } from './address-allowances.js'

export class TooManyFailures extends TooManyRequests {
  constructor(perSecond: number) {
    super(
      'request.too-many-failures',
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
      'Tokens and logins that were rejected because the credential is invalid',
      'credential'
    )
    this.#countRefused = metrics.counter(
      'annals_auth_failures_limited_total',
      'Failures of tokens and logins that were rejected with 429',
      'credential'
    )
  }

  get size(): number {
    return this.#allowances.size
  }

  /** Counts a failure if the error is a refused credential. @returns the error, or a `TooManyFailures` in its place */
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

  /** Counts a failure that another process of this server answered. */
  countElsewhere(address: string): void {
    const { auth_failures: perSecond, auth_failures_burst: burst } = this.settings.current.limits
    if (perSecond === 0) return
    const allowance = this.#allowances.of(address, { perSecond, burst })
    allowance.left = Math.max(0, allowance.left - 1)
  }

  /** Sets the only listener for failures counted here. */
  onCounted(listener: (address: string) => void): void {
    this.#counted = listener
  }
}
