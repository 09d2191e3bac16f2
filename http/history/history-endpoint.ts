// The history of a resource in pages, newest first, for callers that may read the resource now.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { CHECK_TOPIC } from '../../events/check.js'
import type { EventLog } from '../../events/log/log.js'
import { AuthorizerIntersection } from '../../projections/acl/authorizer-intersection.js'
import {
  type HistoryTarget,
  type ResourceVersion,
  watchKeysOf
} from '../../projections/history/history-target.js'
import { visibleEvent } from '../../projections/stream/topics.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import { quoteValue } from '../stream/parameter-values.js'
import { exactJson, type RouteResponse } from '../wire/response.js'
import { jittered, readOptions, watchChange } from '../wire/reads/blocking.js'
import type { RequestContext } from '../wire/request-context.js'
import { BaseSnapshotResources } from './base-snapshot-resources.js'
import {
  parseHistoryRequest,
  newestVersion,
  versionPage,
  type VersionPage,
  type VersionSource
} from './versions.js'
import { requireNamePermission, visibleEventIn, notVisibleRefusal } from './read-permissions.js'
import { HistoricalPermissions } from './historical-permissions.js'
import { linkTo } from '../wire/reads/page.js'
import type { Event, Origin } from '../../events/envelope.js'
import { patchOf, replacementPatchOf } from '../../projections/history/json-patch.js'
import { eventViewOf } from '../../projections/stream/event-view.js'
import type { Views } from '../../projections/read-models.js'

/** What a reader sees of a version. */
interface VisibleVersion {
  /** Undefined: only that there is the version. */
  readonly event: Event | undefined
  /** Whether the reader may know who made the version. */
  readonly isWhoSeen: boolean
}

/** How versions are shown to one reader. */
interface VersionViewOptions {
  readonly seen: (version: ResourceVersion) => VisibleVersion
  /** Whether each tells its whole payload. */
  readonly payload: boolean
  readonly views: Views
}

/** Who made a version: with the token's description, if it still is. */
const shownOrigin = (by: Origin, { tokens }: Views): object => {
  if (by.Erased) return { Erased: true }
  const { AccessorID, Address, RequestID, Command, Reason, Cause } = by
  const TokenName = AccessorID === '' ? undefined : tokens.get(AccessorID)?.token.Description
  return { AccessorID, TokenName, Address, RequestID, Command, Reason, Cause }
}

const shownVersion = (
  version: ResourceVersion,
  before: ResourceVersion | undefined,
  showing: VersionViewOptions
): object => {
  const { commit, isBase } = version
  const { Index, Time, By } = commit
  const { event, isWhoSeen } = showing.seen(version)
  if (!event) return { Index, Time, Type: version.event.Type, Withheld: true }
  const { Type } = event
  if (isBase) return { Index, Type, Base: true, Payload: eventViewOf(event).Payload }
  const head = { Index, Time, Type, ...(isWhoSeen ? { By: shownOrigin(By, showing.views) } : {}) }
  if (event.Erased) return { ...head, Erased: true }
  const { Payload } = eventViewOf(event)
  const former = before && showing.seen(before).event
  // What was erased, or is not shown, is nothing that a patch could be applied to.
  const Patch =
    former && !former.Erased ? patchOf(eventViewOf(former).Payload, Payload) : replacementPatchOf(Payload)
  return { ...head, Patch, ...(showing.payload ? { Payload } : {}) }
}

/** The elements of the answer: each with the change from the version before it, in the form of payloads of the event stream. */
const versionViewsOf = ({ versions, before }: VersionPage, showing: VersionViewOptions): readonly object[] =>
  versions.map((version, i) => shownVersion(version, versions[i + 1] ?? before, showing))

/** `rel="next"` leads to older versions, `rel="prev"` to newer ones; each only where there are some. */
const linksOf = (request: RequestContext, { versions, before, hasNewer }: VersionPage): readonly string[] => {
  const [newest, oldest] = [versions[0], versions.at(-1)]
  const links = [
    ...(before && oldest ? [`${linkTo(request, { before: String(oldest.commit.Index) })}; rel="next"`] : []),
    ...(hasNewer && newest ? [`${linkTo(request, { after: String(newest.commit.Index) })}; rel="prev"`] : [])
  ]
  return links.length === 0 ? [] : ['Link', links.join(', ')]
}

/** A resource as a request names it. */
type Sought = Pick<HistoryTarget, 'topic' | 'key' | 'node'>

/** How errors call a resource. */
const displayNameOf = ({ topic, key }: Sought): string => `${topic} ${quoteValue(key)}`

@scoped(Lifecycle.ContainerScoped)
export class HistoryEndpoint {
  readonly #source: VersionSource

  constructor(
    @inject(EVENT_LOG) log: EventLog,
    base: BaseSnapshotResources,
    private readonly rights: HistoricalPermissions
  ) {
    this.#source = { log, base }
  }

  /**
   * Answers with a page of versions. With `index` it waits until there is a version behind that index.
   * @param known its newest version, if that was just looked for
   * @param called name of the resource in refusals
   * @throws Refusal `invalid`; as `unseen`
   */
  async answer(
    request: RequestContext,
    resource: HistoryTarget,
    {
      known,
      called = displayNameOf(resource)
    }: { readonly known?: ResourceVersion | undefined; readonly called?: string } = {}
  ): Promise<RouteResponse> {
    const wish = parseHistoryRequest(request.query)
    requireNamePermission(request, resource, called)
    const seenOrRefused = (version: ResourceVersion | undefined): ResourceVersion =>
      requireVisible(request, resource, version, called)
    const newest = await this.#whenNewer(request, resource, seenOrRefused, known)
    const page = await versionPage(this.#source, resource, wish)
    const seen = await this.#seenOf(request, resource, page)
    const showing = { seen, payload: wish.payload, views: request.views }
    return { ...exactJson(versionViewsOf(page, showing), linksOf(request, page)), index: newest.commit.Index }
  }

  /** Each version by the permissions on its own names (decisions.md 52). */
  async #seenOf(
    request: RequestContext,
    { partition }: HistoryTarget,
    { versions, before }: VersionPage
  ): Promise<(version: ResourceVersion) => VisibleVersion> {
    const rightsAt = this.rights.of(request)
    const { authorizer } = request.authority
    const seen = new Map<ResourceVersion, VisibleVersion>()
    for (const version of [...versions, ...(before ? [before] : [])]) {
      const then = await rightsAt(version.commit.Index)
      const reader = then ? new AuthorizerIntersection(authorizer, then) : authorizer
      const event = visibleEvent(reader, version.event, 'resource')
      const isWhoSeen = reader.may('operator', 'read', '', { partition, namespace: 'default' })
      seen.set(version, { event, isWhoSeen })
    }
    return version => seen.get(version) ?? { event: undefined, isWhoSeen: false }
  }

  /**
   * Finds a resource in the request's tenancy, or of its partition or cluster where it has no namespace: the one that changed last.
   * @throws Refusal `denied` where the caller may not read what the request names
   */
  async find(
    request: RequestContext,
    sought: Sought
  ): Promise<{ readonly resource: HistoryTarget; readonly newest: ResourceVersion | undefined }> {
    const { partition, namespace } = request.tenancy
    const own = { ...sought, partition, namespace }
    if (sought.node !== undefined)
      request.require('node', 'read', sought.node, { partition, namespace: 'default' })
    requireNamePermission(request, own, displayNameOf(own))
    const found = await this.#newestOf(own)
    const { resource, newest } = found
    const event = newest && visibleEventIn(request, newest)
    // The request may spell the node in another letter case than its rule.
    if (sought.node !== undefined && event && event !== newest.event)
      throw notVisibleRefusal(request, resource, displayNameOf(resource))
    return found
  }

  async #newestOf(
    own: HistoryTarget
  ): Promise<{ readonly resource: HistoryTarget; readonly newest: ResourceVersion | undefined }> {
    const outside = { ...own, namespace: '' }
    const newest = await newestVersion(this.#source, own)
    // Of checks alone there are both with one key: those of services and those of nodes.
    if (newest && own.topic !== CHECK_TOPIC) return { resource: own, newest }
    const other = await newestVersion(this.#source, outside)
    return (other?.commit.Index ?? 0) > (newest?.commit.Index ?? 0)
      ? { resource: outside, newest: other }
      : { resource: own, newest }
  }

  /** Returns the newest version of a resource at or before `from`; undefined without one. */
  newest(resource: HistoryTarget, from?: number): Promise<ResourceVersion | undefined> {
    return newestVersion(this.#source, resource, from)
  }

  /** The newest version; with `index` that of the end of the wait. @throws Refusal as `unseen` */
  async #whenNewer(
    request: RequestContext,
    resource: HistoryTarget,
    seenOrRefused: (version: ResourceVersion | undefined) => ResourceVersion,
    known: ResourceVersion | undefined
  ): Promise<ResourceVersion> {
    const { index, waitMs } = readOptions(request)
    const { clock, committer, incoming, views } = request
    if (index === 0) return seenOrRefused(known ?? (await newestVersion(this.#source, resource)))
    const { epoch } = views.watch
    const deadline = clock.elapsed() + jittered(waitMs)
    for (;;) {
      // Before the look, so that no change is missed between that and the wait.
      const watching = watchChange(request, watchKeysOf(resource), Math.max(0, deadline - clock.elapsed()))
      try {
        const newest = seenOrRefused(await newestVersion(this.#source, resource))
        const isOver = incoming.isGone || clock.elapsed() >= deadline || views.watch.epoch !== epoch
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

/** Returns a version that the caller sees something of. @throws Refusal as `unseen` */
export const requireVisible = (
  request: RequestContext,
  resource: HistoryTarget,
  version: ResourceVersion | undefined,
  called = displayNameOf(resource)
): ResourceVersion => {
  request.requireToken()
  if (!version || !visibleEventIn(request, version)) throw notVisibleRefusal(request, resource, called)
  return version
}
