import type { Authorizer } from '../acl/authorizer.js'
import { nodeTenancy } from '../tenancy-view.js'
import type { FoundQuery } from './query-row.js'
import type { Instance, Instances } from './instance.js'
import type { QueryService } from '../../events/prepared-query.js'
import { StepPace, type Steps } from '../steps.js'
import { nearestFirst, type NodeDistances } from '../catalog/vivaldi.js'

type Texts = Readonly<Record<string, string>>

const hasPairs = (required: Texts | null, meta: Texts | null): boolean => {
  for (const key in required) {
    const value = meta !== null && Object.hasOwn(meta, key) ? meta[key] : undefined
    if (value !== required[key]) return false
  }
  return true
}

/** A tag must be present; one with the prefix `!` must not. `required` is in lower case, tags in any. */
export const hasTags = (required: readonly string[], tags: readonly string[] | null): boolean => {
  if (required.length === 0) return true
  const present = new Set(tags?.map(tag => tag.toLowerCase()))
  return required.every(tag => (tag.startsWith('!') ? !present.has(tag.slice(1)) : present.has(tag)))
}

const isHealthy = (
  { checks }: Instance,
  onlyPassing: boolean,
  ignored: readonly string[] | null
): boolean => {
  for (const { CheckID, Status } of checks)
    if ((Status === 'critical' || (onlyPassing && Status !== 'passing')) && !ignored?.includes(CheckID))
      return false
  return true
}

/** The conditions of a rendered query on the instances of its service (spec: queries.md §6.1, steps 2 to 5). */
const instanceFilterOf = (query: QueryService): ((instance: Instance) => boolean) => {
  const tags = query.Tags?.map(tag => tag.toLowerCase()) ?? []
  return instance =>
    isHealthy(instance, query.OnlyPassing, query.IgnoreCheckIDs) &&
    hasPairs(query.NodeMeta, instance.node.Meta) &&
    hasPairs(query.ServiceMeta, instance.service.Meta) &&
    hasTags(tags, instance.service.Tags)
}

/** Requires read on the service and on the node. */
export const canSeeInstance =
  (authorizer: Pick<Authorizer, 'may'>) =>
  ({ tenancy, node, service }: Instance): boolean =>
    authorizer.may('service', 'read', service.Service, tenancy) &&
    authorizer.may('node', 'read', node.Node, nodeTenancy(tenancy))

/** Returns the list itself if every element passes, so that it is in memory once. */
export function* passing(
  list: readonly Instance[],
  passes: (instance: Instance) => boolean
): Steps<readonly Instance[]> {
  const pace = new StepPace()
  const some: Instance[] = []
  for (const instance of list) {
    if (passes(instance)) some.push(instance)
    if (pace.isOver()) yield
  }
  return some.length === list.length ? list : some
}

interface CachedCandidates {
  readonly selected: readonly Instance[]
  readonly authorizer: Authorizer
  readonly visible: readonly Instance[]
}

/**
 * A cache of the instances of a query, before order and limit. The first look-up after a change of the query, of an instance or of the permissions
 * costs the instances of the service times the conditions of the query; further ones O(1). Memory: up to two references for each instance of a query,
 * none if no instance is excluded; they are freed with the list or the query.
 */
export class Candidates {
  /** By the list of the source, which is another object after a change. */
  readonly #cache = new WeakMap<readonly Instance[], WeakMap<FoundQuery, CachedCandidates>>()

  constructor(private readonly source: Instances) {}

  /** The instances that a query selects and an authorizer shows, in the order of the source. @param connect selects Connect instances anyway */
  *of(found: FoundQuery, connect: boolean, authorizer: Authorizer): Steps<readonly Instance[]> {
    const { service, tenancy } = found
    const all = yield* service.Connect || connect
      ? this.source.connect(tenancy, service.Service)
      : this.source.of(tenancy, service.Service)
    const cache = this.#cacheOf(all)
    const known = cache.get(found)
    if (known?.authorizer === authorizer) return known.visible
    const selected = known?.selected ?? (yield* passing(all, instanceFilterOf(service)))
    const visible = yield* passing(selected, canSeeInstance(authorizer))
    cache.set(found, { selected, authorizer, visible })
    return visible
  }

  #cacheOf(all: readonly Instance[]): WeakMap<FoundQuery, CachedCandidates> {
    let cache = this.#cache.get(all)
    if (!cache) this.#cache.set(all, (cache = new WeakMap()))
    return cache
  }
}

// The order of instances in a response: random, then nearest first, then limited (spec: queries.md §6.1, §6.3).

/** The instance on the source node itself becomes the first if it is among the first 10. */
const FIRST = 10

/** Shuffles in place: every order of the first `count` elements is equally likely. `random` returns numbers from 0 to below 1. Cost: `count`. */
export function* shuffle<T>(list: T[], random: () => number, count = list.length): Steps<T[]> {
  const pace = new StepPace()
  const last = Math.min(count, list.length - 1)
  for (let i = 0; i < last; i++) {
    const j = i + Math.floor(random() * (list.length - i))
    const [a, b] = [list[i], list[j]]
    if (a === undefined || b === undefined) continue
    list[i] = b
    list[j] = a
    if (pace.isOver()) yield
  }
  return list
}

export interface Near {
  /** In exact letter case. */
  readonly node: string
  readonly placesOf: (node: string) => NodeDistances | undefined
}

/** Sorts by distance (stable); nodes without a coordinate come last. Then the first instance on the source node itself is swapped to the front. */
export function* nearFirst(
  list: readonly Instance[],
  { node: source, placesOf }: Near
): Steps<readonly Instance[]> {
  const from = placesOf(source)
  const sorted = from ? [...(yield* nearestFirst(list, from, ({ node }) => placesOf(node.Node)))] : [...list]
  const at = sorted.slice(0, FIRST).findIndex(({ node }) => node.Node === source)
  const [first, own] = [sorted[0], sorted[at]]
  if (at > 0 && first && own) {
    sorted[0] = own
    sorted[at] = first
  }
  return sorted
}

/** 0 and negative limits mean all. */
export const limited = <T>(list: readonly T[], limit: number): readonly T[] =>
  limit > 0 && limit < list.length ? list.slice(0, limit) : list
