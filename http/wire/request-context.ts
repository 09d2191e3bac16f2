import type { Static, TSchema } from 'typebox'
import { type Caller, type Command, eventsOf } from '../../actors/aggregate.js'
import type { Kind, Commands, Decisions } from '../../actors/aggregates.js'
import type { Committer } from '../../actors/committer.js'
import type { DurabilityCallback } from '../../actors/durability-barrier.js'
import type { ActorRef } from '../../actors/ref.js'
import type { CommandResult } from '../../actors/system.js'
import type { Commit, Tenancy } from '../../events/envelope.js'
import type { Views } from '../../projections/read-models.js'
import type { Steps } from '../../projections/steps.js'
import { runBeside } from './cooperative-chunks.js'
import { type RouteResponse, jsonText } from './response.js'
import { decodeBody, type BodySpec } from './bodies/body.js'
import type { KeyedWrite } from './idempotency/first-write.js'
import type { PathParameters, SubRequestInput, SubRequestWrites } from './bodies/incoming-request.js'
import { type HistoricalState, RequestPermissions } from './request-permissions.js'
import { REST_PARAMETER } from './route-path.js'
import type { TenancyFacts } from './tenancy.js'

/** Adds the index of the commit to the response of a write. */
const withCommit = (
  { status, body, type, headers }: RouteResponse,
  commit: Commit | undefined
): RouteResponse => {
  const index = commit ? ['X-Service-Index', String(commit.Index)] : []
  return { status, body, type, headers: headers.length > 0 ? [...headers, ...index] : index }
}

export class RequestContext extends RequestPermissions {
  #hasWritten = false
  #inner: SubRequestWrites | undefined

  /** The reason of a write, once validated. */
  reason: string | undefined
  /** True if a write requests a checkpoint, once validated. */
  wantsCheckpoint = false
  /** The idempotency key of a write, once validated. */
  idempotencyKey: string | undefined

  get views(): Views {
    return this.past?.views ?? this.#inner?.draft?.views ?? this.services.views
  }

  get currentViews(): Views {
    return this.services.views
  }

  asOf(past: HistoricalState): RequestContext {
    const request = this.withRoute(this.route, this.params)
    request.laterSecret = this.laterSecret
    request.past = past
    return request
  }

  get committer(): Committer {
    return this.services.committer
  }

  newId(): string {
    return this.#inner?.newId ?? this.services.ids.uuid()
  }

  /** As `Chunks.run`, until the client disconnects. */
  runInChunks<Result>(steps: Steps<Result>): Result | Promise<Result> {
    return this.services.chunks.run(steps, this.readerCheck())
  }

  /** As `runBeside`, until the client disconnects. */
  runBeside<Result>(steps: Steps<Result>): Promise<Result> {
    return runBeside(steps, this.readerCheck())
  }

  param(name: string): string {
    return this.params[name] ?? this.params[REST_PARAMETER] ?? ''
  }

  /** Node name of the server that received the request, which agent endpoints are about. */
  get agentNode(): string {
    return this.sender?.node ?? this.settings.node_name
  }

  /**
   * Returns the same request at the current time, for later messages on its connection.
   * @param secret replaces the secret of the request
   */
  refreshed(secret = this.laterSecret): RequestContext {
    const request = this.withRoute(this.route, this.params)
    request.laterSecret = secret
    return request
  }

  withRoute(route: TenancyFacts, params: PathParameters): RequestContext {
    const request = this.#derived(route, params)
    request.body = this.body
    request.file = this.file
    return request
  }

  /** Returns a request of the same caller at the same time for another route. */
  subRequest(route: TenancyFacts, input: SubRequestInput, writes: SubRequestWrites): RequestContext {
    const request = this.#derived(route, input.params, input)
    request.laterSecret = this.presentedSecret
    request.keyedWrite = this.keyedWrite
    request.#inner = writes
    if (writes.isTrial) request.usage.end()
    request.outer = this
    return request
  }

  #derived(route: TenancyFacts, params: PathParameters, sub?: SubRequestInput): RequestContext {
    const request = new RequestContext(
      this.services,
      route,
      this.message,
      this.output,
      this.span,
      params,
      sub
    )
    request.shareId(this)
    if (!this.usage.isOn) request.usage.end()
    request.reason = this.reason
    return request
  }

  get isKeyed(): boolean {
    return this.keyedWrite !== undefined
  }

  useKeyedWrite(keyedWrite: KeyedWrite): void {
    this.keyedWrite = keyedWrite
    if (keyedWrite.isRepeat) this.usage.end()
    this.forgetAuthority()
  }

  /** Calls `settled` when everything that a response can reflect is on disk, or the log has failed; immediately if it is already. */
  whenDurable(settled: DurabilityCallback): void {
    const { span } = this
    const flushed: DurabilityCallback = span
      ? failure => {
          if (!failure) span.flushed()
          settled(failure)
        }
      : settled
    this.services.committer.whenDurable(this.#hasWritten ? undefined : this.shownTenancies, flushed)
  }

  /** @throws Refusal `invalid`, naming the field and the rule */
  decode<Schema extends TSchema>(spec: BodySpec<Schema>): Static<Schema> {
    return decodeBody(spec, this.body, this.settings.compat)
  }

  get caller(): Caller {
    const { accessor, address, id: requestId, reason } = this
    return reason === undefined ? { accessor, address, requestId } : { accessor, address, requestId, reason }
  }

  /**
   * Sends a command to its actor, and creates the response from the decision. The response has the index of the commit, which a writer can
   * wait for (decisions.md 29), or none if nothing changed. The request pipeline delays it until the commit is durable.
   * @throws Refusal of the decision, or `unavailable` when the log cannot be written
   */
  write<K extends Kind>(
    ref: ActorRef<K>,
    command: Commands[K],
    reply: (decision: Decisions[K]) => RouteResponse
  ): RouteResponse {
    const { draft } = this.#inner ?? {}
    if (draft) return draft.take(ref, command)
    this.#hasWritten = true
    const { system } = this.services
    const answerOf = ({ commit, decision }: CommandResult<K>): RouteResponse =>
      withCommit(this.#inner?.answer?.(eventsOf(decision), commit) ?? reply(decision), commit)
    if (this.#inner?.isTrial) return answerOf({ commit: undefined, decision: system.dryRun(ref, command) })
    if (this.keyedWrite) return this.keyedWrite.write(keep => system.send(ref, command, keep), answerOf)
    return answerOf(system.send(ref, command))
  }

  /**
   * Sends a preparatory command to its actor before the main one, and waits until it is durable. Its response is not stored with the
   * idempotency key, so a repeat must be refused.
   * @throws Refusal as `write` does
   */
  async ask<K extends Kind>(ref: ActorRef<K>, command: Commands[K]): Promise<void> {
    this.#hasWritten = true
    await this.services.system.ask(ref, command)
  }

  ref<const K extends Kind>(kind: K, key: string): ActorRef<K> {
    const { partition, namespace } = this.tenancy
    return { kind, partition, namespace, key }
  }

  command<const Name extends string, Data>(
    name: Name,
    data: Data,
    tenancy: Tenancy = this.tenancy
  ): Command<Name, Data> {
    const command = { name, tenancy, data, caller: this.caller, at: this.now }
    return this.#inner?.cause === undefined ? command : { ...command, cause: this.#inner.cause }
  }
}

// The field `Namespace` of ACL resources in the namespace `default`, which is omitted by default (spec: tenancy.md §8).

export const withNamespace = (text: string, { namespace }: Tenancy): string =>
  namespace === 'default' ? `${text.slice(0, -1)},"Namespace":"default"}` : text

/** Returns the JSON object of an ACL resource, with `Namespace` if the request names `default` or all namespaces. */
export const aclText = (request: RequestContext, text: string, tenancy: Tenancy): string =>
  request.namesDefault ? withNamespace(text, tenancy) : text

/** Responds to a write of an ACL resource with its current state; `null` if it does not exist. */
export const writtenAcl = <Row extends { readonly tenancy: Tenancy }>(
  request: RequestContext,
  row: Row | undefined,
  text: (row: Row) => string
): RouteResponse => jsonText(row ? aclText(request, text(row), row.tenancy) : 'null')
