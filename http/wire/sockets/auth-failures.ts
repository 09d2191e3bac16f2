// Guesses at secrets: failures of tokens and logins are counted by the address they come from, and above a rate they are
// answered 429. Only failures: a credential is looked at first, and a valid one never comes here.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../../actors/clock.js'
import { CredentialRefused, Refusal } from '../../../actors/refusal.js'
import { subscriberOf } from '../../../projections/ip-address.js'
import { Metrics } from '../../metrics/metrics.js'
import { LOGGER } from '../../program/ports.js'
import { LiveSettings } from '../../settings/live-settings.js'
import { Newest } from '../newest.js'

/** More addresses are not kept: those are forgotten that failed longest ago. */
const MOST_ADDRESSES = 20_000

/** Failures that an address has left, as they were at a time. */
interface Allowance {
  left: number
  /** A time of `Clock.elapsed`. */
  at: number
  /** Whether it is in the log that this address has used up its allowance, which has not been whole since. */
  isLogged: boolean
}

/** Too many credentials of one address were refused (429). */
export class TooManyFailures extends Refusal {
  /** Seconds after which the next failure gets its own answer again. */
  readonly retryAfter: number

  constructor(perSecond: number) {
    super(
      'too-many',
      `Too many failures of tokens or logins from this address: the limit is ${perSecond} a second (limits.auth_failures)`
    )
    this.retryAfter = Math.ceil(1 / perSecond)
  }
}

@scoped(Lifecycle.ContainerScoped)
export class AuthFailures {
  readonly #settings: LiveSettings
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #count: (credential: string) => void
  readonly #countRefused: (credential: string) => void
  /** In the order of their last failure. */
  readonly #allowances = new Newest<string, Allowance>(MOST_ADDRESSES)
  #counted: ((address: string) => void) | undefined

  constructor(settings: LiveSettings, @inject(LOGGER) logger: Logger, clock: Clock, metrics: Metrics) {
    this.#settings = settings
    this.#clock = clock
    this.#logger = logger
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
    const { auth_failures: perSecond, auth_failures_burst: burst } = this.#settings.current.limits
    if (perSecond === 0) return error
    const allowance = this.#allowanceOf(address, perSecond, burst)
    if (allowance.left >= 1) {
      allowance.left--
      this.#counted?.(address)
      return error
    }
    this.#countRefused(error.credential)
    if (!allowance.isLogged) {
      allowance.isLogged = true
      this.#logger.warn({ address }, 'too many failures of tokens or logins from one address')
    }
    return new TooManyFailures(perSecond)
  }

  /** Counts a failure that another process of this server has answered. */
  countElsewhere(address: string): void {
    const { auth_failures: perSecond, auth_failures_burst: burst } = this.#settings.current.limits
    if (perSecond === 0) return
    const allowance = this.#allowanceOf(address, perSecond, burst)
    allowance.left = Math.max(0, allowance.left - 1)
  }

  /** Calls with the address of each failure that is counted here from now on. For one listener. */
  onCounted(listener: (address: string) => void): void {
    this.#counted = listener
  }

  /** The allowance of an address as it is now. */
  #allowanceOf(address: string, perSecond: number, burst: number): Allowance {
    const key = subscriberOf(address)
    const at = this.#clock.elapsed()
    const known = this.#allowances.get(key)
    const left = known ? known.left + ((at - known.at) / 1000) * perSecond : burst
    const isWhole = left >= burst
    const allowance = {
      left: Math.min(left, burst),
      at,
      isLogged: !isWhole && known?.isLogged === true
    }
    this.#allowances.set(key, allowance)
    return allowance
  }
}
