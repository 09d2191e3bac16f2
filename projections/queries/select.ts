// Which instances a query means (spec: queries.md §6.1, steps 2 to 5).
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { QueryService } from '../../events/prepared-query.js'
import type { Instance, Instances } from './instance.js'

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

/** Where a query looks: in the namespace that it names, not that of the token. */
export const tenancyOf = ({ Namespace }: QueryService): Tenancy => ({
  partition: DEFAULT_TENANCY.partition,
  namespace: Namespace?.toLowerCase() || DEFAULT_TENANCY.namespace
})

/**
 * The instances that a rendered query means, in the order of the source. Cost: the instances of the service, times the
 * conditions.
 * @param connect asks for what Connect reaches even if the query does not
 */
export const selectInstances = (source: Instances, query: QueryService, connect: boolean): Instance[] => {
  const tenancy = tenancyOf(query)
  const all =
    query.Connect || connect ? source.connect(tenancy, query.Service) : source.of(tenancy, query.Service)
  const tags = query.Tags?.map(tag => tag.toLowerCase()) ?? []
  return all.filter(
    instance =>
      isHealthy(instance, query.OnlyPassing, query.IgnoreCheckIDs) &&
      hasPairs(query.NodeMeta, instance.node.Meta) &&
      hasPairs(query.ServiceMeta, instance.service.Meta) &&
      hasTags(tags, instance.service.Tags)
  )
}
