// Makes a thing again what it was: by the ordinary request that would write it so, whose commit names what it undoes.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { lifecycles } from '../../../../actors/aggregates.js'
import { causeOf } from '../../../../actors/command.js'
import { invalid, Refusal } from '../../../../actors/refusal.js'
import type { Commit, Event } from '../../../../events/envelope.js'
import type { EventLog } from '../../../../events/log/log.js'
import { isNamespaceEvent } from '../../../../events/namespace.js'
import { isPartitionEvent } from '../../../../events/partition.js'
import { patchOf, replacementPatchOf } from '../../../../projections/history/json-patch.js'
import {
  concerns,
  type HistoryTarget,
  type ResourceVersion
} from '../../../../projections/history/history-target.js'
import { eventViewOf } from '../../../../projections/stream/event-view.js'
import { visibleEvent } from '../../../../projections/stream/topics.js'
import { HistoryEndpoint, requireVisible } from '../../../history/history-endpoint.js'
import { EVENT_LOG } from '../../../../server/settings/ports.js'
import { remotePrimary } from '../../../../server/settings/datacenters.js'
import { exactJson, type RouteResponse } from '../../../wire/response.js'
import { statusOf } from '../../../wire/problems.js'
import type { RequestContext } from '../../../wire/request-context.js'
import type { Route } from '../../../wire/route.js'
import type { RevertWrite } from './revert-request.js'
import { REVERTIBLE, type Revertible } from './revert-requests.js'

/** What is asked for. */
export interface RevertRequest {
  readonly sought: Pick<HistoryTarget, 'topic' | 'key' | 'node'>
  /** The index at which the thing was as it is to be again. */
  readonly to: number
  /** Index of the commit that changed the thing last, as the caller believes. */
  readonly cas: number | undefined
  readonly isTrial: boolean
}

/** A thing as it is, and as it was. */
interface Versions {
  readonly resource: HistoryTarget
  readonly present: ResourceVersion
  /** Undefined where there was none. */
  readonly past: ResourceVersion | undefined
}

/** Whether nothing is left of a thing after an event, or soon will be. */
const isEnd = (event: Event): boolean =>
  lifecycles.isEnding(event) ||
  (isNamespaceEvent(event) && event.Payload.Namespace.DeletedAt !== undefined) ||
  (isPartitionEvent(event) && event.Payload.Partition.DeletedAt !== undefined)

const patched = (present: Event | undefined, event: Event | undefined): readonly object[] => {
  if (!event) return []
  if (lifecycles.isEnding(event)) return [{ op: 'remove', path: '' }]
  const { Payload } = eventViewOf(event)
  return !present || lifecycles.isEnding(present) || present.Erased
    ? replacementPatchOf(Payload)
    : patchOf(eventViewOf(present).Payload, Payload)
}

@scoped(Lifecycle.ContainerScoped)
export class Reverts {
  constructor(
    @inject(EVENT_LOG) private readonly log: EventLog,
    private readonly histories: HistoryEndpoint
  ) {}

  /** @param routes those by which things are written. @throws Refusal */
  async answer(
    request: RequestContext,
    wish: RevertRequest,
    routes: readonly Route[]
  ): Promise<RouteResponse> {
    request.requireToken()
    const versions = await this.#versions(request, wish)
    const { present, past } = versions
    if (past) requireVisible(request, versions.resource, past)
    this.#requireKept(wish, past)
    if (wish.cas !== undefined && wish.cas !== present.commit.Index)
      throw new Refusal(
        'conflict',
        `It was changed since: its newest commit is ${present.commit.Index}, not ${wish.cas}`
      )
    const answer = (events: readonly Event[], commit: Commit | undefined): RouteResponse =>
      this.#answer(request, wish, versions, events, commit)
    const isThere = !lifecycles.isEnding(present.event)
    const wasThere = past !== undefined && !isEnd(past.event)
    if (past?.commit.Index === present.commit.Index || (!wasThere && !isThere)) return answer([], undefined)
    try {
      const revertible = revertibleOf(wish.sought.topic)
      const write = wasThere ? revertible.put(past.event, isThere, request) : revertible.remove(present.event)
      if (!write) throw new Error(`no request writes ${wish.sought.topic} ${wish.sought.key}`)
      return await this.#ask(request, wish, versions, write, routes, answer)
    } catch (error) {
      // What the caller may not do it is not told of either.
      if (!wish.isTrial || !(error instanceof Refusal) || error.kind === 'denied') throw error
      const refusal = { Status: statusOf(error), Message: error.message }
      return this.#answer(request, wish, versions, [], undefined, refusal)
    }
  }

  /** What is committed while the log is read counts. @throws Refusal */
  async #versions(request: RequestContext, { sought, to }: RevertRequest): Promise<Versions> {
    const { committer } = request
    const following: Commit[] = []
    const follow = (commit: Commit): void => {
      if (commit.Events.some(({ Topic, Key }) => Topic === sought.topic && Key === sought.key))
        following.push(commit)
    }
    committer.signals.on('applied', follow)
    try {
      await committer.durable()
      const { resource: thing, newest: last } = await this.histories.find(request, sought)
      const present = requireVisible(request, thing, newestOf(following, thing) ?? last)
      if (to > this.log.durableIndex)
        throw invalid(`Invalid to: ${to} is not there: the log ends at commit ${this.log.durableIndex}`)
      const past = await this.histories.newest(thing, to)
      return { resource: thing, present, past }
    } finally {
      committer.signals.off('applied', follow)
    }
  }

  /** @throws Refusal `gone` where nobody knows any more what the thing was */
  #requireKept({ sought: { topic, key }, to }: RevertRequest, past: ResourceVersion | undefined): void {
    const what = `What ${topic} ${JSON.stringify(key)} was at index ${to}`
    const oldest = this.log.firstIndex
    if (!past && to < oldest)
      throw new Refusal('gone', `${what} is no longer retained: the oldest index is ${oldest}`, 'retained')
    if (past?.event.Erased) throw new Refusal('gone', `${what} is erased`, 'erased')
  }

  async #ask(
    request: RequestContext,
    { to, isTrial }: RevertRequest,
    { resource: thing, present, past }: Versions,
    { operationId, params = {}, query = {}, body, newId }: RevertWrite,
    routes: readonly Route[],
    answer: (events: readonly Event[], commit: Commit | undefined) => RouteResponse
  ): Promise<RouteResponse> {
    const route = routes.find(each => each.operationId === operationId)
    if (!route) throw new Error(`there is no operation ${operationId}`)
    const { partition, namespace } = thing
    const tenancy = { partition, ...(namespace === '' ? {} : { ns: namespace }) }
    const asked = {
      method: route.method,
      url: `${route.path}?${new URLSearchParams({ ...query, ...tenancy }).toString()}`,
      params,
      body: body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    }
    const { cause = to } = causeOf([past?.commit.Index ?? to, present.commit.Index])
    const part = request.subRequest(route, asked, { cause, newId, isTrial, answer })
    const primary = remotePrimary(request.settings)
    if (primary !== undefined && route.belongsTo?.(part) === primary)
      throw invalid(
        `${thing.topic} ${JSON.stringify(thing.key)} is written in the primary datacenter: revert it there (dc=${primary})`
      )
    return route.handle(part)
  }

  #answer(
    request: RequestContext,
    { to, isTrial }: RevertRequest,
    { resource: thing, present, past }: Versions,
    events: readonly Event[],
    commit: Commit | undefined,
    refusal?: object
  ): RouteResponse {
    const own = events.findLast(event => concerns(event, thing))
    const seen = (event: Event): Event | undefined =>
      visibleEvent(request.authority.authorizer, event, 'resource')
    const others = events.filter(event => event !== own && seen(event))
    return exactJson({
      ...(commit ? { Index: commit.Index } : {}),
      ...(isTrial ? { DryRun: true } : {}),
      Undone: present.commit.Index,
      To: past?.commit.Index ?? to,
      Patch: patched(seen(present.event), own && seen(own)),
      Others: others.map(({ Topic, Type, Key, Namespace, Partition }) => ({
        Topic,
        Type,
        Key,
        Namespace,
        Partition
      })),
      ...(refusal ? { Refusal: refusal } : {})
    })
  }
}

/** The version that the newest of these commits made of a thing. */
const newestOf = (commits: readonly Commit[], resource: HistoryTarget): ResourceVersion | undefined => {
  for (const commit of commits.toReversed()) {
    const event = commit.Events.findLast(each => concerns(each, resource))
    if (event) return { commit, event }
  }
  return undefined
}

/** @throws Refusal `invalid` that names those topics whose things can be reverted */
export const revertibleOf = (topic: string): Revertible => {
  const found = Object.hasOwn(REVERTIBLE, topic) ? REVERTIBLE[topic] : undefined
  if (!found)
    throw invalid(
      `Invalid topic: things of ${JSON.stringify(topic.slice(0, 200))} cannot be reverted; those of ${Object.keys(REVERTIBLE).join(', ')} can`
    )
  return found
}
