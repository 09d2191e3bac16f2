// Consistency parameters, blocking queries, and the headers of a read (spec: state.md §10, §11; acl.md §1.5).
import { invalidDuration, parseMilliseconds } from '../../../events/duration.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { WatchKey } from '../../../projections/watch.js'
import { jsonText, type Body, type RouteResponse } from '../response.js'
import { cacheDirectives } from './response-cache.js'
import type { Query } from '../query.js'
import type { RequestContext } from '../request-context.js'
import type { RouteFacts } from '../route.js'
import { runAtOnce, type Steps } from '../../../projections/steps.js'
import { contactHeaders } from '../contact.js'
import { parseUnsigned } from '../bodies/json-parsing.js'

const DEFAULT_WAIT_MS = 5 * 60_000
const LONGEST_WAIT_MS = 10 * 60_000
/** Up to a 16th of the wait is added at random, so that clients do not return all at once. */
const JITTER = 16
/** Limits the number of different durations, since Node keeps one list of timers per duration. */
const JITTER_STEPS = 64

/** The result of a read: the index it reflects, and the watch keys whose change may change the response. */
export interface ReadState {
  readonly index: number
  readonly watch: readonly WatchKey[]
  readonly answer: RouteResponse
  /** The wait ends only when the body changes, whatever the index. */
  readonly isComparedByBody?: boolean
}

/** A read whose response is created in chunks. Permissions and parameters were checked. */
export interface ListState extends Pick<ReadState, 'index' | 'watch'> {
  readonly steps: Steps<RouteResponse>
  /** See `ReadState`. While it blocks, the list is created at once after each change. */
  readonly isComparedByBody?: boolean
  /** False once the response may show a later state, so that it should be created again. */
  readonly holds?: () => boolean
}

/** The last attempt answers with a list that does not hold: changes at a high rate must not make it unavailable. */
const MOST_ATTEMPTS = 3

/** A result whose index is a mark, which may decrease. */
interface MarkedReading extends Pick<ReadState, 'watch' | 'answer'> {
  /** Of 64 bits, and never 0. */
  readonly mark: bigint
}

interface ReadOptions {
  /** The reader's index; 0 requests an immediate response. */
  readonly index: number
  /** The index with all 64 bits. */
  readonly exactIndex: bigint
  readonly waitMs: number
}

const AT_ONCE: ReadOptions = { index: 0, exactIndex: 0n, waitMs: DEFAULT_WAIT_MS }

/** Returns the wait of a request in ms. @throws Refusal `invalid` */
export const requestedWait = (query: Query): number => {
  const wait = query.get('wait') ?? ''
  const given = wait === '' ? 0 : parseMilliseconds(wait)
  if (given === undefined) throw invalid('read.invalid', `Invalid wait time: ${invalidDuration(wait)}`)
  return given <= 0 ? DEFAULT_WAIT_MS : Math.min(given, LONGEST_WAIT_MS)
}

export const jittered = (waitMs: number): number => {
  const step = Math.floor(Math.random() * JITTER_STEPS) / JITTER_STEPS
  return waitMs + Math.ceil((step * waitMs) / JITTER)
}

/** @throws Refusal `invalid` for `stale` together with `consistent` */
export const requireOneConsistency = (query: Query): void => {
  if (query.has('consistent') && query.has('stale'))
    throw invalid('read.invalid', 'Cannot specify ?stale with ?consistent, conflicting semantics.')
}

/** @throws Refusal `invalid` for contradicting or malformed parameters */
export const readOptions = (request: RequestContext): ReadOptions => {
  const { query } = request
  if (query.isEmpty) {
    const cacheControl = request.headers['cache-control']
    if (cacheControl !== undefined) cacheDirectives(cacheControl)
    return AT_ONCE
  }
  const index = query.get('index') ?? ''
  const exactIndex = index === '' ? 0n : parseUnsigned(index)
  if (exactIndex === undefined)
    throw invalid('read.invalid', `Invalid index: "${index}" is not an unsigned integer of 64 bits`)
  const waitMs = requestedWait(query)
  requireOneConsistency(query)
  const consistent = query.has('consistent')
  const conflict = 'conflicting semantics.'
  if (consistent && query.has('cached'))
    throw invalid('read.invalid', `Cannot specify ?cached with ?consistent, ${conflict}`)
  cacheDirectives(request.header('cache-control'))
  const maxStale = query.get('max_stale') ?? ''
  if (maxStale !== '') {
    const bound = parseMilliseconds(maxStale)
    if (bound === undefined)
      throw invalid('read.invalid', `Invalid max_stale value: ${invalidDuration(maxStale)}`)
    if (consistent && bound > 0)
      throw invalid('read.invalid', `Cannot specify ?max_stale with ?consistent, ${conflict}`)
  }
  return { index: Number(index), exactIndex, waitMs }
}

/** Returns the effective consistency of a read. A single server answers all of them alike. */
export const effectiveConsistency = ({ query }: RequestContext): 'leader' | 'stale' | 'consistent' => {
  if (query.isEmpty) return 'leader'
  if (query.has('consistent')) return 'consistent'
  const bound = parseMilliseconds(query.get('max_stale') ?? '') ?? 0
  return query.has('stale') || bound > 0 ? 'stale' : 'leader'
}

/** Answers a read that ignores `index` and `wait`. Fields are named one by one: on Node 20 a copy by `...` costs as much as the rest of a read. */
export const respondImmediately = ({
  answer: { status, body, type, headers, stream, backend },
  index
}: Pick<ReadState, 'answer' | 'index'>): RouteResponse => {
  const answer = { status, body, type, headers, backend, index: Math.max(index, 1) }
  return stream ? { ...answer, stream } : answer
}

/** Returns a response with the headers of a read that never blocks, whose index has no meaning (queries.md §1). */
export const readImmediately = (answer: RouteResponse): RouteResponse =>
  respondImmediately({ answer, index: 1 })

const NOT_FOUND = 404

const BEFORE_LOOKUP: readonly string[] = [
  'X-Service-Index',
  '1',
  ...contactHeaders({ isLeaderKnown: false, lastContact: 0 }),
  'X-Service-Query-Backend',
  'blocking-query'
]

const isRead = ({ method, blocking = false, consistency = 'none' }: RouteFacts): boolean =>
  blocking || (method === 'GET' && consistency !== 'none')

/** Adds the headers of a read to an error, since clients check those before the status (acl.md §1.5, state.md §1). */
export const readError = (route: RouteFacts, answer: RouteResponse): RouteResponse => {
  if (!isRead(route)) return answer
  if (answer.status === NOT_FOUND) return readImmediately(answer)
  return { ...answer, headers: [...answer.headers, ...BEFORE_LOOKUP] }
}

/** Creates the state of a read that returns JSON. @param headers names and values in turn */
export const reading = (
  body: Body,
  index: number,
  watch: readonly WatchKey[],
  headers?: readonly string[]
): ReadState => ({ index, watch, answer: jsonText(body, headers) })

/**
 * Checks that a rebuild has not left the state behind an earlier one of the same read, which other servers may have shown meanwhile.
 * @throws Refusal `unavailable`, unless the read accepts stale answers
 */
const requireSince = (request: RequestContext, index: number): void => {
  if (request.views.index < index && effectiveConsistency(request) !== 'stale')
    throw new Refusal(
      'read.unavailable',
      'The read models were rebuilt, and are older than when the read began: ask with ?stale, or try again later'
    )
}

/** Creates the response of a state that was read in this turn. @throws Refusal */
const respond = (
  request: RequestContext,
  state: ReadState | ListState,
  read: () => ReadState | ListState,
  attempts = 1
): RouteResponse | Promise<RouteResponse> => {
  if (!('steps' in state)) return respondImmediately(state)
  const { index, holds } = state
  const { views, committer } = request
  const { generation, index: begun } = views
  const answer = request.runInChunks(state.steps)
  if (!(answer instanceof Promise)) return respondImmediately({ index, answer })
  return answer.then(async settled => {
    const isLast = attempts === MOST_ATTEMPTS
    // The state before a rebuild may not be in the log.
    if (views.generation === generation && (isLast || holds?.() !== false))
      return respondImmediately({ index, answer: settled })
    if (isLast)
      throw new Refusal(
        'read.unavailable',
        'The read models were rebuilt in each attempt to read the list: try again later'
      )
    await committer.readable()
    requireSince(request, begun)
    return respond(request, read(), read, attempts + 1)
  })
}

/**
 * Answers a read. With `index`, blocks until the result changes beyond that index, the wait is over, or the server shuts down, and then
 * returns the current state. `read` is called again after each change of its watch keys and may throw a Refusal, which ends the wait.
 */
export const respondToRead = (
  request: RequestContext,
  read: () => ReadState | ListState
): RouteResponse | Promise<RouteResponse> => {
  const { index, waitMs } = readOptions(request)
  const { isOn } = request.usage
  const state = read()
  if (index === 0 || state.index > index) return respond(request, state, read)
  const first = comparable(state)
  const next = (): ReadState | ListState => comparable(read())
  return waitFor(request, first, next, current => isOver(first, current, index), waitMs).then(current => {
    if (!('steps' in current)) return respond(request, current, read)
    const list = read()
    // The rows of a list are decided in its steps, of which none has run yet.
    request.usage.isOn = isOn
    return respond(request, list, read)
  })
}

/** Answers a read like `respondToRead`, but blocks as long as the mark equals `index`. */
export const respondWithCheckpoint = (
  request: RequestContext,
  read: () => MarkedReading
): RouteResponse | Promise<RouteResponse> => {
  const { exactIndex, waitMs } = readOptions(request)
  const marked = ({ answer, mark }: MarkedReading): RouteResponse => ({ ...answer, index: mark })
  const first = read()
  if (first.mark !== exactIndex) return marked(first)
  return waitFor(request, first, read, ({ mark }) => mark !== exactIndex, waitMs).then(marked)
}

const isOver = (first: ReadState | ListState, current: ReadState | ListState, index: number): boolean =>
  current.index > index &&
  ('steps' in first ||
    'steps' in current ||
    !(current.isComparedByBody && current.answer.body.toString() === first.answer.body.toString()))

const comparable = (state: ReadState | ListState): ReadState | ListState =>
  'steps' in state && state.isComparedByBody
    ? { index: state.index, watch: state.watch, answer: runAtOnce(state.steps), isComparedByBody: true }
    : state

/** Reads again after each change until `ends` accepts the result or the wait is over. */
const waitFor = async <Found extends Pick<ReadState, 'watch'>>(
  request: RequestContext,
  first: Found,
  read: () => Found,
  ends: (current: Found) => boolean,
  waitMs: number
): Promise<Found> => {
  const { clock, views, committer } = request
  const { index: begun, watch } = views
  const deadline = clock.elapsed() + jittered(waitMs)
  const { epoch } = watch
  request.usage.end()
  let current = first
  while (!ends(current) && !request.isGone && watch.epoch === epoch) {
    const left = deadline - clock.elapsed()
    if (left <= 0) break
    await nextChange(request, current.watch, left)
    // A rebuild touches every watch key, and its intermediate states must not be returned.
    if (!committer.isReadable) await committer.readable()
    await request.resolveCaller()
    request.forgetAuthority()
    current = read()
  }
  if (watch.epoch === epoch) requireSince(request, begun)
  return current
}

/** Resolves after a change of any watch key, after `ms`, or when the client disconnects. */
export const nextChange = (request: RequestContext, watch: readonly WatchKey[], ms: number): Promise<void> =>
  watchChange(request, watch, ms).changed

interface Watching {
  readonly changed: Promise<void>
  readonly stop: () => void
}

/** Like `nextChange`, for callers that read after they have begun to wait. */
export const watchChange = (request: RequestContext, watch: readonly WatchKey[], ms: number): Watching => {
  let resolve = (): void => {}
  const changed = new Promise<void>(done => (resolve = done))
  const stop = (): void => {
    clearTimeout(timer)
    unwatch()
    unlisten()
    resolve()
  }
  const unwatch = request.views.watch.wait(watch, stop)
  const timer = setTimeout(stop, ms)
  const unlisten = request.onGone(stop)
  return { changed, stop }
}

export const consistencyHeaders = (request: RequestContext): readonly string[] => [
  'X-Service-Effective-Consistency',
  effectiveConsistency(request)
]
