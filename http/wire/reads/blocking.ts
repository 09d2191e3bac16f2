// Reads: consistency parameters, blocking queries, and the headers of a read (spec: state.md §10, §11; acl.md §1.5).
import { invalidDuration, parseMilliseconds } from '../../../events/duration.js'
import { invalid } from '../../../actors/refusal.js'
import type { WatchKey } from '../../../projections/watch.js'
import { jsonText, type RouteResponse } from '../response.js'
import { cacheDirectives } from './cache-control.js'
import type { Query } from '../query.js'
import type { RequestContext } from '../request-context.js'
import { parseUnsigned } from './unsigned.js'

const DEFAULT_WAIT_MS = 5 * 60_000
const LONGEST_WAIT_MS = 10 * 60_000
/** Up to a 16th of the wait is added at random, so that waiting clients do not come back all at once. */
const JITTER = 16
/** So many different waits: Node keeps a list of timers for each length, which would have one timer each otherwise. */
const JITTER_STEPS = 64

/** What a read found: the index it reflects, and what must change for the answer to change. */
export interface ReadState {
  readonly index: number
  readonly watch: readonly WatchKey[]
  readonly answer: RouteResponse
  /** A wait ends only when the body differs from that at its beginning, whatever the index says. */
  readonly isComparedByBody?: boolean
}

/** What a read found whose index is a mark rather than a count: the next one may be smaller. */
interface MarkedReading extends Pick<ReadState, 'watch' | 'answer'> {
  /** Of 64 bits, and never 0. */
  readonly mark: bigint
}

interface ReadOptions {
  /** The reader has the state of this index already; 0 asks for an answer at once. */
  readonly index: number
  /** The same with all its bits. */
  readonly exactIndex: bigint
  readonly waitMs: number
}

const AT_ONCE: ReadOptions = { index: 0, exactIndex: 0n, waitMs: DEFAULT_WAIT_MS }

/** How long a reader wants to wait, in ms. @throws Refusal `invalid` */
export const requestedWait = (query: Query): number => {
  const wait = query.get('wait') ?? ''
  const given = wait === '' ? 0 : parseMilliseconds(wait)
  if (given === undefined) throw invalid(`Invalid wait time: ${invalidDuration(wait)}`)
  return given <= 0 ? DEFAULT_WAIT_MS : Math.min(given, LONGEST_WAIT_MS)
}

/** A wait with up to a 16th of it added at random. */
export const jittered = (waitMs: number): number => {
  const step = Math.floor(Math.random() * JITTER_STEPS) / JITTER_STEPS
  return waitMs + Math.ceil((step * waitMs) / JITTER)
}

/** @throws Refusal `invalid` for `stale` together with `consistent` */
export const requireOneConsistency = (query: Query): void => {
  if (query.has('consistent') && query.has('stale'))
    throw invalid('Cannot specify ?stale with ?consistent, conflicting semantics.')
}

/** @throws Refusal `invalid` for parameters that contradict each other or have no meaning */
export const readOptions = (request: RequestContext): ReadOptions => {
  const { query } = request
  if (query.isEmpty) {
    cacheDirectives(request.header('cache-control'))
    return AT_ONCE
  }
  const index = query.get('index') ?? ''
  const exactIndex = index === '' ? 0n : parseUnsigned(index)
  if (exactIndex === undefined)
    throw invalid(`Invalid index: "${index}" is not an unsigned integer of 64 bits`)
  const waitMs = requestedWait(query)
  requireOneConsistency(query)
  const consistent = query.has('consistent')
  const conflict = 'conflicting semantics.'
  if (consistent && query.has('cached')) throw invalid(`Cannot specify ?cached with ?consistent, ${conflict}`)
  cacheDirectives(request.header('cache-control'))
  const maxStale = query.get('max_stale') ?? ''
  if (maxStale !== '') {
    const bound = parseMilliseconds(maxStale)
    if (bound === undefined) throw invalid(`Invalid max_stale value: ${invalidDuration(maxStale)}`)
    if (consistent && bound > 0) throw invalid(`Cannot specify ?max_stale with ?consistent, ${conflict}`)
  }
  return { index: Number(index), exactIndex, waitMs }
}

/** How a read of these parameters is answered: from one server that is its own leader all are the same. */
export const effectiveConsistency = ({ query }: RequestContext): 'leader' | 'stale' | 'consistent' => {
  if (query.has('consistent')) return 'consistent'
  const bound = parseMilliseconds(query.get('max_stale') ?? '') ?? 0
  return query.has('stale') || bound > 0 ? 'stale' : 'leader'
}

/** Fields are named one by one: on Node 20 a copy by `...` costs as much as the rest of a read. */
const withIndex = ({ answer: { status, body, type, headers, stream }, index }: ReadState): RouteResponse => {
  const answer = { status, body, type, headers, index: Math.max(index, 1) }
  return stream ? { ...answer, stream } : answer
}

/** An answer with the headers of a read that never blocks, whose index means nothing (queries.md §1). */
export const readImmediately = (answer: RouteResponse): RouteResponse =>
  withIndex({ answer, index: 1, watch: [] })

/** A reading that answers with JSON; `headers` are further ones of the answer, names and values in turn. */
export const reading = (
  body: string | Buffer,
  index: number,
  watch: readonly WatchKey[],
  headers?: readonly string[]
): ReadState => ({
  index,
  watch,
  answer: jsonText(body, headers)
})

/** Answers a read that takes no part in blocking queries: `index` and `wait` mean nothing to it. */
export const respondImmediately = (found: ReadState): RouteResponse => withIndex(found)

/**
 * Answers a read. With `index` it waits until what was read changes beyond that index, or the wait is over, or the
 * server ends; then it answers with the state of that moment. `read` is called again after each change it watches and
 * may throw a Refusal, which ends the wait.
 */
export const respondToRead = (
  request: RequestContext,
  read: () => ReadState
): RouteResponse | Promise<RouteResponse> => {
  const { index, waitMs } = readOptions(request)
  const first = read()
  if (index === 0 || first.index > index) return withIndex(first)
  return waitFor(request, first, read, current => isOver(first, current, index), waitMs).then(withIndex)
}

/** Answers a read as `answerRead` does, but waits for as long as the mark is exactly that of `index`. */
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

/** Whether what was read now ends a wait that began with `first`. */
const isOver = (first: ReadState, current: ReadState, index: number): boolean =>
  current.index > index && !(current.isComparedByBody && current.answer.body === first.answer.body)

/** Reads again after each change, until a reading ends the wait, or it is over. */
const waitFor = async <Found extends Pick<ReadState, 'watch'>>(
  request: RequestContext,
  first: Found,
  read: () => Found,
  ends: (current: Found) => boolean,
  waitMs: number
): Promise<Found> => {
  const { clock, views, committer, incoming } = request
  const deadline = clock.elapsed() + jittered(waitMs)
  const { epoch } = views.watch
  let current = first
  while (!ends(current) && !incoming.isGone && views.watch.epoch === epoch) {
    const left = deadline - clock.elapsed()
    if (left <= 0) break
    await nextChange(request, current.watch, left)
    // A rebuild touches everything on its way; what stands half built is nobody's answer.
    if (!committer.isReadable) await committer.readable()
    await request.learnWhoAsks()
    request.forgetAuthority()
    current = read()
  }
  return current
}

/** Resolves at a change of any of the keys, after `ms`, or when nobody waits any more. */
export const nextChange = (request: RequestContext, watch: readonly WatchKey[], ms: number): Promise<void> =>
  watchChange(request, watch, ms).changed

/** A wait for a change that has begun, and how to end it. */
interface Watching {
  readonly changed: Promise<void>
  readonly stop: () => void
}

/** As `nextChange`, for those who have to look after they have begun to wait. */
export const watchChange = (
  { views, incoming }: RequestContext,
  watch: readonly WatchKey[],
  ms: number
): Watching => {
  let resolve = (): void => {}
  const changed = new Promise<void>(done => (resolve = done))
  const stop = (): void => {
    clearTimeout(timer)
    unwatch()
    unlisten()
    resolve()
  }
  const unwatch = views.watch.wait(watch, stop)
  const timer = setTimeout(stop, ms)
  const unlisten = incoming.onGone(stop)
  return { changed, stop }
}
