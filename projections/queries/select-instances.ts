// Which instances a query means (spec: queries.md §6.1, steps 2 to 5).
import type { QueryService } from '../../events/prepared-query.js'
import type { Instance } from './instance.js'

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
export const instanceFilterOf = (query: QueryService): ((instance: Instance) => boolean) => {
  const tags = query.Tags?.map(tag => tag.toLowerCase()) ?? []
  return instance =>
    isHealthy(instance, query.OnlyPassing, query.IgnoreCheckIDs) &&
    hasPairs(query.NodeMeta, instance.node.Meta) &&
    hasPairs(query.ServiceMeta, instance.service.Meta) &&
    hasTags(tags, instance.service.Tags)
}
