// Responses as of an earlier index (`at`), and the differences between two of them (`diff`).
import { refusedWith, exactJson, JSON_PATCH_TYPE, JSON_TYPE, type RouteResponse } from '../wire/response.js'
import { isObject } from '../../events/values.js'
import { parseExact } from '../wire/bodies/json-parsing.js'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { invalidWith, Refusal } from '../../actors/refusal.js'
import type { LogReader } from '../../events/log/log.js'
import { indexAt, timeAt } from '../../events/log/lookups.js'
import { patchOf } from '../../projections/history/json-patch.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import { quoteValue, integer, isInteger } from '../stream/parameter-values.js'
import { denial, readDenial } from '../wire/denial.js'
import type { HistoryDeclaration } from '../wire/history-declaration.js'
import { TIME_TRAVEL } from '../wire/query-parameters.js'
import type { RequestContext } from '../wire/request-context.js'
import type { Route } from '../wire/route.js'
import { HistoricalStateReader, requireRetained } from './historical-state-reader.js'
import { HistoricalPermissions } from './historical-permissions.js'
import { justAfter, parseTime } from '../../events/time.js'

const invalidParameter = invalidWith('history.invalid', 'Invalid ')

interface IndexBounds {
  readonly log: Pick<LogReader, 'records' | 'durableIndex' | 'firstIndex'>
  /** The oldest index with a complete state. */
  readonly oldest: number
  /** Epoch ms. */
  readonly now: number
}

/**
 * Resolves an index or a time to an index.
 * @param name of the parameter
 * @throws Refusal `invalid` for other texts, and indexes and times after the newest; `gone` for pruned ones
 */
const resolvePointInTime = async (text: string, name: string, bounds: IndexBounds): Promise<number> => {
  const { log, oldest } = bounds
  const index = isInteger(text) ? integer(text, name) : await indexOfTime(text, name, bounds)
  if (index > log.durableIndex)
    throw invalidParameter(
      `${name}: ${quoteValue(text)} is newer than the log, whose newest index is ${log.durableIndex}`
    )
  if (oldest > 1) requireRetained(index, oldest)
  if (index >= oldest) return index
  throw invalidParameter(`${name}: ${quoteValue(text)} is before the first commit of the log`)
}

/** Returns the index of the newest commit at or before a time. */
const indexOfTime = async (text: string, name: string, { log, now }: IndexBounds): Promise<number> => {
  const time = parseTime(text)
  if (time === undefined)
    throw invalidParameter(
      `${name}: ${quoteValue(text)} is neither an index nor a time such as 2026-01-31T12:00:00Z`
    )
  if (time > now)
    throw invalidParameter(`${name}: ${quoteValue(text)} is newer than the log: that is yet to come`)
  const next = await indexAt(log, justAfter(time))
  // The distance to the first retained commit is not known.
  return next === log.firstIndex ? 0 : next - 1
}

/** Fields that identify an element; the first entry of which it has all fields applies. */
const IDENTIFIERS: readonly (readonly string[])[] = [
  ['AccessorID'],
  ['Kind', 'Name'],
  ['Key'],
  ['Node', 'CheckID'],
  ['Node', 'ServiceID'],
  ['Node', 'Segment'],
  ['SourceNS', 'SourceName', 'DestinationNS', 'DestinationName'],
  ['ID'],
  ['Node'],
  ['Name'],
  ['Gateway', 'Service']
]

/** Returns the text of a field, also of an object with a field of that name, as in `{"Node":{"Node":"n1"}}`. */
const nameIn = (element: Readonly<Record<string, unknown>>, field: string): string | undefined => {
  const value = element[field]
  if (typeof value === 'string') return value === '' ? undefined : value
  if (!isObject(value)) return undefined
  const own = value[field] ?? value['ID'] ?? value['Name']
  return typeof own === 'string' ? own : undefined
}

const keyOf = (element: unknown): string | undefined => {
  if (typeof element === 'string') return element
  if (!isObject(element)) return undefined
  const own = isObject(element['Service']) && isObject(element['Node']) ? ['Node', 'Service'] : undefined
  for (const names of own ? [own] : IDENTIFIERS) {
    const found = names.flatMap(name => nameIn(element, name) ?? [])
    if (found.length < names.length) continue
    const namespace = element['Namespace']
    return [...(typeof namespace === 'string' ? [namespace] : []), ...found].join('/')
  }
  return undefined
}

/** Converts a list to an object of its elements by name. Returns lists without unique names and other values unchanged. */
export const elementsByName = (answer: unknown): unknown => {
  if (!Array.isArray(answer)) return answer
  const named = answer.map(element => [keyOf(element), element] as const)
  const names = new Set(named.map(([name]) => name))
  return names.size < named.length || names.has(undefined) ? answer : Object.fromEntries(named)
}

/** Parameters that only apply to the current state. */
const CURRENT_ONLY = ['index', 'wait', 'cached'] as const

const OK = 200

type Needs = NonNullable<HistoryDeclaration['needs']>

/** Rejects callers that may not read the current state, before the log is read. @throws Refusal `denied` */
const refuseDenied = async ({ handle }: Route, request: RequestContext): Promise<void> => {
  try {
    await handle(request)
  } catch (error) {
    if (error instanceof Refusal && error.kind !== 'denied') return
    throw error
  }
}

/** Returns the response for a resource that did not exist at the index. Omits its name from denials. */
const missingResponse = (error: unknown): RouteResponse => {
  if (error instanceof Refusal && error.kind === 'missing') return refusedWith(error.code, error.message)
  const denied = error instanceof Refusal && error.kind === 'denied' ? readDenial(error.message) : undefined
  throw denied?.on ? denial({ ...denied, on: null }) : error
}

@scoped(Lifecycle.ContainerScoped)
export class TimeTravel {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly reader: HistoricalStateReader,
    private readonly rights: HistoricalPermissions
  ) {}

  /** Returns the route with support for earlier indexes, which routes without history reject. */
  withPast<R extends Route>(route: R): R {
    return { ...route, handlePast: request => this.#answer(route, route.past?.needs, request) }
  }

  async #answer(route: Route, needs: Needs | undefined, request: RequestContext): Promise<RouteResponse> {
    const { query } = request
    const [name = '', other] = Object.keys(TIME_TRAVEL).filter(parameter => query.has(parameter))
    if (!needs)
      throw invalidParameter(`${name}: ${route.method} ${route.path} has no answers of earlier indexes`)
    if (other !== undefined) throw invalidParameter(`${other}: ${name} and ${other} cannot both be given`)
    for (const current of CURRENT_ONLY)
      if (query.has(current))
        throw invalidParameter(`${current}: it asks for what is now or to come, and ${name} for what was`)
    request.requireToken()
    await refuseDenied(route, request)
    const value = query.get(name) ?? ''
    if (name === 'at') {
      const index = await this.#indexOf(request, value, name)
      return { ...(await this.#answerOf(route, needs, request, index).catch(missingResponse)), index }
    }
    const [from = '', to, ...others] = value.split('..')
    if (to === undefined || others.length > 0)
      throw invalidParameter(`diff: ${quoteValue(value)} must name two indexes or times, as in 40..42`)
    const [first, last] = [await this.#indexOf(request, from, name), await this.#indexOf(request, to, name)]
    const before = await this.#valueOf(route, needs, request, first)
    const after = await this.#valueOf(route, needs, request, last)
    return { ...exactJson(patchOf(before, after)), type: JSON_PATCH_TYPE, index: last }
  }

  /**
   * Returns a request with the state at an index or time, under the current permissions. The caller's permission must have been checked.
   * @param name of the parameter that has the text
   * @throws Refusal as `at` does
   */
  async requestAt(
    request: RequestContext,
    needs: Needs,
    text: string,
    name: string
  ): Promise<RequestContext> {
    return this.#requestAt(request, needs, await this.#indexOf(request, text, name))
  }

  async #indexOf(request: RequestContext, text: string, name: string): Promise<number> {
    const oldest = await this.reader.oldest()
    return resolvePointInTime(text, name, { log: this.log, oldest, now: request.clock.now() })
  }

  /** Returns the route's response at an index, under the current permissions. */
  async #answerOf(
    route: Route,
    needs: Needs,
    request: RequestContext,
    index: number
  ): Promise<RouteResponse> {
    return route.handle(await this.#requestAt(request, needs, index))
  }

  async #requestAt(request: RequestContext, needs: Needs, index: number): Promise<RequestContext> {
    const views = await this.reader.read(request, needs, index)
    // The time of the last pruned commit is not known. The next commit's time approximates it.
    const moment = await timeAt(this.log, Math.max(index, this.log.firstIndex))
    const authorizer = await this.rights.at(request, index)
    return request.asOf({ views, index, moment, authorizer })
  }

  /** Returns the JSON of a response, with lists as objects by name; null for a missing resource. */
  async #valueOf(route: Route, needs: Needs, request: RequestContext, index: number): Promise<unknown> {
    const { status, body, type } = await this.#answerOf(route, needs, request, index).catch(missingResponse)
    if (status !== OK) return null
    if (type !== JSON_TYPE) throw invalidParameter('diff: the answer is no JSON')
    return elementsByName(parseExact(body.toString()))
  }
}
