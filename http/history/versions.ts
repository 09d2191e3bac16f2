// The versions of resources, and their pages.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal, invalid } from '../../actors/refusal.js'
import { CommitsPruned, type LogReader } from '../../events/log/log.js'
import type { SnapshotReader } from '../../events/log/snapshots/read.js'
import { baseSnapshotOf, type SnapshotStores } from '../../projections/restore-views.js'
import { factCommit, type Fact } from '../../projections/projection.js'
import { BESIDE_LOG, EVENT_LOG } from '../../server/settings/ports.js'
import type { Commit } from '../../events/envelope.js'
import {
  concerns,
  type HistoryTarget,
  type ResourceVersion
} from '../../projections/history/history-target.js'
import { firstValueOf, flag, integer } from '../stream/parameter-values.js'
import { present, unsigned64, type Query } from '../wire/query.js'

// The resources of the base snapshot of a pruned log: the last event of each.

@scoped(Lifecycle.ContainerScoped)
export class BaseSnapshotResources {
  /** Index of the base snapshot for the oldest retained commit, by this commit and the base snapshots that were here. */
  #known = { of: '', index: 0 }

  constructor(
    @inject(EVENT_LOG) private readonly log: Pick<LogReader, 'firstIndex' | 'durableIndex'>,
    @inject(BESIDE_LOG, { isOptional: true }) private readonly beside?: SnapshotStores
  ) {}

  /** Returns the oldest index with a complete state; 0 for a log that was never pruned. @throws LogUnusable without a base */
  async index(): Promise<number> {
    const first = this.log.firstIndex
    // A base snapshot of an erasure stands for commits that can still be read.
    if (first === 1) return 0
    const bases = this.beside?.bases
    const of = [first, ...((await bases?.indexes()) ?? [])].join()
    if (this.#known.of !== of) this.#known = { of, index: await baseSnapshotOf(this.log, bases) }
    return this.#known.index
  }

  /** Returns the last version of a resource in a base snapshot; undefined without one. Cost: as `commits`. */
  async newest(base: number, resource: HistoryTarget): Promise<ResourceVersion | undefined> {
    const isOf = ({ Topic, Partition = 'default', Namespace, Key }: Fact): boolean =>
      Topic === resource.topic &&
      Partition === resource.partition &&
      Namespace === resource.namespace &&
      Key === resource.key
    for await (const commits of this.commits(base, [resource.topic], isOf))
      for (const commit of commits)
        for (const event of commit.Events)
          if (concerns(event, resource)) return { commit, event, isBase: true }
    return undefined
  }

  /**
   * Yields selected last events of a base snapshot, each as a commit at the index of the resource's last change, in an order in which
   * they can be folded. Cost: the complete base snapshot.
   * @param index from `index`
   * @throws Refusal `unavailable` if another one has replaced it
   */
  async *commits(
    index: number,
    topics: readonly string[],
    isWanted: (fact: Fact) => boolean
  ): AsyncGenerator<readonly Commit[]> {
    for await (const rows of this.rows(index, topics)) {
      const facts: readonly Fact[] = JSON.parse(rows)
      yield facts.filter(isWanted).map(fact => factCommit(fact, index))
    }
  }

  /** Yields JSON lists of the last events of a base snapshot, which contain those of some topics. Cost, parameters and errors: as `commits`. */
  async *rows(index: number, topics: readonly string[]): AsyncGenerator<string> {
    if (index === 0) return
    const reader = await this.open(index)
    try {
      // Parts with a dot in their name are not rows of resources.
      for await (const { part, rows } of reader.blocks())
        if (!part.includes('.') && topics.some(topic => rows.includes(`"Topic":${JSON.stringify(topic)}`)))
          yield rows
    } finally {
      await reader.close()
    }
  }

  /** @param index from `index`, not 0. @throws as `commits` */
  async open(index: number): Promise<SnapshotReader> {
    try {
      if (!this.beside) throw new CommitsPruned(index, this.log.firstIndex)
      return await this.beside.bases.open(index)
    } catch (error) {
      if (!(error instanceof CommitsPruned)) throw error
      throw new Refusal(
        'read.unavailable',
        'The base snapshot of the log was replaced during the read: repeat it'
      )
    }
  }
}

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 1000

interface HistoryRequest {
  /** Number of versions on a page; those of one commit stay together. */
  readonly limit: number
  /** Only versions before this index. */
  readonly before: number | undefined
  /** Only the oldest versions after this index. */
  readonly after: number | undefined
  /** True to include each complete payload. */
  readonly payload: boolean
}

export const HISTORY_QUERY = {
  limit: unsigned64(`How many versions a page has; ${DEFAULT_LIMIT} unless given, at most ${MAX_LIMIT}`),
  before: unsigned64(
    'Only versions before this index: the next older page begins behind the last one of this'
  ),
  after: unsigned64('Only versions behind this index, the oldest of them: the next newer page'),
  payload: present('Each version tells its whole payload, too')
}

/** @throws Refusal `invalid` that names the parameter and the rule */
export const parseHistoryRequest = (query: Query): HistoryRequest => {
  const numberIn = (name: string): number | undefined => {
    const text = firstValueOf(query, name)
    return text === undefined ? undefined : integer(text, name)
  }
  const limit = numberIn('limit') ?? DEFAULT_LIMIT
  if (limit < 1 || limit > MAX_LIMIT)
    throw invalid('history.invalid', `Invalid limit: ${limit} is not from 1 to ${MAX_LIMIT}`)
  const [before, after] = [numberIn('before'), numberIn('after')]
  if (before !== undefined && after !== undefined)
    throw invalid(
      'history.invalid',
      'Invalid after: before and after cannot both be given: a page lies on one side of an index'
    )
  return { limit, before, after, payload: flag(query, 'payload') }
}

/** Some versions, newest first. */
export interface VersionPage {
  readonly versions: readonly ResourceVersion[]
  /** The version before the oldest of them; undefined if none is retained. */
  readonly before: ResourceVersion | undefined
  /** True if there are newer versions than these. */
  readonly hasNewer: boolean
}

/** Returns the versions in a commit, newest first. */
const versionsIn = (commit: Commit, resource: HistoryTarget): readonly ResourceVersion[] =>
  commit.Events.filter(event => concerns(event, resource))
    .map(event => ({ commit, event }))
    .toReversed()

/** Reads the versions of resources from the log and the base snapshot. */
@scoped(Lifecycle.ContainerScoped)
export class VersionReader {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly base: BaseSnapshotResources
  ) {}

  /** Returns the newest version at or before an index; undefined without one. */
  async newest(resource: HistoryTarget, index = Infinity): Promise<ResourceVersion | undefined> {
    for await (const [version] of this.#newestFirst(resource, index, 1)) if (version) return version
    return undefined
  }

  /** Costs the versions of the page, and one more. */
  page(resource: HistoryTarget, { limit, before = Infinity, after }: HistoryRequest): Promise<VersionPage> {
    return after === undefined
      ? this.#pageBefore(resource, limit, before)
      : this.#pageAfter(resource, limit, after)
  }

  async #pageBefore(resource: HistoryTarget, limit: number, end: number): Promise<VersionPage> {
    const versions: ResourceVersion[] = []
    let before: ResourceVersion | undefined
    for await (const found of this.#newestFirst(resource, end - 1, limit + 1)) {
      before = versions.length >= limit ? found[0] : undefined
      if (before) break
      versions.push(...found)
    }
    const newest = end === Infinity ? undefined : await this.newest(resource)
    return { versions, before, hasNewer: newest !== undefined && newest.commit.Index >= end }
  }

  async #pageAfter(resource: HistoryTarget, limit: number, start: number): Promise<VersionPage> {
    const versions: ResourceVersion[] = []
    let hasNewer = false
    const { topic, partition, namespace, key } = resource
    for await (const commit of this.log.history({ topic, partition, namespace, key }, { from: start + 1 })) {
      hasNewer = versions.length >= limit
      if (hasNewer) break
      versions.unshift(...versionsIn(commit, resource))
    }
    return { versions, before: await this.newest(resource, start), hasNewer }
  }

  /** Yields the versions in the log, then the version in the base snapshot unless it is one of those. */
  async *#newestFirst(
    resource: HistoryTarget,
    from: number,
    wanted: number
  ): AsyncGenerator<readonly ResourceVersion[]> {
    let oldest = Infinity
    for await (const commit of this.log.history(resource, { from, newestFirst: true, limit: wanted })) {
      oldest = commit.Index
      yield versionsIn(commit, resource)
    }
    const start = await this.base.index()
    if (start === 0 || oldest <= start) return
    const version = await this.base.newest(start, resource)
    if (version && version.commit.Index <= from) yield [version]
  }
}
