// Reverts a resource to an earlier version by the ordinary write request. The commit names the commit that it undoes.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { lifecycles } from '../../../../actors/aggregates.js'
import { causeOf } from '../../../../actors/aggregate.js'
import { invalidWith, Refusal } from '../../../../actors/refusal.js'
import type { Commit, Event } from '../../../../events/envelope.js'
import type { LogReader } from '../../../../events/log/log.js'
import { isNamespaceEvent, isPartitionEvent } from '../../../../events/namespace.js'
import { patchOf, replacementPatchOf } from '../../../../projections/history/json-patch.js'
import {
  concerns,
  type HistoryTarget,
  type ResourceVersion
} from '../../../../projections/history/history-target.js'
import { eventViewOf } from '../../../../projections/stream/event-view.js'
import { visibleEvent } from '../../../../projections/stream/topics.js'
import { ALIASES } from '../../../../projections/stream/topic-filter.js'
import { HistoryEndpoint, requireVisible } from '../../../history/history-endpoint.js'
import { VersionReader } from '../../../history/versions.js'
import { EVENT_LOG } from '../../../../server/settings/ports.js'
import { remotePrimary } from '../../../../server/settings/datacenters.js'
import { exactJson, type RouteResponse, statusOf } from '../../../wire/response.js'
import type { RequestContext } from '../../../wire/request-context.js'
import { type Route, anyToken, route } from '../../../wire/route.js'
import { type RevertWrite, REVERTIBLE, type Revertible } from './revert-requests.js'
import { reverted } from '../../../schemas/history.js'
import { firstValueOf, integer } from '../../../stream/parameter-values.js'
import { present, unsigned64 } from '../../../wire/query.js'

const invalidRevert = invalidWith('revert.invalid')

interface RevertRequest {
  readonly target: Pick<HistoryTarget, 'topic' | 'key' | 'node'>
  /** The index of the version to restore. */
  readonly to: number
  /** The expected index of the newest version. */
  readonly cas: number | undefined
  readonly isDryRun: boolean
}

interface Versions {
  readonly resource: HistoryTarget
  readonly current: ResourceVersion
  /** Undefined if the resource did not exist. */
  readonly past: ResourceVersion | undefined
}

/** Returns whether an event deletes a resource or marks it for deletion. */
const isEnd = (event: Event): boolean =>
  lifecycles.isEnding(event) ||
  (isNamespaceEvent(event) && event.Payload.Namespace.DeletedAt !== undefined) ||
  (isPartitionEvent(event) && event.Payload.Partition.DeletedAt !== undefined)

export const patchBetween = (current: Event | undefined, event: Event | undefined): readonly object[] => {
  if (!event) return []
  if (lifecycles.isEnding(event)) return [{ op: 'remove', path: '' }]
  const { Payload } = eventViewOf(event)
  return !current || lifecycles.isEnding(current) || current.Erased
    ? replacementPatchOf(Payload)
    : patchOf(eventViewOf(current).Payload, Payload)
}

@scoped(Lifecycle.ContainerScoped)
export class Reverts {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly histories: HistoryEndpoint,
    private readonly versions: VersionReader
  ) {}

  /** @param routes with the write operations. @throws Refusal */
  async answer(
    request: RequestContext,
    revert: RevertRequest,
    routes: readonly Route[]
  ): Promise<RouteResponse> {
    request.requireToken()
    const versions = await this.#versions(request, revert)
    const { current, past } = versions
    if (past) requireVisible(request, versions.resource, past)
    this.#requireRetained(revert, past)
    if (revert.cas !== undefined && revert.cas !== current.commit.Index)
      throw new Refusal(
        'revert.conflict',
        `It was changed since: its newest commit is ${current.commit.Index}, not ${revert.cas}`
      )
    const answer = (events: readonly Event[], commit: Commit | undefined): RouteResponse =>
      this.#answer(request, revert, versions, events, commit)
    const exists = !lifecycles.isEnding(current.event)
    const existed = past !== undefined && !isEnd(past.event)
    if (past?.commit.Index === current.commit.Index || (!existed && !exists)) return answer([], undefined)
    try {
      const revertible = revertibleOf(revert.target.topic)
      const write = existed ? revertible.put(past.event, exists, request) : revertible.remove(current.event)
      if (!write) throw new Error(`no request writes ${revert.target.topic} ${revert.target.key}`)
      return await this.#execute(request, revert, versions, write, routes, answer)
    } catch (error) {
      // A dry run does not disclose a refusal to callers without the permission.
      if (!revert.isDryRun || !(error instanceof Refusal) || error.kind === 'denied') throw error
      const refusal = { Status: statusOf(error), Message: error.message }
      return this.#answer(request, revert, versions, [], undefined, refusal)
    }
  }

  /** Includes versions that are committed during the log read. @throws Refusal */
  async #versions(request: RequestContext, { target, to }: RevertRequest): Promise<Versions> {
    const { committer } = request
    const following: Commit[] = []
    const end = committer.on(target.topic, ({ Key }, commit) => {
      if (Key === target.key) following.push(commit)
    })
    try {
      await committer.durable()
      const { resource, newest } = await this.histories.find(request, target)
      const current = requireVisible(request, resource, newestOf(following, resource) ?? newest)
      if (to > this.log.durableIndex)
        throw invalidRevert(`Invalid to: ${to} is not there: the log ends at commit ${this.log.durableIndex}`)
      const past = await this.versions.newest(resource, to)
      return { resource, current, past }
    } finally {
      end()
    }
  }

  /** @throws Refusal `gone` if the version was pruned or erased */
  #requireRetained({ target: { topic, key }, to }: RevertRequest, past: ResourceVersion | undefined): void {
    const version = `What ${topic} ${JSON.stringify(key)} was at index ${to}`
    const oldest = this.log.firstIndex
    if (!past && to < oldest)
      throw new Refusal(
        'history.pruned',
        `${version} is no longer retained: the oldest index is ${oldest}`,
        'retained'
      )
    if (past?.event.Erased) throw new Refusal('history.erased', `${version} is erased`, 'erased')
  }

  async #execute(
    request: RequestContext,
    { to, isDryRun }: RevertRequest,
    { resource, current, past }: Versions,
    { operationId, params = {}, query = {}, body, newId }: RevertWrite,
    routes: readonly Route[],
    answer: (events: readonly Event[], commit: Commit | undefined) => RouteResponse
  ): Promise<RouteResponse> {
    const target = routes.find(candidate => candidate.operationId === operationId)
    if (!target) throw new Error(`there is no operation ${operationId}`)
    const { partition, namespace } = resource
    const tenancy = { partition, ...(namespace === '' ? {} : { ns: namespace }) }
    const input = {
      method: target.method,
      url: `${target.path}?${new URLSearchParams({ ...query, ...tenancy }).toString()}`,
      params,
      body: body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    }
    const { cause = to } = causeOf([past?.commit.Index ?? to, current.commit.Index])
    const subRequest = request.subRequest(target, input, { cause, newId, isTrial: isDryRun, answer })
    const primary = remotePrimary(request.settings)
    if (primary !== undefined && target.belongsTo?.(subRequest) === primary)
      throw invalidRevert(
        `${resource.topic} ${JSON.stringify(resource.key)} is written in the primary datacenter: revert it there (dc=${primary})`
      )
    return target.handle(subRequest)
  }

  #answer(
    request: RequestContext,
    { to, isDryRun }: RevertRequest,
    { resource, current, past }: Versions,
    events: readonly Event[],
    commit: Commit | undefined,
    refusal?: object
  ): RouteResponse {
    const own = events.findLast(event => concerns(event, resource))
    const visible = (event: Event): Event | undefined =>
      visibleEvent(request.usage.credited, event, 'resource')
    const others = events.filter(event => event !== own && visible(event))
    return exactJson({
      ...(commit ? { Index: commit.Index } : {}),
      ...(isDryRun ? { DryRun: true } : {}),
      Undone: current.commit.Index,
      To: past?.commit.Index ?? to,
      Patch: patchBetween(visible(current.event), own && visible(own)),
      Others: others.map(eventHead),
      ...(refusal ? { Refusal: refusal } : {})
    })
  }
}

/** Names an event in a response, without its payload. */
export const eventHead = ({ Topic, Type, Key, Namespace, Partition }: Event): object => ({
  Topic,
  Type,
  Key,
  Namespace,
  Partition
})

/** Returns the newest version of a resource among commits in ascending order. */
const newestOf = (commits: readonly Commit[], resource: HistoryTarget): ResourceVersion | undefined => {
  for (const commit of commits.toReversed()) {
    const event = commit.Events.findLast(candidate => concerns(candidate, resource))
    if (event) return { commit, event }
  }
  return undefined
}

/** @throws Refusal `invalid` that lists the supported topics */
const revertibleOf = (topic: string): Revertible => {
  const found = Object.hasOwn(REVERTIBLE, topic) ? REVERTIBLE[topic] : undefined
  if (!found)
    throw invalidRevert(
      `Invalid topic: resources of ${JSON.stringify(topic.slice(0, 200))} cannot be reverted; those of ${Object.keys(REVERTIBLE).join(', ')} can`
    )
  return found
}

/** @throws Refusal `invalid` */
const required = ({ query }: RequestContext, name: 'topic' | 'key' | 'to'): string => {
  const text = firstValueOf(query, name)
  if (text === undefined)
    throw invalidRevert(`Invalid ${name}: a revert needs the topic and the key of one resource, and an index`)
  return text
}

/** @throws Refusal `invalid` */
const revertRequestOf = (request: RequestContext): RevertRequest => {
  const { query } = request
  const name = required(request, 'topic')
  const topic = ALIASES.get(name)?.topic ?? name
  const { isOnNode } = revertibleOf(topic)
  const key = required(request, 'key')
  const node = firstValueOf(query, 'node')
  if (isOnNode && node === undefined)
    throw invalidRevert(`Invalid node: several nodes may have a ${topic} of this key: it must be named`)
  if (!isOnNode && node !== undefined) throw invalidRevert(`Invalid node: resources of ${topic} have no node`)
  const cas = firstValueOf(query, 'cas')
  return {
    target: { topic, key, ...(node === undefined ? {} : { node }) },
    to: integer(required(request, 'to'), 'to'),
    cas: cas === undefined ? undefined : integer(cas, 'cas'),
    isDryRun: query.has('dry-run')
  }
}

/** @param routes with the write operations */
export const revertRoutes = (reverts: Reverts, routes: readonly Route[]): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'PUT',
    path: '/v1/event/revert',
    operationId: 'revert',
    summary: 'Revert a resource to its version at an index by the ordinary write',
    access: anyToken('the permissions to read and write the resource'),
    tenancy: 'many',
    refusesUnknown: true,
    query: {
      topic: 'Topic of its events, such as KV or ACLPolicy',
      key: 'Key of its events: an ID, a name, or the key itself',
      to: unsigned64('Index of the commit whose version to restore'),
      node: 'Of topics Service and Check: the node of the resource',
      cas: unsigned64('Revert only if this commit is the newest that changed the resource'),
      'dry-run': present('Commit nothing; return the changes, or the refusal')
    },
    response: reverted,
    outcomes: { 410: { description: 'The version at that index is no longer retained or is erased' } },
    handle: request => reverts.answer(request, revertRequestOf(request), routes)
  })
]
