// One request as routes see it: parameters, body, tenancy, and who asks with which rights. Everything that costs
// something is worked out when first asked for.
import type { Static, TSchema } from 'typebox'
import { eventsOf } from '../../actors/aggregate.js'
import type { Kind, Commands, Decisions } from '../../actors/aggregates.js'
import type { Caller, Command } from '../../actors/command.js'
import type { Clock } from '../../actors/clock.js'
import type { Committer } from '../../actors/committer.js'
import type { Settled } from '../../actors/durable-waits.js'
import { type ActorRef, inNamespace } from '../../actors/ref.js'
import type { Done } from '../../actors/system.js'
import { aclNotFound, unknownToken, type Refusal } from '../../actors/refusal.js'
import type { Tenancy } from '../../events/envelope.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import { BothAuthorizers } from '../../projections/acl/both-authorizers.js'
import type { Access, Resource } from '../../projections/acl/authorizer.js'
import type { Authority } from '../../projections/acl/resolve.js'
import type { Views } from '../../projections/views.js'
import type { Settings } from '../settings/settings.js'
import { withCommit, type Answer } from './answer.js'
import type { BodyFile } from './bodies/body-files.js'
import { decodeBody, type BodySpec } from './bodies/body.js'
import type { Attempt } from '../audit/denial.js'
import { denial, type Denied } from './denial.js'
import type { KeyedWrite } from './idempotency/keyed-write.js'
import { reasonOf } from './reason.js'
import type { Incoming, PathParameters } from './bodies/incoming.js'
import type { InnerAsked, InnerWrites } from './inner-request.js'
import type { PastState } from './past-state.js'
import type { RequestServices } from './request-services.js'
import { Query } from './query.js'
import { REST_PARAMETER } from './route-path.js'
import { secretIn, serviceHeaderOf, type ServiceHeader } from './service-headers.js'
import {
  bothTenancies,
  namesDefault,
  resolveTenancy,
  type BodyTenancy,
  type RequestTenancy,
  type TenancyFacts
} from './tenancy.js'

export class ApiRequest {
  readonly incoming: Incoming
  readonly query: Query
  /** Where what is shown is that of an earlier index: the state of then. */
  past: PastState | undefined
  readonly #services: RequestServices
  readonly #route: TenancyFacts
  #now: number
  #authority: Authority | undefined
  #tenancy: RequestTenancy | undefined
  #bodyTenancy: BodyTenancy = {}
  #hasWritten = false
  /** Of a request with an idempotency key. */
  #keyedWrite: KeyedWrite | undefined
  /** A secret that came later, and counts in place of those of the request. */
  #laterSecret: string | undefined
  /** What is different about its writes, where it is a part of another request. */
  #inner: InnerWrites | undefined
  /** What was asked for, where that is not this itself. */
  #outer: Incoming | undefined

  constructor(services: RequestServices, incoming: Incoming, route: TenancyFacts) {
    this.#services = services
    this.#route = route
    this.incoming = incoming
    const at = incoming.url.indexOf('?')
    this.query = at < 0 ? Query.EMPTY : new Query(incoming.url.slice(at + 1))
    this.#now = services.clock.now()
  }

  /** To be called when the body has come: who asks, and with which rights, is asked anew, for it may have taken its time. */
  receive(body: Buffer | BodyFile): void {
    this.incoming.receive(body)
    this.#now = this.clock.now()
    this.forgetAuthority()
  }

  /** Epoch milliseconds; the one time of this request, which counts from when it has come whole. */
  get now(): number {
    return this.#now
  }

  /** The read models; of a request for an earlier index, what is asked for of those of then. */
  get views(): Views {
    return this.past?.views ?? this.#services.views
  }

  /** The read models as they are now. */
  get present(): Views {
    return this.#services.views
  }

  /** The same request where another state is shown than that of now; the rights are those of now. */
  asOf(past: PastState): ApiRequest {
    const request = this.to(this.#route, this.incoming.params)
    request.#laterSecret = this.#laterSecret
    request.past = past
    return request
  }

  /** As they are now: a reload may change some of them. */
  get settings(): Settings {
    return this.#services.live.current
  }

  /** For what takes longer than the moment that is `now`. */
  get clock(): Clock {
    return this.#services.clock
  }

  get committer(): Committer {
    return this.#services.committer
  }

  /** A random UUID for something new, fit to be a secret. */
  newId(): string {
    return this.#inner?.newId ?? this.#services.ids.uuid()
  }

  get pretty(): boolean {
    return this.query.has('pretty')
  }

  /** A parameter of the path; '' when it is not there. */
  param(name: string): string {
    const { params } = this.incoming
    return params[name] ?? params[REST_PARAMETER] ?? ''
  }

  /** A header's first value by its lower-case name. */
  header(name: string): string | undefined {
    return this.incoming.header(name)
  }

  /** A header of the `X-Service-` family, or with `compat` its twin; undefined also when it is empty. */
  serviceHeader(name: ServiceHeader): string | undefined {
    return serviceHeaderOf(this.incoming, name, this.settings.compat)
  }

  /** The secret presented (acl.md §1.1), the configured default token, or undefined. */
  get secret(): string | undefined {
    return this.presentedSecret ?? (this.incoming.sender ? undefined : this.#services.agentTokens.fallback)
  }

  /** Name of the node of the server that the client has asked, which agent endpoints are about. */
  get agentNode(): string {
    return this.incoming.sender?.node ?? this.settings.node_name
  }

  /** The secret that the request itself carries. */
  get presentedSecret(): string | undefined {
    return this.#laterSecret ?? secretIn(this.query, this.incoming, this.settings.compat)
  }

  /**
   * The same request as of now, for what is asked later over its connection.
   * @param secret one that came meanwhile, which counts in place of those of the request
   */
  anew(secret = this.#laterSecret): ApiRequest {
    const request = new ApiRequest(this.#services, this.incoming, this.#route)
    request.#laterSecret = secret
    return request
  }

  /** The same request as one to another route, by the parameters of that one's path. */
  to(route: TenancyFacts, params: PathParameters): ApiRequest {
    return new ApiRequest(this.#services, this.incoming.withParams(params), route)
  }

  /** A part of this request: the same caller asks for a route, in the same moment. */
  part(route: TenancyFacts, asked: InnerAsked, writes: InnerWrites): ApiRequest {
    const request = new ApiRequest(this.#services, this.incoming.asking(asked), route)
    request.#laterSecret = this.presentedSecret
    request.#keyedWrite = this.#keyedWrite
    request.#inner = writes
    request.#outer = this.incoming
    return request
  }

  /** Forgets who asks: after a wait the token may have gone, or have other rights. */
  forgetAuthority(): void {
    this.#authority = undefined
    this.#tenancy = undefined
  }

  /** @throws Refusal `denied` when the secret presented belongs to no valid token */
  get authority(): Authority {
    if (this.#authority) return this.#authority
    const { views, tokenUse } = this.#services
    const authority = views.resolver.resolve(this.secret, this.now)
    if (!authority) throw this.presentedSecret === undefined ? aclNotFound() : unknownToken()
    if (authority.token) tokenUse.note(authority.token.token.AccessorID, this.now)
    const { authorizer } = this.past ?? {}
    if (authorizer)
      return (this.#authority = {
        ...authority,
        authorizer: new BothAuthorizers(authority.authorizer, authorizer)
      })
    return (this.#authority = this.#keyedWrite ? this.#keyedWrite.watch(authority) : authority)
  }

  /** Whether the answer to what it writes is kept: then that must be one commit, which is of this request alone. */
  get isKeyed(): boolean {
    return this.#keyedWrite !== undefined
  }

  /** Has the request write in this way, and forgets who asks. */
  useKeyedWrite(keyedWrite: KeyedWrite): void {
    this.#keyedWrite = keyedWrite
    this.forgetAuthority()
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
    const { metrics, denials } = this.#services
    metrics.countDenial(missing.permission)
    denials.note({ ...this.#attempt, accessor, lacking: missing })
    return denial({ accessor, ...missing })
  }

  /** Keeps that the request was denied for another reason than a permission that its token lacks. */
  noteRefusal(refusal: string): void {
    const accessor = this.#authority?.token?.token.AccessorID ?? ''
    this.#services.denials.note({ ...this.#attempt, accessor, refusal })
  }

  get #attempt(): Pick<Attempt, 'address' | 'requestId' | 'method' | 'url'> {
    const { address, id, method, url } = this.#outer ?? this.incoming
    return { address, requestId: id, method, url }
  }

  /** The partition and namespace that the request means (tenancy.md §5.1). @throws Refusal `invalid` */
  get tenancy(): RequestTenancy {
    this.#tenancy ??= resolveTenancy(this, this.#route.tenancy ?? 'one', this.#bodyTenancy)
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

  /** Whether everything is on disk that any answer made now may reflect. */
  get isSettled(): boolean {
    return this.committer.isSettled()
  }

  /** Calls when everything that an answer made now may reflect is on disk, or the log has failed; at once when it is already. */
  whenSettled(settled: Settled): void {
    this.committer.whenSettled(this.#shownTenancies, settled)
  }

  /** All that an answer can show something of: the request's namespace and the caller's own. Undefined when it can be more. */
  get #shownTenancies(): readonly Tenancy[] | undefined {
    // Of a token that is not there nobody can say where it would be.
    if (!this.#route.isConfined || this.#hasWritten || !this.#authority || !this.#tenancy) return undefined
    return bothTenancies(this.#tenancy, this.#authority.token?.tenancy)
  }

  /** @throws Refusal `invalid`, naming the field and the rule */
  decode<Schema extends TSchema>(spec: BodySpec<Schema>): Static<Schema> {
    return decodeBody(spec, this.incoming.body, this.settings.compat)
  }

  get caller(): Caller {
    const reason = reasonOf(this.incoming)
    return {
      accessor: this.#authority?.token?.token.AccessorID ?? '',
      address: this.incoming.address,
      requestId: this.incoming.id,
      ...(reason === undefined ? {} : { reason })
    }
  }

  /**
   * Sends a command to its actor, and answers with what `reply` makes of the state right after it. The answer bears the
   * index of what was written, so that a writer knows what to wait for (decisions.md 29); none when there was nothing to
   * write. It is not durable yet: the exchange holds it back until it is, as every answer (see `settled`).
   * @throws Refusal of the decision, or `unavailable` when the log cannot be written
   */
  write<K extends Kind>(
    ref: ActorRef<K>,
    command: Commands[K],
    reply: (decision: Decisions[K]) => Answer
  ): Answer {
    this.#hasWritten = true
    const { system } = this.#services
    const answerOf = ({ commit, decision }: Done<K>): Answer =>
      withCommit(this.#inner?.answer(eventsOf(decision), commit) ?? reply(decision), commit)
    if (this.#inner?.isTrial) return answerOf({ commit: undefined, decision: system.tryOut(ref, command) })
    if (this.#keyedWrite) return this.#keyedWrite.write(keep => system.send(ref, command, keep), answerOf)
    return answerOf(system.send(ref, command))
  }

  /**
   * Sends a command to its actor before the one that the answer is of; what it changed is on disk afterwards. It must be
   * one that is refused when a request with an idempotency key is repeated: the answer is not kept with it.
   * @throws Refusal as `write` does
   */
  async ask<K extends Kind>(ref: ActorRef<K>, command: Commands[K]): Promise<void> {
    this.#hasWritten = true
    await this.#services.system.ask(ref, command)
  }

  /** A thing in the request's tenancy. */
  ref<const K extends Kind>(kind: K, key: string): ActorRef<K> {
    return inNamespace(kind, this.tenancy, key)
  }

  /** A command of this request: its time, caller and tenancy. */
  command<const Name extends string, Data>(
    name: Name,
    data: Data,
    tenancy: Tenancy = this.tenancy
  ): Command<Name, Data> {
    const cause = this.#inner === undefined ? {} : { cause: this.#inner.cause }
    return { name, tenancy, data, caller: this.caller, at: this.now, ...cause }
  }
}
