// Tokens of the primary datacenter that are not replicated: what it tells of them is kept for a time (`acl.token_ttl`), and what
// counts while it cannot be asked is for the settings to say (`acl.down_policy`).
import { hash } from 'node:crypto'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock } from '../../../actors/clock.js'
import { CredentialRefused, Refusal } from '../../../actors/refusal.js'
import { Timers } from '../../../actors/timers.js'
import { ANONYMOUS_SECRET } from '../../../events/token.js'
import { compileAuthorizer } from '../../../projections/acl/authorizer.js'
import {
  UNRESOLVED_TOKENS,
  type Authority,
  type RemoteTokenResolver
} from '../../../projections/acl/resolver.js'
import {
  authorityOfResolution,
  type TokenResolution,
  type ResolvedToken
} from '../../../projections/acl/token-resolution.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { Views } from '../../../projections/read-models.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { LOGGER, SETTINGS } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import { LruMap } from '../../../http/wire/lru-map.js'
import type { RemoteTokenResolution } from '../../../http/wire/remote-token-resolution.js'
import { failureReasonOf } from './datacenter-poller.js'
import { PrimaryTokens } from './primary-tokens.js'

/** Tokens that are kept; the one that was told first makes room. */
const MOST_TOKENS = 10_000
/** Secrets that are kept as those of nobody. */
const MOST_REFUSED = 10_000
/** How long a secret counts as that of nobody, which may be that of a new token the next moment. */
const REFUSED_MS = 2000
/** Secrets that the primary is asked about at a time. */
const MOST_ASKED = 256
/** How long a primary that could not be asked is not asked again. */
const REST_MS = 1000

interface Known {
  /** Of what was told. */
  readonly digest: string
  readonly authority: Authority
  /** A time of `Clock.elapsed`, as all here. */
  readonly until: number
  /** When it is looked at again; undefined while it is not to be. */
  timer: string | undefined
}

interface Refused {
  readonly kind: 'local' | 'unknown'
  readonly until: number
}

@scoped(Lifecycle.ContainerScoped)
export class RemoteTokenCache implements RemoteTokenResolution, RemoteTokenResolver {
  readonly #count: (outcome: string) => void
  /** Secrets of the tokens that the settings name. */
  readonly #named: ReadonlySet<string>
  readonly #known = new LruMap<string, Known>(MOST_TOKENS)
  readonly #refused = new LruMap<string, Refused>(MOST_REFUSED)
  readonly #asked = new Map<string, Promise<void>>()
  /** What counts of a token of which nothing is known while the primary cannot be asked. */
  readonly #unasked: Authority
  /** When the primary may be asked again that could not be; undefined while it answers. */
  #restUntil: number | undefined
  /** When the primary is asked again for who waits for that. */
  #probing: string | undefined

  constructor(
    @inject(SETTINGS) private readonly settings: Settings,
    @inject(LOGGER) private readonly logger: Logger,
    private readonly views: Views,
    private readonly primary: PrimaryTokens,
    private readonly clock: Clock,
    private readonly timers: Timers,
    metrics: Metrics
  ) {
    const { down_policy: downPolicy, default_policy: defaultPolicy } = settings.acl
    const decided = downPolicy === 'allow' || downPolicy === 'deny' ? downPolicy : defaultPolicy
    this.#unasked = { token: undefined, authorizer: compileAuthorizer([], decided) }
    const { tokens, legacy_tokens: legacy } = settings.acl
    this.#named = new Set([tokens.initial_management ?? '', ...Object.values(legacy).map(one => one.secret)])
    this.#count = metrics.counter(
      'annals_remote_token_requests_total',
      'Tokens that the primary datacenter was asked about: known, refused, or it could not be asked',
      'outcome'
    )
  }

  learn(secret: string = ANONYMOUS_SECRET): Promise<void> | undefined {
    const learning = this.#learning(secret)
    if (learning !== 'full') return learning
    const text = 'Too many tokens are being looked up in the primary datacenter: try again later'
    return Promise.reject(new Refusal('too-many', text))
  }

  /** What is to be waited for, if anything; `full` where one more cannot be asked about now. */
  #learning(secret: string): Promise<void> | 'full' | undefined {
    if (!this.settings.acl.enabled || this.#isOwn(secret)) return undefined
    const now = this.clock.elapsed()
    if ((this.#refused.get(secret)?.until ?? 0) > now) return undefined
    const known = this.#known.get(secret)
    if (known && known.until > now) return undefined
    const asking = this.#asked.get(secret)
    const mayWait = !(known && this.#mayWaitForNothing)
    if (asking) return mayWait ? asking : undefined
    // One that could not be asked is tried by one question at a time.
    if (this.#restUntil !== undefined && (now < this.#restUntil || this.#asked.size > 0)) return undefined
    if (this.#asked.size >= MOST_ASKED) return 'full'
    const asked = this.#ask(secret)
    return mayWait ? asked : undefined
  }

  /**
   * Whether the primary decides about a token that is here: it does about each that is not local, such as the anonymous one, and one left
   * from a time when this datacenter was its own primary. Those that the settings name count here.
   */
  decides({ token, secret }: TokenRow): boolean {
    return !token.Local && !this.#named.has(secret)
  }

  #isOwn(secret: string): boolean {
    const row = this.views.tokens.bySecret(secret)
    return row !== undefined && !this.decides(row)
  }

  refusalOf(secret: string): Refusal | undefined {
    if (this.#refused.get(secret)?.kind !== 'local') return undefined
    const { primary_datacenter: primary } = this.settings
    return new CredentialRefused(
      'token',
      `Permission denied: This is a local token in datacenter ${JSON.stringify(primary)}`
    )
  }

  /** See `Elsewhere`. */
  authorityOf(secret: string, now: number): Authority | undefined {
    const isDown = this.#restUntil !== undefined
    const counts = ({ until }: Known | Refused): boolean =>
      !isDown || this.#extends || until > this.clock.elapsed()
    const known = this.#known.get(secret)
    if (known && counts(known)) return known.authority.token?.isValid(now) ? known.authority : undefined
    const refused = this.#refused.get(secret)
    return isDown && !(refused && counts(refused)) ? this.#unasked : undefined
  }

  /** Whether what was told counts for longer while the primary cannot be asked. */
  get #extends(): boolean {
    return ['extend-cache', 'async-cache'].includes(this.settings.acl.down_policy)
  }

  /** Whether what was told counts until the primary has answered again. */
  get #mayWaitForNothing(): boolean {
    const { down_policy: downPolicy } = this.settings.acl
    return downPolicy === 'async-cache' || (downPolicy === 'extend-cache' && this.#restUntil !== undefined)
  }

  /** Asks about a secret, once at a time. Never rejects. */
  #ask(secret: string): Promise<void> {
    const asked = this.primary
      .ask(secret)
      .then(told => this.#answered(secret, told))
      .catch((error: unknown) => this.#failed(secret, error))
      .finally(() => this.#asked.delete(secret))
    this.#asked.set(secret, asked)
    return asked
  }

  #answered(secret: string, told: TokenResolution): void {
    if (told.kind === 'token') this.#keep(secret, told)
    else this.#refuse(secret, told.kind)
    if (this.#restUntil === undefined) return
    this.#restUntil = undefined
    this.views.watch.touch(UNRESOLVED_TOKENS)
    this.logger.info('the primary datacenter can be asked about tokens again')
  }

  #refuse(secret: string, kind: Refused['kind']): void {
    this.#count('refused')
    this.#refused.set(secret, { kind, until: this.clock.elapsed() + REFUSED_MS })
    this.#forget(secret)
  }

  /** @throws Error where nothing can be made of what was told, such as rules that this version does not know */

  #keep(secret: string, told: ResolvedToken): void {
    const { datacenter, acl } = this.settings
    const before = this.#known.get(secret)
    const digest = hash('sha256', JSON.stringify(told))
    const isSame = before?.digest === digest
    const authority = isSame
      ? before.authority
      : authorityOfResolution(told, secret, { datacenter, defaultPolicy: acl.default_policy })
    this.#count('known')
    this.#refused.delete(secret)
    this.#stopLooking(before)
    const until = this.clock.elapsed() + acl.token_ttl
    this.#known.set(secret, { digest, authority, until, timer: undefined })
    if (before && !isSame) this.#touch(before)
    this.#lookAgain(secret, acl.token_ttl)
  }

  #failed(secret: string, error: unknown): void {
    this.#count('failed')
    if (this.#restUntil === undefined)
      this.logger.warn(failureReasonOf(error), 'the primary datacenter cannot be asked about tokens')
    this.#restUntil = this.clock.elapsed() + REST_MS
    const known = this.#known.get(secret)
    if (known && !this.#extends) this.#touch(known)
    this.#lookAgain(secret, REST_MS)
    this.#probe(secret)
  }

  /** Asks again in time for who holds on to a token: streams, and reads that wait. In place of what was to look before. */
  #lookAgain(secret: string, ms: number): void {
    const known = this.#known.get(secret)
    if (!known) return
    this.#stopLooking(known)
    const left = (known.authority.token?.expiresAt ?? Infinity) - this.clock.now() + 1
    known.timer = this.timers.setTimeout(
      () => {
        known.timer = undefined
        if (this.#known.get(secret) !== known || !this.views.watch.isAwaited(keyOf(known.authority))) return
        if (!known.authority.token?.isValid(this.clock.now())) return this.#touch(known)
        void this.#learning(secret)
        if (!this.#asked.has(secret)) this.#lookAgain(secret, REST_MS)
      },
      Math.min(ms, Math.max(left, 0))
    )
  }

  #stopLooking(known: Known | undefined): void {
    if (known?.timer !== undefined) this.timers.clearTimeout(known.timer)
  }

  /** Finds out when the primary can be asked again, for who holds on to rights that it was not asked about. */
  #probe(secret: string): void {
    if (this.#probing !== undefined) this.timers.clearTimeout(this.#probing)
    this.#probing = this.timers.setTimeout(() => {
      this.#probing = undefined
      if (this.#restUntil === undefined || !this.views.watch.isAwaited(UNRESOLVED_TOKENS)) return
      if (this.#asked.size === 0) void this.#ask(secret)
    }, REST_MS)
  }

  #forget(secret: string): void {
    const known = this.#known.get(secret)
    this.#known.delete(secret)
    this.#stopLooking(known)
    if (known) this.#touch(known)
  }

  /** Has looked again who holds on to it. */
  #touch({ authority }: Known): void {
    this.views.watch.touch(keyOf(authority))
  }
}

const keyOf = ({ token }: Authority): string => `token/${token?.token.AccessorID.toLowerCase() ?? ''}`
