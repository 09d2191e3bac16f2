// A route's declaration of the resources and events that its historical responses are built from.
import type { ResourceKey } from '../../events/log/log.js'
import type { HistoryTarget } from '../../projections/history/history-target.js'
import type { Views } from '../../projections/read-models.js'
import type { RequestContext } from './request-context.js'
import { ALL_NAMESPACES } from './tenancy.js'

/** All resources of some topics within a tenancy and key prefix. */
export interface TopicSelection {
  readonly topics: readonly string[]
  /** Undefined for all partitions. */
  readonly partition?: string | undefined
  /** Undefined for all namespaces. */
  readonly namespace?: string | undefined
  readonly prefix?: string
  /** The topics that the response shows, if the others only complete them; default: all. */
  readonly shown?: readonly string[]
}

/** A resource or selection that must be read from the log. */
export type HistoryDependency = ResourceKey | TopicSelection

export interface HistoryDeclaration {
  /** Returns the one resource that a request reads; undefined for lists and malformed names. */
  readonly resource?: (request: RequestContext) => HistoryTarget | undefined
  /**
   * Yields the dependencies of a historical response. Earlier ones are in `past` when the next is requested. Absent if the route has no
   * historical responses.
   */
  readonly needs?: (request: RequestContext, past: Views) => Iterable<HistoryDependency>
}

export const resourceIn = (
  { tenancy: { partition, namespace } }: RequestContext,
  topic: string,
  key: string
): ResourceKey | undefined =>
  namespace === ALL_NAMESPACES ? undefined : { topic, partition, namespace, key }

export const clusterResource = (topic: string, key: string, partition = 'default'): ResourceKey => ({
  topic,
  partition,
  namespace: '',
  key
})

/** Declares the history of a route that reads one resource. @param further additional dependencies of the response */
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

type Reach = 'namespace' | 'partition' | 'cluster'

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

/** Declares the history of a list. @param shown see `TopicSelection` */
export const historyOfList = (
  topics: readonly string[],
  reach: Reach,
  shown = topics
): HistoryDeclaration => ({ needs: request => [{ ...resourcesIn(request, topics, reach), shown }] })
