// Caches tokens of the primary that are not replicated (`acl.token_ttl`). While it is unreachable, `acl.down_policy` decides.
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock, Timers } from '../../../actors/clock.js'
import { CredentialRefused, Refusal } from '../../../actors/refusal.js'
import { cacheLimits } from '../../../events/cache-limits.js'
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
import type { RemoteTokenResolution } from '../../../http/wire/remote-token-resolution.js'
import { failureReasonOf } from './datacenter-poller.js'
import { TOKEN_AUTHORITY, type TokenAuthority } from './primary-tokens.js'

/** Limit of cached tokens; the one that was stored longest ago is evicted, so reads only peek. */
const MAX_TOKENS = 10_000
/** Limit of cached secrets without a token. */
const MAX_REFUSED = 10_000
/** Cache time of a secret without a token. Short, because the token may be created at any moment. */
const REFUSED_MS = 2000
/** Limit of concurrent requests to the primary. */
const MAX_PENDING = 256
/** Pause after a failed request to the primary. */
const REST_MS = 1000

interface Known {
  /** Hash of the token resolution. */
  readonly digest: string
  readonly authority: Authority
  /** In the time of `Clock.elapsed`, like all times here. */
  readonly until: number
  /** Timer of the next refresh. */
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
  readonly #configured: ReadonlySet<string>
  readonly #known = new LRUCache<string, Known>(cacheLimits(MAX_TOKENS))
  readonly #refused = new LRUCache<string, Refused>(cacheLimits(MAX_REFUSED))
  readonly #pending = new Map<string, Promise<void>>()
  /** The permissions of an uncached token while the primary is unreachable. */
  readonly #downAuthority: Authority
  /** When the primary may be asked again; undefined while it answers. */
  #restUntil: number | undefined
  /** Timer of the next probe. */
  #probing: string | undefined

  constructor(
    @inject(SETTINGS) private readonly settings: Settings,
    @inject(LOGGER) private readonly logger: Logger,
    private readonly views: Views,
    @inject(TOKEN_AUTHORITY) private readonly primary: TokenAuthority,
    private readonly clock: Clock,
    private readonly timers: Timers,
    metrics: Metrics
  ) {
    const { down_policy: downPolicy, default_policy: defaultPolicy } = settings.acl
    const decided = downPolicy === 'allow' || downPolicy === 'deny' ? downPolicy : defaultPolicy
    this.#downAuthority = { token: undefined, authorizer: compileAuthorizer([], decided) }
    const { tokens, legacy_tokens: legacy } = settings.acl
    this.#configured = new Set([
      tokens.initial_management ?? '',
      ...Object.values(legacy).map(one => one.secret)
    ])
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
    return Promise.reject(new Refusal('datacenter.too-many', text))
  }

  /** Returns the request to wait for, if any; `full` if the limit of concurrent requests is reached. */
  #learning(secret: string): Promise<void> | 'full' | undefined {
    if (!this.settings.acl.enabled || this.#isOwn(secret)) return undefined
    const now = this.clock.elapsed()
    if ((this.#refused.peek(secret)?.until ?? 0) > now) return undefined
    const known = this.#known.peek(secret)
    if (known && known.until > now) return undefined
    const asking = this.#pending.get(secret)
    const mayWait = !(known && this.#servesStale)
    if (asking) return mayWait ? asking : undefined
    // While the primary is unreachable, one request at a time probes it.
    if (this.#restUntil !== undefined && (now < this.#restUntil || this.#pending.size > 0)) return undefined
    if (this.#pending.size >= MAX_PENDING) return 'full'
    const asked = this.#ask(secret)
    return mayWait ? asked : undefined
  }

  /**
   * Returns true if the primary decides about a stored token. It does for each token that is not local, such as the anonymous one or one
   * from a time when this datacenter was its own primary. Tokens of the settings are decided here.
   */
  decides({ token, secret }: TokenRow): boolean {
    return !token.Local && !this.#configured.has(secret)
  }

  #isOwn(secret: string): boolean {
    const row = this.views.tokens.bySecret(secret)
    return row !== undefined && !this.decides(row)
  }

  refusalOf(secret: string): Refusal | undefined {
    if (this.#refused.peek(secret)?.kind !== 'local') return undefined
    const { primary_datacenter: primary } = this.settings
    return new CredentialRefused(
      'token',
      'acl.token.unknown',
      `Permission denied: This is a local token in datacenter ${JSON.stringify(primary)}`
    )
  }

  authorityOf(secret: string, now: number): Authority | undefined {
    const isDown = this.#restUntil !== undefined
    const counts = ({ until }: Known | Refused): boolean =>
      !isDown || this.#extends || until > this.clock.elapsed()
    const known = this.#known.peek(secret)
    if (known && counts(known)) return known.authority.token?.isValid(now) ? known.authority : undefined
    const refused = this.#refused.peek(secret)
    return isDown && !(refused && counts(refused)) ? this.#downAuthority : undefined
  }

  /** Cached tokens outlive their TTL while the primary is unreachable. */
  get #extends(): boolean {
    return ['extend-cache', 'async-cache'].includes(this.settings.acl.down_policy)
  }

  /** Expired tokens remain valid until the primary has answered. */
  get #servesStale(): boolean {
    const { down_policy: downPolicy } = this.settings.acl
    return downPolicy === 'async-cache' || (downPolicy === 'extend-cache' && this.#restUntil !== undefined)
  }

  /** Requests one resolution per secret at a time. Never rejects. */
  #ask(secret: string): Promise<void> {
    const asked = this.primary
      .ask(secret)
      .then(resolution => this.#answered(secret, resolution))
      .catch((error: unknown) => this.#failed(secret, error))
      .finally(() => this.#pending.delete(secret))
    this.#pending.set(secret, asked)
    return asked
  }

  #answered(secret: string, resolution: TokenResolution): void {
    if (resolution.kind === 'token') this.#keep(secret, resolution)
    else this.#refuse(secret, resolution.kind)
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

  /** @throws Error if the resolution is unusable, such as rules that this version does not know */
  #keep(secret: string, resolution: ResolvedToken): void {
    const { datacenter, acl } = this.settings
    const before = this.#known.peek(secret)
    const digest = hash('sha256', JSON.stringify(resolution))
    const isSame = before?.digest === digest
    const authority = isSame
      ? before.authority
      : authorityOfResolution(resolution, secret, { datacenter, defaultPolicy: acl.default_policy })
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
    const known = this.#known.peek(secret)
    if (known && !this.#extends) this.#touch(known)
    this.#lookAgain(secret, REST_MS)
    this.#probe(secret)
  }

  /** Refreshes a token that streams or blocking queries watch. Replaces an earlier timer. */
  #lookAgain(secret: string, ms: number): void {
    const known = this.#known.peek(secret)
    if (!known) return
    this.#stopLooking(known)
    const left = (known.authority.token?.expiresAt ?? Infinity) - this.clock.now() + 1
    known.timer = this.timers.setTimeout(
      () => {
        known.timer = undefined
        if (this.#known.peek(secret) !== known || !this.views.watch.isAwaited(keyOf(known.authority))) return
        if (!known.authority.token?.isValid(this.clock.now())) return this.#touch(known)
        void this.#learning(secret)
        if (!this.#pending.has(secret)) this.#lookAgain(secret, REST_MS)
      },
      Math.min(ms, Math.max(left, 0))
    )
  }

  #stopLooking(known: Known | undefined): void {
    if (known?.timer !== undefined) this.timers.clearTimeout(known.timer)
  }

  /** Detects that the primary answers again, for watchers of unresolved permissions. */
  #probe(secret: string): void {
    if (this.#probing !== undefined) this.timers.clearTimeout(this.#probing)
    this.#probing = this.timers.setTimeout(() => {
      this.#probing = undefined
      if (this.#restUntil === undefined || !this.views.watch.isAwaited(UNRESOLVED_TOKENS)) return
      if (this.#pending.size === 0) void this.#ask(secret)
    }, REST_MS)
  }

  #forget(secret: string): void {
    const known = this.#known.peek(secret)
    this.#known.delete(secret)
    this.#stopLooking(known)
    if (known) this.#touch(known)
  }

  #touch({ authority }: Known): void {
    this.views.watch.touch(keyOf(authority))
  }
}

const keyOf = ({ token }: Authority): string => `token/${token?.token.AccessorID.toLowerCase() ?? ''}`
