// Which instances a query means (spec: queries.md §6.1, steps 2 to 5).
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

/** A tag must be there; one with `!` in front must not. Letter case does not matter. */
const hasTags = (wanted: readonly string[], tags: readonly string[] | null): boolean => {
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

/** The namespace in which a query looks: what it says, not that of the token. */
export const namespaceOf = ({ Namespace }: QueryService): string => Namespace?.toLowerCase() || 'default'

/**
 * The instances that a rendered query means, in the order of the source. Cost: the instances of the service, times the
 * conditions.
 * @param connect asks for what Connect reaches even if the query does not
 */
export const selectInstances = (source: Instances, query: QueryService, connect: boolean): Instance[] => {
  const namespace = namespaceOf(query)
  const all =
    query.Connect || connect ? source.connect(namespace, query.Service) : source.of(namespace, query.Service)
  const tags = query.Tags?.map(tag => tag.toLowerCase()) ?? []
  return all.filter(
    instance =>
      isHealthy(instance, query.OnlyPassing, query.IgnoreCheckIDs) &&
      hasPairs(query.NodeMeta, instance.node.Meta) &&
      hasPairs(query.ServiceMeta, instance.service.Meta) &&
      hasTags(tags, instance.service.Tags)
  )
}
