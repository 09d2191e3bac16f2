import { LRUCache } from 'lru-cache'
import { Lifecycle, scoped } from 'tsyringe'
import { BytePieces } from '../../../projections/byte-pieces.js'
import type { Question } from '../../../projections/acl/usage/question.js'
import type { RequestContext } from '../request-context.js'
import type { Body, RouteResponse } from '../response.js'
import { Clock } from '../../../actors/clock.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import { respondToRead, readOptions, type ListState, type ReadState } from './blocking.js'
import {
  cacheDirectives,
  type CacheDirectives,
  readCacheLimits,
  ResponseCache,
  CACHE_LIFETIME_MS
} from './response-cache.js'

const MOST_BYTES = 64 * 2 ** 20
/** Estimated memory of an entry besides its body and key. */
const ENTRY_BYTES = 300
/** Shorter bodies are copied, since their pieces may be parts of longer buffers. */
const MOST_COPIED = 2 ** 20

/** A list of all rows of a collection, in one state. */
interface ListIdentity {
  /** The collection of the rows. */
  readonly rows: object
  /** Distinguishes the lists of a collection. */
  readonly form: string
  /** The index of the last change of the rows. */
  readonly index: number
  /** The generation of the read models with this index, which may have been reset since. */
  readonly generation: number
}

type ListRequest = Pick<RequestContext, 'query' | 'past' | 'authority'> & {
  readonly usage: Pick<RequestContext['usage'], 'rowQuestions' | 'credit'>
}

/** The rows that a caller may see, and all headers that follow from them. */
interface SerializedList {
  readonly body: Body
  /** True if rows were left out for want of permissions. */
  readonly isShortened: boolean
}

interface Entry extends SerializedList {
  /** The generation of the read models and the index of the rows. */
  readonly version: string
  /** By which rows were shown. */
  readonly questions: readonly Question[]
}

const compactOf = (body: Body): Buffer =>
  body instanceof BytePieces ? Buffer.concat(body.pieces) : Buffer.from(body.toString())

const versionOf = ({ generation, index }: ListIdentity): string => `${generation} ${index}`

/** Query parameters that select or sort rows. */
const SELECTING = ['near', 'filter', 'tag', 'node-meta', 'passing', 'limit', 'after']

/** Returns true if a request is for all current rows that the caller may see. */
const isForAll = ({ query, past }: ListRequest): boolean => {
  if (past) return false
  return query.isEmpty || !SELECTING.some(name => query.has(name))
}

/**
 * Serialized lists by the permissions of the callers. An entry holds as long as the index of its rows, which grows with every
 * change that a list shows. Memory: at most 64 MiB; the least recently used entries are evicted.
 */
@scoped(Lifecycle.ContainerScoped)
export class SerializedLists {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body }, key) => body.length + key.length + ENTRY_BYTES
  })
  readonly #numbers = new WeakMap<object, number>()
  #newest = 0

  /** Returns the list of a request for all rows, if it is known and current. */
  find(request: ListRequest, state: ListIdentity): SerializedList | undefined {
    if (!isForAll(request)) return undefined
    const known = this.#entries.get(this.#keyOf(request, state))
    if (known?.version !== versionOf(state)) return undefined
    request.usage.credit(known.questions)
    return known
  }

  /** Caches the list of a request for all rows. @param state of the rows when the list was begun */
  keep<List extends SerializedList>(request: ListRequest, state: ListIdentity, list: List): List {
    if (!isForAll(request)) return list
    const { body, isShortened } = list
    const kept = body instanceof BytePieces && body.length > MOST_COPIED ? body : compactOf(body)
    this.#entries.set(this.#keyOf(request, state), {
      version: versionOf(state),
      body: kept,
      isShortened,
      questions: request.usage.rowQuestions
    })
    return list
  }

  #keyOf({ authority }: ListRequest, { rows, form }: ListIdentity): string {
    return `${form} ${this.#numberOf(rows)} ${this.#numberOf(authority.authorizer)}`
  }

  #numberOf(object: object): number {
    let number = this.#numbers.get(object)
    if (number === undefined) this.#numbers.set(object, (number = ++this.#newest))
    return number
  }
}

// The agent's cache for reads with `?cached` (spec: state.md §12).

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
