import { recovery } from '../../../events/errors.js'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock, Timers } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { Refusal } from '../../../actors/refusal.js'
import type { RefusalCode } from '../../../actors/refusal-codes.js'
import { CommitsPruned, type LogReader } from '../../../events/log/log.js'
import { idempotentResponseAt } from '../../../events/log/lookups.js'
import type { IdempotentResponse } from '../../../events/envelope.js'
import { IdempotencyKeyCounts } from '../../../projections/idempotent-responses.js'
import { Views } from '../../../projections/read-models.js'
import { Metrics } from '../../../server/telemetry/metrics/metrics.js'
import { EVENT_LOG, LOGGER } from '../../../server/settings/ports.js'
import { LiveSettings } from '../../../server/settings/settings.js'
import type { RouteResponse } from '../response.js'
import { REQUEST_ROUTING, type RequestRouting } from '../request-routing.js'
import type { RequestContext } from '../request-context.js'
import { answerTo, type Route } from '../route.js'
import { hashOfBody, IDEMPOTENCY_HEADER, keyFingerprintOf } from './key.js'
import { FirstWrite, type NamedWrite, type KeyedWrite } from './first-write.js'
import { stillGrants, type GrantedPermission } from '../../../projections/acl/granted-permissions.js'
import type { Authority } from '../../../projections/acl/resolver.js'

class RepeatedWrite implements KeyedWrite {
  readonly isRepeat = true

  constructor(private readonly kept: IdempotentResponse) {}

  watch(authority: Authority): Authority {
    return authority
  }

  write(): RouteResponse {
    const { Status, Text, Type, Headers } = this.kept
    return { status: Status, body: Text, type: Type, headers: Headers }
  }

  /** Returns the response if the caller still has every permission that the first write used. @throws Refusal `denied` */
  answerTo(request: RequestContext): RouteResponse {
    const rights: readonly GrantedPermission[] = JSON.parse(this.kept.Rights)
    for (const right of rights)
      if (!stillGrants(request.authority.authorizer, right)) throw denialOf(request, right)
    return this.write()
  }
}

const denialOf = (request: RequestContext, right: GrantedPermission): Error => {
  switch (right.asked) {
    case 'thing':
      return request.denial(right.resource, right.access, right.segment, right)
    case 'all':
      return request.denial(right.resource, 'read', '', right)
    case 'namespace':
      return request.denial('operator', right.access)
  }
}

interface FirstTry {
  readonly body: string
  readonly waiting: Set<() => void>
}

@scoped(Lifecycle.ContainerScoped)
export class KeyedWrites {
  readonly #count: (outcome: string) => void
  readonly #tries = new Map<string, FirstTry>()
  #pendingWrites = 0
  readonly #pendingKeys = new IdempotencyKeyCounts()

  constructor(
    private readonly views: Views,
    private readonly committer: Committer,
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly settings: LiveSettings,
    private readonly clock: Clock,
    private readonly timers: Timers,
    metrics: Metrics,
    @inject(LOGGER) private readonly logger: Logger,
    @inject(REQUEST_ROUTING, { isOptional: true }) private readonly routing?: RequestRouting
  ) {
    metrics.gauge('annals_idempotency_keys', 'Stored idempotent responses', () => views.keptAnswers.size)
    this.#count = metrics.counter(
      'annals_idempotent_requests_total',
      'Requests with an idempotency key: first attempts, and repeats that were answered from the store, rejected, or have an unknown outcome',
      'outcome'
    )
  }

  /**
   * Handles a request, unless one with the same key was handled before.
   * @throws Refusal of the route; `mismatch` for another body; `too-many` if no further key can be stored; `gone` if the response was
   * pruned; `denied` if the caller lost a permission that the response needs; `unknown` if the first request has not ended in time
   */
  async handle(route: Route, request: RequestContext, key: string): Promise<RouteResponse> {
    const body = hashOfBody(request)
    const timeout = this.clock.elapsed() + (this.settings.current.limits.request_timeout || Infinity)
    // Not longer than the first request, so that both report the same unknown outcome.
    const until = Math.min(timeout, this.routing?.deadline ?? Infinity)
    for (;;) {
      const name = keyFingerprintOf(key, route, request)
      const first = this.#tries.get(name)
      const index = this.views.keptAnswers.find(name)
      if (first) {
        if (first.body !== body) throw this.#mismatch()
        if (!(await this.#hasEnded(first, request, until)))
          throw this.#refused(
            'idempotency.outcome-unknown',
            `The outcome is not known: the first request with this ${IDEMPOTENCY_HEADER} has not come to its end; repeat it later`
          )
        if (!this.committer.isReadable) await this.committer.readable()
      } else if (index === undefined) return this.#decide(route, request, { name, body })
      else {
        const kept = await this.#storedAt(index)
        request.forgetAuthority()
        // Meanwhile the response may have expired, or the secret may belong to another token.
        const isStill =
          this.views.keptAnswers.find(name) === index && keyFingerprintOf(key, route, request) === name
        if (isStill) {
          if (!kept)
            throw this.#refused(
              'idempotency.gone',
              `The first request with this ${IDEMPOTENCY_HEADER} made commit ${index}, whose answer is no longer kept: it was erased, or the log has let it go`
            )
          return this.#again(route, request, body, kept)
        }
      }
      request.forgetAuthority()
    }
  }

  async #decide(route: Route, request: RequestContext, named: NamedWrite): Promise<RouteResponse> {
    const { name, body } = named
    this.#requireRoom(name)
    this.#count('first')
    const first: FirstTry = { body, waiting: new Set() }
    this.#tries.set(name, first)
    this.#pendingWrites++
    this.#pendingKeys.add(name)
    const settle = (): void => {
      this.#pendingWrites--
      this.#pendingKeys.remove(name)
    }
    const write = new FirstWrite(named, settle, this.logger)
    let certain = Promise.resolve()
    try {
      request.useKeyedWrite(write)
      const answer = await answerTo(route, request)
      if (!this.committer.isDurable()) await this.committer.durable()
      return answer
    } catch (error) {
      // A failed log knows the outcome once it is writable. After a timeout it is writable already; the commit is then among the read
      // models, where a repeat waits for it.
      if (error instanceof Refusal && error.kind === 'unknown') certain = this.committer.writable()
      throw error
    } finally {
      if (!write.isStored) settle()
      void certain.then(() => this.#end(name, first))
    }
  }

  /** @throws Refusal `too-many` */
  #requireRoom(name: string): void {
    const { max_keys: most, max_keys_per_token: mostOfOne } = this.settings.current.idempotency
    const full = (of: string, setting: string): Refusal =>
      this.#refused(
        'idempotency.too-many',
        `Too many idempotency keys${of} are kept (idempotency.${setting}); try again later`,
        'full'
      )
    if (this.views.keptAnswers.size + this.#pendingWrites >= most)
      throw full(`: the answers of ${most}`, 'max_keys')
    if (this.views.keptAnswers.countOf(name) + this.#pendingKeys.countOf(name) >= mostOfOne)
      throw full(` of this token: the answers of ${mostOfOne}`, 'max_keys_per_token')
  }

  #end(name: string, first: FirstTry): void {
    this.#tries.delete(name)
    for (const notify of first.waiting) notify()
  }

  /** Resolves with true at the end of a first try, or with false after the deadline or when the client disconnects. */
  #hasEnded({ waiting }: FirstTry, request: RequestContext, until: number): Promise<boolean> {
    const left = until - this.clock.elapsed()
    if (left <= 0) return Promise.resolve(false)
    return new Promise(resolve => {
      const finish = (isOver: boolean): void => {
        waiting.delete(end)
        if (timer !== undefined) this.timers.clearTimeout(timer)
        unlisten()
        resolve(isOver)
      }
      const end = (): void => finish(true)
      waiting.add(end)
      const timer = left === Infinity ? undefined : this.timers.setTimeout(() => finish(false), left)
      const unlisten = request.onGone(() => finish(false))
    })
  }

  async #storedAt(index: number): Promise<IdempotentResponse | undefined> {
    if (this.log.durableIndex < index) await this.committer.durable()
    return await idempotentResponseAt(this.log, index).catch(recovery(CommitsPruned, () => undefined))
  }

  #again(
    route: Route,
    request: RequestContext,
    body: string,
    kept: IdempotentResponse
  ): RouteResponse | Promise<RouteResponse> {
    if (kept.Body !== body) throw this.#mismatch()
    this.#count('repeat')
    const write = new RepeatedWrite(kept)
    if (route.idempotency !== 'revalidated') return write.answerTo(request)
    request.useKeyedWrite(write)
    return answerTo(route, request)
  }

  #mismatch(): Refusal {
    return this.#refused(
      'idempotency.mismatch',
      `${IDEMPOTENCY_HEADER} was used with another body: a key is for one request`
    )
  }

  #refused(code: RefusalCode, text: string, outcome?: string): Refusal {
    const refusal = new Refusal(code, text)
    this.#count(outcome ?? refusal.kind)
    return refusal
  }
}
