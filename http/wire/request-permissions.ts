// Who sends a request, for which partition and namespace, and with which rights. Everything that costs something is worked out when first
// asked for.
import type { Clock } from '../../actors/clock.js'
import { aclNotFound, unknownToken, type Refusal } from '../../actors/refusal.js'
import type { Tenancy } from '../../events/envelope.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import { AuthorizerIntersection } from '../../projections/acl/authorizer-intersection.js'
import type { Access, Resource } from '../../projections/acl/authorizer.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { DeniedAttempt } from '../audit/denied-attempt.js'
import type { Settings } from '../../server/settings/settings.js'
import type { Incoming } from './bodies/incoming-request.js'
import { denial, type Denied } from './denial.js'
import type { KeyedWrite } from './idempotency/keyed-write.js'
import type { HistoricalState } from './historical-state.js'
import { Query } from './query.js'
import type { RequestServices } from './request-services.js'
import { secretIn, serviceHeaderOf, type ServiceHeader } from './service-headers.js'
import {
  bothTenancies,
  namesDefault,
  resolveTenancy,
  type BodyTenancy,
  type RequestTenancy,
  type TenancyFacts
} from './tenancy.js'

export class RequestPermissions {
  readonly query: Query
  /** Where what is shown is that of an earlier index: the state of then. */
  past: HistoricalState | undefined
  protected readonly services: RequestServices
  protected readonly route: TenancyFacts
  /** A secret that came later, and counts in place of those of the request. */
  protected laterSecret: string | undefined
  /** Of a request with an idempotency key. */
  protected keyedWrite: KeyedWrite | undefined
  /** What was asked for, where that is not this itself. */
  protected outer: Incoming | undefined
  #now: number
  #authority: Authority | undefined
  #tenancy: RequestTenancy | undefined
  #bodyTenancy: BodyTenancy = {}

  constructor(
    services: RequestServices,
    readonly incoming: Incoming,
    route: TenancyFacts
  ) {
    this.services = services
    this.route = route
    const at = incoming.url.indexOf('?')
    this.query = at < 0 ? Query.EMPTY : new Query(incoming.url.slice(at + 1))
    this.#now = services.clock.now()
  }

  /** Epoch milliseconds; the one time of this request, which counts from when it has come whole. */
  get now(): number {
    return this.#now
  }

  /** Begins anew, when what was asked has taken its time to come: now, and who asks with which rights. */
  protected begin(): void {
    this.#now = this.clock.now()
    this.forgetAuthority()
  }

  /** As they are now: a reload may change some of them. */
  get settings(): Settings {
    return this.services.live.current
  }

  /** For what takes longer than the moment that is `now`. */
  get clock(): Clock {
    return this.services.clock
  }

  /** A header of the `X-Service-` family, or with `compat` its twin; undefined also when it is empty. */
  serviceHeader(name: ServiceHeader): string | undefined {
    return serviceHeaderOf(this.incoming, name, this.settings.compat)
  }

  /** The secret presented (acl.md §1.1), the configured default token, or undefined. */
  get secret(): string | undefined {
    return this.presentedSecret ?? (this.incoming.sender ? undefined : this.services.agentTokens.fallback)
  }

  /** The secret that the request itself carries. */
  get presentedSecret(): string | undefined {
    return this.laterSecret ?? secretIn(this.query, this.incoming, this.settings.compat)
  }

  /** Forgets who asks: after a wait the token may have gone, or have other rights. */
  forgetAuthority(): void {
    this.#authority = undefined
    this.#tenancy = undefined
  }

  /** @throws Refusal `denied` when the secret presented belongs to no valid token */
  get authority(): Authority {
    if (this.#authority) return this.#authority
    const { views, tokenUse } = this.services
    const authority = views.resolver.resolve(this.secret, this.now)
    if (!authority) throw this.#unknown
    if (authority.token) tokenUse.note(authority.token.token.AccessorID, this.now)
    const { authorizer } = this.past ?? {}
    if (authorizer)
      return (this.#authority = {
        ...authority,
        authorizer: new AuthorizerIntersection(authority.authorizer, authorizer)
      })
    return (this.#authority = this.keyedWrite ? this.keyedWrite.watch(authority) : authority)
  }

  get #unknown(): Refusal {
    const secret = this.presentedSecret
    if (secret === undefined) return aclNotFound()
    return this.services.tokensElsewhere?.refusalOf(secret) ?? unknownToken()
  }

  /**
   * Has it known who asks, where another datacenter may have to say that; undefined when nothing has to be waited for.
   * @throws Refusal `too-many`, by the promise
   */
  learnWhoAsks(): Promise<void> | undefined {
    return this.services.tokensElsewhere?.learn(this.secret)
  }

  /** Resolves when there is something to show and, where that matters, it is known who asks; undefined when it is so now. */
  ready(resolvesToken: boolean): Promise<void> | undefined {
    const { committer } = this.services
    const learn = (): Promise<void> | undefined => (resolvesToken ? this.learnWhoAsks() : undefined)
    const waiting = committer.isReadable ? learn() : committer.readable().then(learn)
    // Routing the request may have resolved the token before its rights were known.
    return waiting?.then(() => this.forgetAuthority())
  }

  /** Accessor ID of the token of who asks, as far as anything has asked for it; '' otherwise. */
  protected get accessor(): string {
    return this.#authority?.token?.token.AccessorID ?? ''
  }

  /** For lists, which an unknown token may not even see empty. @throws Refusal `denied` */
  requireToken(): void {
    this.#authority = this.authority
  }

  /** Whether the request's token has a permission; see `require` for the parameters. */
  may(resource: Resource, access: Access, segment = '', tenancy: Tenancy = this.tenancy): boolean {
    return this.authority.authorizer.may(resource, access, segment, tenancy)
  }

  /**
   * @param segment name of the thing, '' for resources without names
   * @throws Refusal `denied` that names the missing permission (decisions.md 26)
   */
  require(resource: Resource, access: Access, segment = '', tenancy: Tenancy = this.tenancy): void {
    if (!this.may(resource, access, segment, tenancy)) throw this.denial(resource, access, segment, tenancy)
  }

  /** The refusal for a missing permission. */
  denial(resource: Resource, access: Access, segment = '', tenancy: Tenancy = this.tenancy): Refusal {
    return this.denied({ permission: `${resource}:${access}`, on: segment, tenancy })
  }

  /** The refusal for a permission that the request's token lacks, which is counted and kept. */
  denied(missing: Omit<Denied, 'accessor'>): Refusal {
    const accessor = this.authority.token?.token.AccessorID ?? ANONYMOUS_ACCESSOR
    const { metrics, denials } = this.services
    metrics.countDenial(missing.permission)
    denials.note({ ...this.#attempt, accessor, lacking: missing })
    return denial({ accessor, ...missing })
  }

  /** Keeps that the request was denied for another reason than a permission that its token lacks. */
  noteRefusal(refusal: string): void {
    this.services.denials.note({ ...this.#attempt, accessor: this.accessor, refusal })
  }

  get #attempt(): Pick<DeniedAttempt, 'address' | 'requestId' | 'method' | 'url'> {
    const { address, id, method, url } = this.outer ?? this.incoming
    return { address, requestId: id, method, url }
  }

  /** The partition and namespace that the request means (tenancy.md §5.1). @throws Refusal `invalid` */
  get tenancy(): RequestTenancy {
    this.#tenancy ??= resolveTenancy(this, this.route.tenancy ?? 'one', this.#bodyTenancy)
    return this.#tenancy
  }

  /** Whether the request itself names the namespace `default`, or all of them. */
  get namesDefault(): boolean {
    return namesDefault(this, this.#bodyTenancy)
  }

  /** What the body says of the tenancy; it wins over parameters and headers. */
  useBodyTenancy(body: BodyTenancy): void {
    this.#bodyTenancy = body
    this.#tenancy = undefined
  }

  /** All that a read can show something of: the request's namespace and the caller's own. Undefined when it can be more. */
  protected get shownTenancies(): readonly Tenancy[] | undefined {
    // Of a token that is not there nobody can say where it would be.
    if (!this.route.isConfined || !this.#authority || !this.#tenancy) return undefined
    return bothTenancies(this.#tenancy, this.#authority.token?.tenancy)
  }
}
