// One request as routes see it: parameters, body, who asks with which rights, and what it reads and writes.
import type { Static, TSchema } from 'typebox'
import { eventsOf } from '../../actors/aggregate.js'
import type { Kind, Commands, Decisions } from '../../actors/aggregates.js'
import type { Caller, Command } from '../../actors/command.js'
import type { Committer } from '../../actors/committer.js'
import type { DurabilityCallback } from '../../actors/durability-barrier.js'
import { type ActorRef, inNamespace } from '../../actors/ref.js'
import type { CommandResult } from '../../actors/system.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Views } from '../../projections/read-models.js'
import { withCommit, type RouteResponse } from './response.js'
import type { BodyFile } from './bodies/body-files.js'
import { decodeBody, type BodySpec } from './bodies/body.js'
import type { KeyedWrite } from './idempotency/keyed-write.js'
import { reasonOf } from './reason.js'
import type { PathParameters } from './bodies/incoming-request.js'
import type { SubRequestInput, SubRequestWrites } from './sub-request.js'
import type { HistoricalState } from './historical-state.js'
import { RequestPermissions } from './request-permissions.js'
import { REST_PARAMETER } from './route-path.js'
import type { TenancyFacts } from './tenancy.js'

export class RequestContext extends RequestPermissions {
  #hasWritten = false
  /** What is different about its writes, where it is a part of another request. */
  #inner: SubRequestWrites | undefined

  /** To be called when the body has come: who asks, and with which rights, is asked anew, for it may have taken its time. */
  receive(body: Buffer | BodyFile): void {
    this.incoming.receive(body)
    this.begin()
  }

  /** The read models; of a request for an earlier index, what is asked for of those of then. */
  get views(): Views {
    return this.past?.views ?? this.services.views
  }

  /** The read models as they are now. */
  get currentViews(): Views {
    return this.services.views
  }

  /** The same request where another state is shown than that of now; the rights are those of now. */
  asOf(past: HistoricalState): RequestContext {
    const request = this.withRoute(this.route, this.incoming.params)
    request.laterSecret = this.laterSecret
    request.past = past
    return request
  }

  get committer(): Committer {
    return this.services.committer
  }

  /** A random UUID for something new, fit to be a secret. */
  newId(): string {
    return this.#inner?.newId ?? this.services.ids.uuid()
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

  /** Name of the node of the server that the client has asked, which agent endpoints are about. */
  get agentNode(): string {
    return this.incoming.sender?.node ?? this.settings.node_name
  }

  /**
   * The same request as of now, for what is asked later over its connection.
   * @param secret one that came meanwhile, which counts in place of those of the request
   */
  refreshed(secret = this.laterSecret): RequestContext {
    const request = new RequestContext(this.services, this.incoming, this.route)
    request.laterSecret = secret
    return request
  }

  /** The same request as one to another route, by the parameters of that one's path. */
  withRoute(route: TenancyFacts, params: PathParameters): RequestContext {
    return new RequestContext(this.services, this.incoming.withParams(params), route)
  }

  /** A part of this request: the same caller asks for a route, in the same moment. */
  subRequest(route: TenancyFacts, asked: SubRequestInput, writes: SubRequestWrites): RequestContext {
    const request = new RequestContext(this.services, this.incoming.asking(asked), route)
    request.laterSecret = this.presentedSecret
    request.keyedWrite = this.keyedWrite
    request.#inner = writes
    request.outer = this.incoming
    return request
  }

  /** Whether the answer to what it writes is kept: then that must be one commit, which is of this request alone. */
  get isKeyed(): boolean {
    return this.keyedWrite !== undefined
  }

  /** Has the request write in this way, and forgets who asks. */
  useKeyedWrite(keyedWrite: KeyedWrite): void {
    this.keyedWrite = keyedWrite
    this.forgetAuthority()
  }

  /** Whether everything is on disk that any answer made now may reflect. */
  get isDurable(): boolean {
    return this.committer.isDurable()
  }

  /** Calls when everything that an answer made now may reflect is on disk, or the log has failed; at once when it is already. */
  whenDurable(settled: DurabilityCallback): void {
    const { span } = this.incoming
    this.committer.whenDurable(this.#hasWritten ? undefined : this.shownTenancies, failure => {
      if (!failure) span?.flushed()
      settled(failure)
    })
  }

  /** Does what it asks for, as a part of its trace where traces are made. */
  traced<T>(work: () => T): T {
    const { span } = this.incoming
    return span ? span.run(work) : work()
  }

  /** @throws Refusal `invalid`, naming the field and the rule */
  decode<Schema extends TSchema>(spec: BodySpec<Schema>): Static<Schema> {
    return decodeBody(spec, this.incoming.body, this.settings.compat)
  }

  get caller(): Caller {
    const reason = reasonOf(this.incoming)
    return {
      accessor: this.accessor,
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
    reply: (decision: Decisions[K]) => RouteResponse
  ): RouteResponse {
    this.#hasWritten = true
    const { system } = this.services
    const answerOf = ({ commit, decision }: CommandResult<K>): RouteResponse =>
      withCommit(this.#inner?.answer(eventsOf(decision), commit) ?? reply(decision), commit)
    if (this.#inner?.isTrial) return answerOf({ commit: undefined, decision: system.dryRun(ref, command) })
    if (this.keyedWrite) return this.keyedWrite.write(keep => system.send(ref, command, keep), answerOf)
    return answerOf(system.send(ref, command))
  }

  /**
   * Sends a command to its actor before the one that the answer is of; what it changed is on disk afterwards. It must be
   * one that is refused when a request with an idempotency key is repeated: the answer is not kept with it.
   * @throws Refusal as `write` does
   */
  async ask<K extends Kind>(ref: ActorRef<K>, command: Commands[K]): Promise<void> {
    this.#hasWritten = true
    await this.services.system.ask(ref, command)
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
