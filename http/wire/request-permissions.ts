import type { Clock } from '../../actors/clock.js'
import { aclNotFound, unknownToken, type Refusal } from '../../actors/refusal.js'
import type { Tenancy } from '../../events/envelope.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import {
  AuthorizerIntersection,
  isGranted,
  type Access,
  type Resource,
  type Authorizer
} from '../../projections/acl/authorizer.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { DeniedAttempt, MissingPermission } from '../audit/denied-attempt.js'
import type { Settings } from '../../server/settings/settings.js'
import type { IncomingMessage } from 'node:http'
import type { RequestSpan } from '../../server/telemetry/tracing/tracing.js'
import {
  IncomingRequest,
  type Output,
  type PathParameters,
  type SubRequestInput
} from './bodies/incoming-request.js'
import { denial } from './denial.js'
import type { KeyedWrite } from './idempotency/first-write.js'
import { Query } from './query.js'
import { RequestUsage } from './request-usage.js'
import type { RequestServices } from './request-services.js'
import {
  bothTenancies,
  namesDefault,
  resolveTenancy,
  type BodyTenancy,
  type RequestTenancy,
  type TenancyFacts
} from './tenancy.js'
import type { Views } from '../../projections/read-models.js'

const BEARER = /^bearer +(\S+)/i

/** The headers of both families (decisions.md 30). */
const SERVICE_HEADERS = {
  token: { ours: 'x-service-token', theirs: 'x-consul-token' },
  namespace: { ours: 'x-service-namespace', theirs: 'x-consul-namespace' },
  partition: { ours: 'x-service-partition', theirs: 'x-consul-partition' }
} as const

type ServiceHeader = keyof typeof SERVICE_HEADERS

const TENANCY_HEADERS = [SERVICE_HEADERS.namespace, SERVICE_HEADERS.partition].flatMap(Object.values)

const NO_TENANCY: BodyTenancy = {}

/** The state at an earlier index, for a time travel request. */
export interface HistoricalState {
  /** Complete only for the resources that the request needs. */
  readonly views: Views
  readonly index: number
  /** Epoch milliseconds. */
  readonly moment: number
  /** The historical permissions, where they are required in addition to the current ones. */
  readonly authorizer: Authorizer | undefined
}

interface TokenUse {
  readonly resolvesToken: boolean
  readonly isByContent?: true
}

export class RequestPermissions extends IncomingRequest {
  readonly query: Query
  /** The settings at the arrival of the request, or of its body. */
  settings: Settings
  /** Epoch milliseconds. The time of the request, renewed when its body has arrived. */
  now: number
  past: HistoricalState | undefined
  /** A secret that arrived later and replaces that of the request. */
  protected laterSecret: string | undefined
  protected keyedWrite: KeyedWrite | undefined
  /** The request that this is a sub-request of. */
  protected outer: IncomingRequest | undefined
  #authority: Authority | undefined
  #tenancy: RequestTenancy | undefined
  /** The index of the state in which the caller was resolved. */
  #resolvedAt = 0
  #bodyTenancy: BodyTenancy = NO_TENANCY
  readonly usage: RequestUsage

  constructor(
    protected readonly services: RequestServices,
    protected readonly route: TenancyFacts,
    message: IncomingMessage,
    output: Output,
    span: RequestSpan | undefined,
    params: PathParameters,
    sub?: SubRequestInput
  ) {
    super(services.arrivals, message, output, span, params, sub)
    const at = this.url.indexOf('?')
    this.query = at < 0 ? Query.EMPTY : new Query(this.url.slice(at + 1))
    this.settings = services.live.current
    this.now = services.clock.now()
    this.usage = new RequestUsage(services.accessUsage, this)
  }

  /** Resumes when the body has arrived: the token may have expired, or have been deleted or changed, also in another datacenter. */
  protected resume(): void {
    const { live, clock, views, remoteTokens } = this.services
    const { expiresAt = Infinity } = this.#authority?.token ?? {}
    this.now = clock.now()
    const isUnchanged = live.current === this.settings && views.index === this.#resolvedAt
    if (!isUnchanged || remoteTokens || this.now > expiresAt) this.forgetAuthority()
    this.settings = live.current
  }

  get clock(): Clock {
    return this.services.clock
  }

  /** Returns a header of the `X-Service-` family, or with `compat` its twin; undefined if absent or empty. */
  serviceHeader(name: ServiceHeader): string | undefined {
    const { ours, theirs } = SERVICE_HEADERS[name]
    const value = this.headers[ours] || (this.settings.compat ? this.headers[theirs] : undefined)
    return (typeof value === 'object' ? value[0] : value) || undefined
  }

  /** False if no parameter and no header can name a namespace or a partition. */
  get mayNameTenancy(): boolean {
    if (!this.query.isEmpty) return true
    for (const name of TENANCY_HEADERS) if (this.headers[name] !== undefined) return true
    return false
  }

  /** The secret presented (acl.md §1.1), the configured default token, or undefined. */
  get secret(): string | undefined {
    return this.presentedSecret ?? (this.sender ? undefined : this.services.agentTokens.fallback)
  }

  get presentedSecret(): string | undefined {
    const { query, headers, laterSecret } = this
    const secret =
      laterSecret ?? (query.isEmpty ? undefined : query.filled('token')) ?? this.serviceHeader('token')
    if (secret !== undefined) return secret
    const theirs = this.settings.compat ? this.header('x-nomad-token') : undefined
    if (theirs) return theirs
    const { authorization } = headers
    return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
  }

  /** Resets the caller's permissions and the time: after a wait the token may have expired, or be deleted or changed. */
  forgetAuthority(): undefined {
    this.now = this.services.clock.now()
    this.#authority = undefined
    this.#tenancy = undefined
  }

  /** @throws Refusal `denied` for an unknown or expired secret */
  get authority(): Authority {
    return this.#authority ?? this.#resolveAuthority()
  }

  #resolveAuthority(): Authority {
    const { views, tokenUse } = this.services
    this.#resolvedAt = views.index
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
    return this.services.remoteTokens?.refusalOf(secret) ?? unknownToken()
  }

  /**
   * Resolves the caller's token in another datacenter if necessary; undefined when nothing must be awaited.
   * @throws Refusal `too-many`, by the promise
   */
  resolveCaller(): Promise<void> | undefined {
    return this.services.remoteTokens?.learn(this.secret)
  }

  /** Resolves when the read models are readable and, if required, the caller is resolved; undefined if both are so now. */
  ready(resolvesToken: boolean): Promise<undefined> | undefined {
    const { committer, remoteTokens } = this.services
    const learnsToken = resolvesToken && remoteTokens !== undefined
    if (!committer.isReadable)
      return committer
        .readable()
        .then(() => (learnsToken ? this.resolveCaller() : undefined))
        .then(() => this.forgetAuthority())
    const learning = learnsToken ? this.resolveCaller() : undefined
    // Routing the request may have resolved the token before its rights were known.
    return learning?.then(() => this.forgetAuthority())
  }

  protected get accessor(): string {
    return this.#authority?.token?.token.AccessorID ?? ''
  }

  /** Rejects an unknown token, also for empty lists. @throws Refusal `denied` */
  requireToken(): void {
    this.#authority ??= this.#resolveAuthority()
  }

  /** Rejects an unknown token if an endpoint resolves it, whatever the body. @throws Refusal `denied` */
  checkToken({ resolvesToken, isByContent }: TokenUse): void {
    if (resolvesToken && !isByContent) this.#authority ??= this.#resolveAuthority()
  }

  /** Decides for a row or a field of a response, or for a shortcut: a denial only hides it. */
  may(resource: Resource, access: Access, segment = '', tenancy: Tenancy = this.tenancy): boolean {
    const { authorizer } = this.#authority ?? this.#resolveAuthority()
    const ruling = authorizer.rulingOf(resource, access, segment, tenancy)
    const isAllowed = isGranted(ruling, access)
    if (isAllowed) this.usage.countRow(ruling, resource, access, segment, tenancy)
    return isAllowed
  }

  /** Decides for the request or for an operation of it. `denial` reports a denial. */
  permits(resource: Resource, access: Access, segment = '', tenancy: Tenancy = this.tenancy): boolean {
    const { authorizer, token } = this.#authority ?? this.#resolveAuthority()
    const isAllowed = authorizer.may(resource, access, segment, tenancy)
    if (isAllowed) this.usage.count(token, resource, access, segment, tenancy, true)
    return isAllowed
  }

  /**
   * @param segment name of the resource, '' for resources without names
   * @throws Refusal `denied` that names the missing permission (decisions.md 26)
   */
  require(resource: Resource, access: Access, segment = '', tenancy: Tenancy = this.tenancy): void {
    if (!this.permits(resource, access, segment, tenancy))
      throw this.denial(resource, access, segment, tenancy)
  }

  denial(resource: Resource, access: Access, segment = '', tenancy: Tenancy = this.tenancy): Refusal {
    this.usage.count(this.authority.token, resource, access, segment, tenancy, false)
    return this.denied({ permission: `${resource}:${access}`, on: segment, tenancy })
  }

  denied(missing: MissingPermission): Refusal {
    const accessor = this.authority.token?.token.AccessorID ?? ANONYMOUS_ACCESSOR
    const { metrics, denials } = this.services
    metrics.countDenial(missing.permission)
    denials.note({ ...this.#attempt, accessor, lacking: missing })
    return denial({ accessor, ...missing })
  }

  noteRefusal(refusal: string): void {
    this.services.denials.note({ ...this.#attempt, accessor: this.accessor, refusal })
  }

  get #attempt(): Pick<DeniedAttempt, 'address' | 'requestId' | 'method' | 'url'> {
    const { address, id, method, url } = this.outer ?? this
    return { address, requestId: id, method, url }
  }

  /** The partition and namespace of the request (tenancy.md §5.1). @throws Refusal `invalid` */
  get tenancy(): RequestTenancy {
    this.#tenancy ??= resolveTenancy(this, this.route.tenancy ?? 'one', this.#bodyTenancy)
    return this.#tenancy
  }

  get namesDefault(): boolean {
    const body = this.#bodyTenancy
    return (body !== NO_TENANCY || this.mayNameTenancy) && namesDefault(this, body)
  }

  /** Sets the tenancy in the body, which overrides parameters and headers. */
  useBodyTenancy(body: BodyTenancy): void {
    this.#bodyTenancy = body
    this.#tenancy = undefined
  }

  /** The tenancies that a response can reflect: the request's namespace and the caller's own. Undefined for unlimited ones. */
  protected get shownTenancies(): readonly Tenancy[] | undefined {
    // The tenancy of an unresolved token is unknown.
    if (!this.route.isConfined || !this.#authority || !this.#tenancy) return undefined
    return bothTenancies(this.#tenancy, this.#authority.token?.tenancy)
  }
}
