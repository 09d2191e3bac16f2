// The agent's cache for reads with `?cached` (spec: state.md §12).
import { LRUCache } from 'lru-cache'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Question } from '../../../projections/acl/usage/question.js'
import type { RouteResponse } from '../response.js'
import { respondToRead, readOptions, type ListState, type ReadState } from './blocking.js'
import {
  cacheDirectives,
  type CacheDirectives,
  readCacheLimits,
  ResponseCache,
  CACHE_LIFETIME_MS
} from './response-cache.js'
import type { RequestContext } from '../request-context.js'

const MISS: readonly string[] = ['X-Cache', 'MISS']
const hit = (ageSeconds: number): readonly string[] => ['X-Cache', 'HIT', 'Age', String(ageSeconds)]

const keyOf = (request: RequestContext, parts: readonly string[]): string =>
  JSON.stringify([request.secret ?? '', ...parts])

const withHeaders = (answer: RouteResponse, headers: readonly string[]): RouteResponse => ({
  ...answer,
  headers: [...answer.headers, ...headers]
})

const isFresh = (age: number, { maxAge, mustRevalidate }: CacheDirectives): boolean =>
  !mustRevalidate && (maxAge === undefined || (maxAge > 0 && age <= maxAge))

interface FetchedAnswer {
  readonly answer: RouteResponse
  /** By which it was permitted and its rows were shown. */
  readonly questions: readonly Question[]
}

/** The cache of one server. Memory: at most 10,000 entries of each kind, of 64 MB; the least recently used are evicted. */
@scoped(Lifecycle.ContainerScoped)
export class ReadCache {
  /** Times of the last use by key. The content of these entries is the read models themselves. */
  readonly #watched = new LRUCache<string, number>(readCacheLimits((_, key) => 8 + key.length))
  readonly #fetched: ResponseCache<FetchedAnswer>

  constructor(private readonly clock: Clock) {
    this.#fetched = new ResponseCache(clock, ({ answer: { body } }) => body.length)
  }

  /**
   * Answers a read of an endpoint whose cache refreshes itself in the background: the result is always current, and only the headers show
   * whether it was read before. Blocks like `respondToRead`.
   * @param parts identify the endpoint and everything that shapes its response, except the token
   */
  refreshed(
    request: RequestContext,
    parts: readonly string[],
    read: () => ReadState | ListState
  ): RouteResponse | Promise<RouteResponse> {
    if (!request.query.has('cached')) return respondToRead(request, read)
    const key = keyOf(request, parts)
    const headers = this.#isWatched(key) ? hit(0) : MISS
    const finish = (answer: RouteResponse): RouteResponse => {
      this.#watch(key)
      return withHeaders(answer, headers)
    }
    const answer = respondToRead(request, read)
    return answer instanceof Promise ? answer.then(finish) : finish(answer)
  }

  /**
   * Answers a read of an endpoint with the simple kind of cache: `?cached` returns a stored response until it is older than `Cache-Control`
   * allows, or three days, but only while the token has the permissions that the response was created with.
   * @param parts identify the endpoint and everything that shapes its response, except the token and the tenancy
   * @param rights the permissions that shape the response; undefined disables caching
   */
  async simple(
    request: RequestContext,
    parts: readonly string[],
    fetch: () => RouteResponse | Promise<RouteResponse>,
    rights: () => Authorizer | undefined = () => request.authority.authorizer
  ): Promise<RouteResponse> {
    readOptions(request)
    if (!request.query.has('cached')) return fetch()
    const directives = cacheDirectives(request.header('cache-control'))
    const fetched = this.#fetched
    const authorizer = rights()
    if (!authorizer) return fetch()
    const { partition, namespace } = request.tenancy
    const key = keyOf(request, [partition, namespace, ...parts])
    const found = fetched.find(key, authorizer)
    const again = ({
      result,
      age
    }: {
      readonly result: FetchedAnswer
      readonly age: number
    }): RouteResponse => {
      request.usage.credit(result.questions)
      return withHeaders(result.answer, hit(Math.floor(age)))
    }
    if (found && isFresh(found.age, directives)) return again(found)
    try {
      request.usage.collect()
      const answer = await fetch()
      fetched.keep(key, { answer, questions: request.usage.collected }, authorizer)
      return withHeaders(answer, MISS)
    } catch (error) {
      // An error of the caller, or a denial, is never replaced with an earlier response.
      const isFault = !(error instanceof Refusal) || error.kind === 'upstream' || error.kind === 'unavailable'
      if (found && isFault && found.age <= (directives.staleIfError ?? -1)) return again(found)
      throw error
    }
  }

  #isWatched(key: string): boolean {
    const usedAt = this.#watched.get(key)
    return usedAt !== undefined && this.clock.elapsed() - usedAt < CACHE_LIFETIME_MS
  }

  #watch(key: string): void {
    this.#watched.set(key, this.clock.elapsed())
  }
}
