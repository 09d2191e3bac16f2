// What a route declares of the past of what it reads: which thing that is, and which events its answer of then is made from.
import type { ResourceKey } from '../../events/log/log.js'
import type { HistoryTarget } from '../../projections/history/history-target.js'
import type { Views } from '../../projections/read-models.js'
import type { RequestContext } from './request-context.js'
import { ALL_NAMESPACES } from './tenancy.js'

/** Every thing of some topics, of those that begin alike. */
export interface TopicSelection {
  readonly topics: readonly string[]
  /** Undefined: of all partitions. */
  readonly partition?: string | undefined
  /** Undefined: of all namespaces. */
  readonly namespace?: string | undefined
  /** How their keys begin. */
  readonly prefix?: string
  /** The topics that the answer shows, where the others only complete them; default: all. */
  readonly shown?: readonly string[]
}

/** What has to be read of the log: one thing, or many. */
export type HistoryDependency = ResourceKey | TopicSelection

/** How a GET is answered from what the log holds of before. */
export interface HistoryDeclaration {
  /** The one thing that a request reads, as its events name it; undefined where it means many, or one that nobody can name. */
  readonly resource?: (request: RequestContext) => HistoryTarget | undefined
  /**
   * What an answer of an earlier index is made from, in turn: what was named before is there in `past` when the next is asked for.
   * Absent where an earlier index has no meaning. The request shows what there is now.
   */
  readonly needs?: (request: RequestContext, past: Views) => Iterable<HistoryDependency>
}

/** A thing in the tenancy of a request; undefined where that means all namespaces. */
export const resourceIn = (
  { tenancy: { partition, namespace } }: RequestContext,
  topic: string,
  key: string
): ResourceKey | undefined =>
  namespace === ALL_NAMESPACES ? undefined : { topic, partition, namespace, key }

/** A thing of the whole cluster, or with a partition of that. */
export const clusterResource = (topic: string, key: string, partition = 'default'): ResourceKey => ({
  topic,
  partition,
  namespace: '',
  key
})

/** Of a read of one thing. @param further what its answer shows besides */
export const historyOfResource = (
  resource: NonNullable<HistoryDeclaration['resource']>,
  further: NonNullable<HistoryDeclaration['needs']> = () => []
): HistoryDeclaration => ({
  resource,
  *needs(request, past) {
    const name = resource(request)
    if (name) yield name
    yield* further(request, past)
  }
})

/** Where the things are that a list shows: in the request's namespace, in its partition, or anywhere. */
type Reach = 'namespace' | 'partition' | 'cluster'

/** All things of some topics that a request may mean. */
export const resourcesIn = (
  { tenancy: { partition, namespace } }: RequestContext,
  topics: readonly string[],
  reach: Reach,
  prefix = ''
): TopicSelection => ({
  topics,
  ...(reach === 'cluster' ? {} : { partition }),
  ...(reach === 'namespace' && namespace !== ALL_NAMESPACES ? { namespace } : {}),
  prefix
})

/** Of a list. @param shown see `ThingsOf` */
export const historyOfList = (
  topics: readonly string[],
  reach: Reach,
  shown = topics
): HistoryDeclaration => ({
  needs: request => [{ ...resourcesIn(request, topics, reach), shown }]
})
