// The instances that a query may answer with, before order and limit, as long as what they follow from stays.
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Authorizer } from '../acl/authorizer.js'
import type { FoundQuery } from './query-row.js'
import type { Instance, Instances } from './instance.js'
import type { QueryService } from '../../events/prepared-query.js'

/** Which instances a query means (spec: queries.md §6.1, steps 2 to 5). */
type Texts = Readonly<Record<string, string>>

const hasPairs = (wanted: Texts | null, meta: Texts | null): boolean => {
  for (const key in wanted) {
    const value = meta !== null && Object.hasOwn(meta, key) ? meta[key] : undefined
    if (value !== wanted[key]) return false
  }
  return true
}

/** A tag must be there; one with `!` in front must not. `wanted` is in lower case, tags in any. */
export const hasTags = (wanted: readonly string[], tags: readonly string[] | null): boolean => {
  if (wanted.length === 0) return true
  const present = new Set(tags?.map(tag => tag.toLowerCase()))
  return wanted.every(tag => (tag.startsWith('!') ? !present.has(tag.slice(1)) : present.has(tag)))
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

/** Whether a rendered query means an instance of its service. Cost: the conditions of the query. */
const instanceFilterOf = (query: QueryService): ((instance: Instance) => boolean) => {
  const tags = query.Tags?.map(tag => tag.toLowerCase()) ?? []
  return instance =>
    isHealthy(instance, query.OnlyPassing, query.IgnoreCheckIDs) &&
    hasPairs(query.NodeMeta, instance.node.Meta) &&
    hasPairs(query.ServiceMeta, instance.service.Meta) &&
    hasTags(tags, instance.service.Tags)
}

/** Where the rules for nodes of a partition stand. */
export const nodeTenancy = ({ partition }: Tenancy): Tenancy => ({
  partition,
  namespace: DEFAULT_TENANCY.namespace
})

/** An instance may be seen with read on its service and on its node. */
export const canSeeInstance =
  (authorizer: Authorizer) =>
  ({ tenancy, node, service }: Instance): boolean =>
    authorizer.may('service', 'read', service.Service, tenancy) &&
    authorizer.may('node', 'read', node.Node, nodeTenancy(tenancy))

/** The elements that pass: the list itself where all do, so that it takes up memory once. */
const passing = (list: readonly Instance[], passes: (instance: Instance) => boolean): readonly Instance[] => {
  const some = list.filter(passes)
  return some.length === list.length ? list : some
}

/** What was worked out last for a query from one list of instances. */
interface Kept {
  /** Those that the query means. */
  readonly selected: readonly Instance[]
  readonly authorizer: Authorizer
  /** Those of them that the authorizer shows. */
  readonly visible: readonly Instance[]
}

/**
 * Candidates of queries. The first look-up after a change of the query, of an instance or of the rights costs
 * the instances of the service times the conditions of the query; further ones O(1). Memory: up to two
 * references for each instance of a query, none where the query and the rights leave nothing out; they go
 * with the list or the query.
 */
export class Candidates {
  /** By the list that the source gave, which is another one after a change. */
  readonly #kept = new WeakMap<readonly Instance[], WeakMap<FoundQuery, Kept>>()

  constructor(private readonly source: Instances) {}

  /**
   * The instances that a query means and an authorizer shows, in the order of the source.
   * @param connect asks for what Connect reaches even if the query does not
   */
  of(found: FoundQuery, connect: boolean, authorizer: Authorizer): readonly Instance[] {
    const { service, tenancy } = found
    const all =
      service.Connect || connect
        ? this.source.connect(tenancy, service.Service)
        : this.source.of(tenancy, service.Service)
    const kept = this.#keptOf(all)
    const known = kept.get(found)
    if (known?.authorizer === authorizer) return known.visible
    const selected = known?.selected ?? passing(all, instanceFilterOf(service))
    const visible = passing(selected, canSeeInstance(authorizer))
    kept.set(found, { selected, authorizer, visible })
    return visible
  }

  #keptOf(all: readonly Instance[]): WeakMap<FoundQuery, Kept> {
    let kept = this.#kept.get(all)
    if (!kept) this.#kept.set(all, (kept = new WeakMap()))
    return kept
  }
}
