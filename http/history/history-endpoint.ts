// The history of a resource in pages, newest first, for callers that may currently read the resource.
import { Lifecycle, scoped } from 'tsyringe'
import { CHECK_TOPIC } from '../../events/check.js'
import { AuthorizerIntersection } from '../../projections/acl/authorizer.js'
import {
  type HistoryTarget,
  type ResourceVersion,
  watchKeysOf
} from '../../projections/history/history-target.js'
import { visibleEvent } from '../../projections/stream/topics.js'
import { quoteValue } from '../stream/parameter-values.js'
import { exactJson, type RouteResponse } from '../wire/response.js'
import { jittered, readOptions, watchChange } from '../wire/reads/blocking.js'
import type { RequestContext } from '../wire/request-context.js'
import { parseHistoryRequest, VersionReader, type VersionPage } from './versions.js'
import { requireNamePermission, visibleEventIn, notVisibleRefusal } from './read-permissions.js'
import { HistoricalPermissions } from './historical-permissions.js'
import { linkTo } from '../wire/reads/page.js'
import type { Event, Origin } from '../../events/envelope.js'
import { patchOf, replacementPatchOf } from '../../projections/history/json-patch.js'
import { eventViewOf } from '../../projections/stream/event-view.js'
import type { Views } from '../../projections/read-models.js'

/** The visible parts of a version. */
interface VisibleVersion {
  /** Undefined if only the existence of the version is visible. */
  readonly event: Event | undefined
  readonly isOriginVisible: boolean
}

interface VersionViewOptions {
  readonly visibleOf: (version: ResourceVersion) => VisibleVersion
  /** True to include each complete payload. */
  readonly payload: boolean
  readonly views: Views
}

/** Returns the origin of a version, with the description of a token that still exists. */
const shownOrigin = (by: Origin, { tokens }: Views): object => {
  if (by.Erased) return { Erased: true }
  const { AccessorID, Address, RequestID, Command, Reason, ChangeSet, Owner, Cause } = by
  const TokenName = AccessorID === '' ? undefined : tokens.get(AccessorID)?.token.Description
  return { AccessorID, TokenName, Address, RequestID, Command, Reason, ChangeSet, Owner, Cause }
}

const shownVersion = (
  version: ResourceVersion,
  before: ResourceVersion | undefined,
  options: VersionViewOptions
): object => {
  const { commit, isBase } = version
  const { Index, Time, By } = commit
  const { event, isOriginVisible } = options.visibleOf(version)
  if (!event) return { Index, Time, Type: version.event.Type, Withheld: true }
  const { Type } = event
  if (isBase) return { Index, Type, Base: true, Payload: eventViewOf(event).Payload }
  const head = { Index, Time, Type, ...(isOriginVisible ? { By: shownOrigin(By, options.views) } : {}) }
  if (event.Erased) return { ...head, Erased: true }
  const { Payload } = eventViewOf(event)
  const previous = before && options.visibleOf(before).event
  // A patch cannot apply to an erased or invisible payload.
  const Patch =
    previous && !previous.Erased
      ? patchOf(eventViewOf(previous).Payload, Payload)
      : replacementPatchOf(Payload)
  return { ...head, Patch, ...(options.payload ? { Payload } : {}) }
}

/** Returns the elements of the response, each with its change from the version before, in terms of stream payloads. */
const versionViewsOf = ({ versions, before }: VersionPage, options: VersionViewOptions): readonly object[] =>
  versions.map((version, i) => shownVersion(version, versions[i + 1] ?? before, options))

/** Links to the older versions (`rel="next"`) and the newer ones (`rel="prev"`), if any. */
const linksOf = (request: RequestContext, { versions, before, hasNewer }: VersionPage): readonly string[] => {
  const [newest, oldest] = [versions[0], versions.at(-1)]
  const links = [
    ...(before && oldest ? [`${linkTo(request, { before: String(oldest.commit.Index) })}; rel="next"`] : []),
    ...(hasNewer && newest ? [`${linkTo(request, { after: String(newest.commit.Index) })}; rel="prev"`] : [])
  ]
  return links.length === 0 ? [] : ['Link', links.join(', ')]
}

/** A resource as a request names it. */
type ResourceName = Pick<HistoryTarget, 'topic' | 'key' | 'node'>

interface FoundResource {
  readonly resource: HistoryTarget
  readonly newest: ResourceVersion | undefined
}

/** Returns the name of a resource in refusals. */
const displayNameOf = ({ topic, key }: ResourceName): string => `${topic} ${quoteValue(key)}`

@scoped(Lifecycle.ContainerScoped)
export class HistoryEndpoint {
  constructor(
    private readonly versions: VersionReader,
    private readonly rights: HistoricalPermissions
  ) {}

  /**
   * Returns a page of versions. With `index` it waits for a version after that index.
   * @param known the newest version, if it was just read
   * @param label name of the resource in refusals
   * @throws Refusal `invalid`; as `notVisibleRefusal`
   */
  async answer(
    request: RequestContext,
    resource: HistoryTarget,
    {
      known,
      label = displayNameOf(resource)
    }: { readonly known?: ResourceVersion | undefined; readonly label?: string } = {}
  ): Promise<RouteResponse> {
    const historyRequest = parseHistoryRequest(request.query)
    requireNamePermission(request, resource, label)
    const newest = await this.#whenNewer(request, resource, label, known)
    const page = await this.versions.page(resource, historyRequest)
    const visibleOf = await this.#visibleVersions(request, resource, page)
    const options = { visibleOf, payload: historyRequest.payload, views: request.views }
    return { ...exactJson(versionViewsOf(page, options), linksOf(request, page)), index: newest.commit.Index }
  }

  /** Applies the permissions on the names in each version (decisions.md 52). */
  async #visibleVersions(
    request: RequestContext,
    { partition }: HistoryTarget,
    { versions, before }: VersionPage
  ): Promise<(version: ResourceVersion) => VisibleVersion> {
    const rightsAt = this.rights.of(request)
    const authorizer = request.usage.credited
    const visible = new Map<ResourceVersion, VisibleVersion>()
    for (const version of [...versions, ...(before ? [before] : [])]) {
      const then = await rightsAt(version.commit.Index)
      const reader = then ? new AuthorizerIntersection(authorizer, then) : authorizer
      const event = visibleEvent(reader, version.event, 'resource')
      const isOriginVisible = reader.may('operator', 'read', '', { partition, namespace: 'default' })
      visible.set(version, { event, isOriginVisible })
    }
    return version => visible.get(version) ?? { event: undefined, isOriginVisible: false }
  }

  /**
   * Finds the resource in the request's tenancy, or without a namespace, whichever changed last.
   * @throws Refusal `denied` if the caller may not read the named resource
   */
  async find(request: RequestContext, name: ResourceName): Promise<FoundResource> {
    const { partition, namespace } = request.tenancy
    const own = { ...name, partition, namespace }
    if (name.node !== undefined)
      request.require('node', 'read', name.node, { partition, namespace: 'default' })
    requireNamePermission(request, own, displayNameOf(own))
    const found = await this.#newestOf(own)
    const { resource, newest } = found
    const event = newest && visibleEventIn(request, newest)
    // The letter case of the node's name may differ between the request and the rule.
    if (name.node !== undefined && event && event !== newest.event)
      throw notVisibleRefusal(request, resource, displayNameOf(resource))
    return found
  }

  async #newestOf(own: HistoryTarget): Promise<FoundResource> {
    const outside = { ...own, namespace: '' }
    const newest = await this.versions.newest(own)
    // Only checks of a service and of a node may have the same key.
    if (newest && own.topic !== CHECK_TOPIC) return { resource: own, newest }
    const other = await this.versions.newest(outside)
    return (other?.commit.Index ?? 0) > (newest?.commit.Index ?? 0)
      ? { resource: outside, newest: other }
      : { resource: own, newest }
  }

  /** Returns the newest version; with `index` after the wait. @throws Refusal as `notVisibleRefusal` */
  async #whenNewer(
    request: RequestContext,
    resource: HistoryTarget,
    label: string,
    known: ResourceVersion | undefined
  ): Promise<ResourceVersion> {
    const { index, waitMs } = readOptions(request)
    const { clock, committer, views } = request
    if (index === 0)
      return requireVisible(request, resource, known ?? (await this.versions.newest(resource)), label)
    const { epoch } = views.watch
    const deadline = clock.elapsed() + jittered(waitMs)
    for (;;) {
      // Watches before it reads, so that no change is missed.
      const watching = watchChange(request, watchKeysOf(resource), Math.max(0, deadline - clock.elapsed()))
      try {
        const newest = requireVisible(request, resource, await this.versions.newest(resource), label)
        const isOver = request.isGone || clock.elapsed() >= deadline || views.watch.epoch !== epoch
        if (newest.commit.Index > index || isOver) return newest
        await watching.changed
      } finally {
        watching.stop()
      }
      await committer.readable()
      await committer.durable()
      request.forgetAuthority()
    }
  }
}

/** Returns a version that the caller may read in part. @throws Refusal as `notVisibleRefusal` */
export const requireVisible = (
  request: RequestContext,
  resource: HistoryTarget,
  version: ResourceVersion | undefined,
  label = displayNameOf(resource)
): ResourceVersion => {
  request.requireToken()
  if (!version || !visibleEventIn(request, version)) throw notVisibleRefusal(request, resource, label)
  return version
}
