// Creates read models of an earlier index with the resources that one request can show.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../actors/refusal.js'
import type { Commit, Event } from '../../events/envelope.js'
import type { LogReader, ResourceKey } from '../../events/log/log.js'
import type { StoredCommit } from '../../events/stored.js'
import { ANONYMOUS_ACCESSOR, TOKEN_TOPIC } from '../../events/token.js'
import { subscriberOf } from '../../projections/ip-address.js'
import { Views } from '../../projections/read-models.js'
import { HistoryFold, type ErasedVersion } from '../../projections/history/history-fold.js'
import { withoutDeletedSecrets } from '../../projections/history/history-target.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import { CpuShare } from '../stream/catch-up/cpu-share.js'
import type { HistoryDeclaration, TopicSelection } from '../wire/history-declaration.js'
import type { RequestContext } from '../wire/request-context.js'
import { BaseSnapshotResources, VersionReader } from './versions.js'
import { FairQueue } from './fair-queue.js'
import { AUTH_METHOD_TOPIC } from '../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../events/binding-rule.js'
import { CHECK_TOPIC } from '../../events/check.js'
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'
import { COORDINATE_TOPIC, NODE_TOPIC } from '../../events/node.js'
import { KV_TOPIC } from '../../events/kv.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { POLICY_PROPOSAL_TOPIC } from '../../events/policy-proposal.js'
import { QUERY_TOPIC } from '../../events/prepared-query.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { SERVICE_TOPIC } from '../../events/service.js'
import { SESSION_TOPIC } from '../../events/session.js'
import type { Authorizer, Resource } from '../../projections/acl/authorizer.js'
import { LABELLED, UNLABELLED } from '../../projections/acl/rules/model.js'
import { grantsSome } from '../../projections/acl/some-access.js'

/** The log is only read for a list if its caller can read some of it. */
const EVERY_RESOURCE: readonly Resource[] = [...UNLABELLED, ...LABELLED, 'intention', 'namespace']

/** Resources of which one must be granted to read anything of a topic; for other topics, any resource. */
const GRANTS_BY_TOPIC: ReadonlyMap<string, readonly Resource[]> = new Map<string, readonly Resource[]>([
  [NODE_TOPIC, ['node']],
  [COORDINATE_TOPIC, ['node']],
  [SERVICE_TOPIC, ['service', 'namespace']],
  [CHECK_TOPIC, ['service', 'node', 'namespace']],
  [KV_TOPIC, ['key']],
  [SESSION_TOPIC, ['session']],
  [QUERY_TOPIC, ['query', 'acl']],
  [TOKEN_TOPIC, ['acl']],
  [POLICY_TOPIC, ['acl']],
  [POLICY_PROPOSAL_TOPIC, ['acl']],
  [ROLE_TOPIC, ['acl']],
  [AUTH_METHOD_TOPIC, ['acl']],
  [BINDING_RULE_TOPIC, ['acl']]
])

/** Other configuration entries may need no permission. */
const isOfIntentions = ({ prefix = '' }: TopicSelection): boolean => prefix.startsWith('service-intentions/')

/** Returns true if the caller can read some element of a list. */
const maySeeSome = (authorizer: Authorizer, list: TopicSelection): boolean => {
  const { topics, shown = topics, partition = '*', namespace = '*' } = list
  return shown.some(topic => {
    if (topic === CONFIG_ENTRY_TOPIC && !isOfIntentions(list)) return true
    const needed =
      topic === CONFIG_ENTRY_TOPIC ? (['intention', 'service'] as const) : GRANTS_BY_TOPIC.get(topic)
    return grantsSome(authorizer, needed ?? EVERY_RESOURCE, { partition, namespace })
  })
}

/** Limits of the lists that are read at a time, each with read models of its own. */
const LISTS = { running: 2, waitingOfCaller: 32, waiting: 256 }
/** The share of a core for each of them. */
const SHARE = 0.25

/** @param oldest index with a complete state @throws Refusal `gone` for an earlier one */
export const requireRetained = (index: number, oldest: number): void => {
  if (index < oldest)
    throw new Refusal(
      'history.pruned',
      `Index ${index} is no longer retained: the oldest index is ${oldest}`,
      'retained'
    )
}

@scoped(Lifecycle.ContainerScoped)
export class HistoricalStateReader {
  readonly #lists = new FairQueue(LISTS)

  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly base: BaseSnapshotResources,
    private readonly versions: VersionReader
  ) {}

  /** Number of lists that wait to be read. */
  get waiting(): number {
    return this.#lists.size
  }

  /** Returns the oldest index with a complete state. */
  async oldest(): Promise<number> {
    return Math.max(1, await this.base.index())
  }

  /**
   * Reads the state at an index. One resource costs a few log reads; a list costs the whole history of its topics.
   * A list of which the caller can read nothing is not read.
   * @throws Refusal `gone` if a needed version was erased; `too-many` if too many lists wait
   */
  async read(
    request: RequestContext,
    needs: NonNullable<HistoryDeclaration['needs']>,
    index: number
  ): Promise<Views> {
    const views = new Views(request.views.settings)
    for (const need of needs(request, views))
      if ('topic' in need) await this.#readResource(views, need, index, request)
      else if (maySeeSome(request.authority.authorizer, need))
        await this.#lists.run(
          callerOf(request),
          () => !request.isGone,
          () => this.#readResources(views, need, index, request)
        )
    return views
  }

  async #readResource(
    views: Views,
    resource: ResourceKey,
    index: number,
    request: RequestContext
  ): Promise<void> {
    const version = await this.versions.newest(resource, index)
    if (!version) return
    const { commit, event } = version
    if (event.Erased) throw erasedVersion({ index: commit.Index, topic: event.Topic, key: event.Key })
    views.applyHistorical({ ...commit, Events: [withoutDeletedSecrets(event, request.currentViews)] })
  }

  async #readResources(
    views: Views,
    selection: TopicSelection,
    index: number,
    request: RequestContext
  ): Promise<void> {
    if (request.isGone) return
    const resources = new RequestedResources(views, selection, request.currentViews)
    const share = new CpuShare(SHARE)
    const base = await this.base.index()
    requireRetained(index, base)
    for await (const commits of this.base.commits(base, selection.topics, fact => resources.includes(fact))) {
      await share.rested()
      share.work(() => commits.forEach(commit => resources.fold(commit)))
    }
    for await (const records of this.log.records(base + 1, { topics: selection.topics })) {
      await share.rested()
      if (request.isGone) break
      const wantedRecords = share.work(() =>
        records.filter(record => record.index <= index && resources.mayBeIn(record))
      )
      for (const record of wantedRecords) {
        await share.rested()
        const commit = await this.log.commitOf(record)
        share.work(() => resources.fold(commit))
      }
      if ((records.at(-1)?.index ?? Infinity) >= index) break
    }
    resources.end()
  }
}

/** Returns the accessor, or the address of a caller without one. */
const callerOf = ({ authority: { token }, address }: RequestContext): string => {
  const accessor = token?.token.AccessorID ?? ANONYMOUS_ACCESSOR
  return accessor === ANONYMOUS_ACCESSOR ? subscriberOf(address) : accessor
}

/** The identity of a resource in facts and events. */
type Head = Pick<Event, 'Topic' | 'Namespace' | 'Key'> & { readonly Partition?: string }

/** The resources of a list while their commits are folded. */
class RequestedResources {
  /** A record with a requested event contains one of these. */
  readonly #texts: readonly Buffer[]
  readonly #fold: HistoryFold

  constructor(
    views: Views,
    private readonly selection: TopicSelection,
    private readonly present: Views
  ) {
    this.#texts = selection.topics.map(topic => Buffer.from(`{"Topic":${JSON.stringify(topic)},`))
    this.#fold = new HistoryFold(views)
  }

  includes({ Topic, Partition = 'default', Namespace, Key }: Head): boolean {
    const { topics, partition, namespace, prefix = '' } = this.selection
    return (
      topics.includes(Topic) &&
      (partition === undefined || Partition === partition) &&
      (namespace === undefined || Namespace === '' || Namespace === namespace) &&
      Key.startsWith(prefix)
    )
  }

  /** Returns false if a record certainly has no requested event. */
  mayBeIn({ bytes }: StoredCommit): boolean {
    return this.#texts.some(text => bytes.includes(text))
  }

  fold(commit: Commit): void {
    const Events = commit.Events.filter(event => this.includes(event))
    this.#fold.add({ ...commit, Events: Events.map(event => withoutDeletedSecrets(event, this.present)) })
  }

  /** @throws Refusal `gone` if the newest version of a resource was erased */
  end(): void {
    const version = this.#fold.firstErased
    if (version) throw erasedVersion(version)
  }
}

/** @returns Refusal `gone` for a version that is needed and was erased */
export const erasedVersion = ({ index, topic, key }: ErasedVersion): Refusal =>
  new Refusal(
    'history.erased',
    `What commit ${index} made of ${topic} ${JSON.stringify(key)} was erased`,
    'erased'
  )
