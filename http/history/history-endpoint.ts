// The history of one thing: its versions by pages, newest first, for who may read the thing now.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../actors/refusal.js'
import { CHECK_TOPIC } from '../../events/check.js'
import type { Tenancy } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import type { Authorizer } from '../../projections/acl/authorizer.js'
import type { Right } from '../../projections/config/rights.js'
import { readRights } from '../../projections/past/read-rights.js'
import type { Thing, Version } from '../../projections/past/thing.js'
import { watchKeysOf } from '../../projections/past/watch-keys.js'
import { EVENT_LOG } from '../program/ports.js'
import { json, type Answer } from '../wire/answer.js'
import { jittered, readOptions, watchChange } from '../wire/reads/blocking.js'
import type { ApiRequest } from '../wire/request.js'
import { BaseThings } from './base-things.js'
import { linksOf } from './links.js'
import { historyWish } from './parameters.js'
import { RightsThen } from './rights-then.js'
import { shownVersions, type Seen } from './shown-version.js'
import { newestVersion, versionPage, type VersionSource } from './versions.js'

const may = (authorizer: Authorizer, { resource, access, segment, tenancy }: Right): boolean =>
  authorizer.may(resource, access, segment, tenancy)

@scoped(Lifecycle.ContainerScoped)
export class HistoryEndpoint {
  readonly #source: VersionSource
  readonly #rights: RightsThen

  constructor(@inject(EVENT_LOG) log: EventLog, base: BaseThings, rights: RightsThen) {
    this.#rights = rights
    this.#source = { log, base }
  }

  /**
   * Answers with a page of versions. With `index` it waits until there is a version behind that index.
   * @param called what the thing is called where there is nothing of it
   * @param found its newest version, if that was just looked for
   * @throws Refusal `invalid`; `missing` when nothing is known of the thing; `denied` without the right to read it
   */
  async answer(request: ApiRequest, thing: Thing, called: string, found?: Version): Promise<Answer> {
    const wish = historyWish(request.query)
    const newest = await this.#whenNewer(request, thing, found)
    if (!newest) throw new Refusal('missing', `Nothing is known of ${called}`)
    requireRead(request, newest)
    const page = await versionPage(this.#source, thing, wish)
    const operator: Right = {
      resource: 'operator',
      access: 'read',
      segment: '',
      tenancy: { partition: thing.partition, namespace: 'default' }
    }
    const who = may(request.authority.authorizer, operator)
    const rightsAt = this.#rights.of(request)
    const then = new Map<Version, Authorizer | undefined>()
    for (const each of [...page.versions, ...(page.before ? [page.before] : [])])
      then.set(each, await rightsAt(each.commit.Index))
    const seen = (version: Version): Seen => {
      const authorizer = then.get(version)
      if (authorizer && !readRights(version.event).every(right => may(authorizer, right))) return 'nothing'
      return who && (!authorizer || may(authorizer, operator)) ? 'all' : 'without who'
    }
    const showing = { seen, payload: wish.payload, views: request.views }
    return { ...json(shownVersions(page, showing), linksOf(request, page)), index: newest.commit.Index }
  }

  /** A thing of a tenancy, which may be one that is in no namespace, or of the whole cluster: the one that changed last. */
  async find(
    { partition, namespace }: Tenancy,
    sought: Pick<Thing, 'topic' | 'key' | 'node'>
  ): Promise<{ readonly thing: Thing; readonly newest: Version | undefined }> {
    const own = { ...sought, partition, namespace }
    const outside = { ...own, namespace: '' }
    const newest = await newestVersion(this.#source, own)
    // Of checks alone there are both with one key: those of services and those of nodes.
    if (newest && sought.topic !== CHECK_TOPIC) return { thing: own, newest }
    const other = await newestVersion(this.#source, outside)
    return (other?.commit.Index ?? 0) > (newest?.commit.Index ?? 0)
      ? { thing: outside, newest: other }
      : { thing: own, newest }
  }

  /** The newest version of a thing with an index of at most `from`; undefined when there is none. */
  newest(thing: Thing, from?: number): Promise<Version | undefined> {
    return newestVersion(this.#source, thing, from)
  }

  /** The newest version; with `index` that of the end of the wait. */
  async #whenNewer(request: ApiRequest, thing: Thing, found?: Version): Promise<Version | undefined> {
    const { index, waitMs } = readOptions(request)
    const { clock, committer, incoming, views } = request
    if (index === 0) return found ?? newestVersion(this.#source, thing)
    const { epoch } = views.watch
    const deadline = clock.elapsed() + jittered(waitMs)
    for (;;) {
      // Before the look, so that no change is missed between that and the wait.
      const watching = watchChange(request, watchKeysOf(thing), Math.max(0, deadline - clock.elapsed()))
      try {
        const newest = await newestVersion(this.#source, thing)
        const isOver = incoming.isGone || clock.elapsed() >= deadline || views.watch.epoch !== epoch
        if (!newest || newest.commit.Index > index || isOver) return newest
        requireRead(request, newest)
        await watching.changed
      } finally {
        watching.stop()
      }
      await committer.readable()
      await committer.settled()
      request.forgetAuthority()
    }
  }
}

/** @throws Refusal `denied` for who may not read what the newest version tells */
export const requireRead = (request: ApiRequest, { event }: Version): void => {
  request.requireToken()
  for (const { resource, access, segment, tenancy } of readRights(event))
    request.require(resource, access, segment, tenancy)
}
